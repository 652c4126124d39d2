# SPDX-License-Identifier: Apache-2.0
"""Levels: each system against every level of a hierarchy, and the level it matches."""

from __future__ import annotations

import math

import pytest

from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.errors import CaesuraWarning, ComparabilityError
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.evaluate.levels import evaluate_levels, level_corpora
from caesura.formats import load
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from caesura.segmenters import baseline_systems
from tests.corpora import corpus_file, needs

TINYREC, WIKI50 = "tinyrec/tinyrec_test_10.jsonl.gz", "wiki50/wiki50_shared25.jsonl.gz"


def tree(name, n_units, *levels, unit="unit"):
    made = tuple(Segmentation(n_units, gaps, unit=unit) for gaps in levels)
    last = made[-1] if made else Segmentation(n_units, (n_units // 2,), unit=unit)
    return Document(id=name, n_units=n_units, segmentation=last, hierarchy=made, unit=unit)


REFERENCE = Corpus(
    [tree("deep", 24, (12,), (6, 12, 18), (3, 6, 9, 12, 15, 18, 21)), tree("flat", 12, (4, 8)), tree("bare", 10)]
)


def test_level_corpora():
    corpora, filled = level_corpora(REFERENCE)
    assert filled == [1, 2, 2]
    assert [corpus["deep"].segmentation.n_boundaries for corpus in corpora] == [1, 3, 7]
    assert {corpus["flat"].segmentation.boundaries for corpus in corpora} == {(4, 8)}
    assert {corpus["bare"].segmentation.boundaries for corpus in corpora} == {(5,)}


@pytest.mark.parametrize("level", [1, 2, 3])
def test_a_level_matches_itself(level):
    corpora, _ = level_corpora(REFERENCE)
    found = evaluate_levels(REFERENCE, {"a": corpora[level - 1]})
    assert found.matches["a"].by_score == found.matches["a"].by_density == level
    assert found.levels[level - 1].scores["a"]["W-F1"] == 1.0
    assert f"a matches level {level}, by W-F1 and by density" in found.tables()[0].notes


def test_each_level_is_an_evaluation_of_its_own():
    corpora, _ = level_corpora(REFERENCE)
    systems = baseline_systems("even,random_share(share=0.3)", REFERENCE)
    found = evaluate_levels(REFERENCE, systems, ["Pk", "F1"])
    for corpus, evaluation in zip(corpora, found.levels, strict=True):
        assert evaluation.scores == evaluate(corpus, systems, ["Pk", "F1"]).scores
    wanted = [
        sum(metric("W-F1")(c.segmentation(row), systems["even (oracle)"].segmentation(row)) for row in range(3)) / 3
        for c in corpora
    ]
    assert found.matches["even (oracle)"].scores == pytest.approx(wanted)
    assert found.matches["even (oracle)"].by_score == wanted.index(max(wanted)) + 1


def test_score_and_density_may_name_different_levels():
    """Two boundaries at coarse places and many at no place: right by place at level 1, by number at level 2."""
    reference = Corpus([tree("d", 60, (20, 40), (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55))])
    hypothesis = {"d": Segmentation(60, (20, 22, 23, 27, 28, 32, 33, 37, 38, 40, 42))}
    match = evaluate_levels(reference, {"a": hypothesis}, tolerance=0).matches["a"]
    assert match.by_density == 2
    assert match.ratios == [5.5, 1.0]
    assert match.by_score == 1


def test_nothing_matches_nothing():
    found = evaluate_levels(REFERENCE, baseline_systems("none", REFERENCE))
    match = found.matches["none"]
    assert (match.by_score, match.by_density) == (None, None)
    assert "none matches no level by W-F1, no level by density" in found.tables()[0].notes
    assert found.matches["none"].ratios == [0.0, 0.0, 0.0]


def test_ties_go_to_the_coarser():
    reference = Corpus([tree("d", 12, (6,), (6,))])
    match = evaluate_levels(reference, {"a": {"d": Segmentation(12, (6,))}}).matches["a"]
    assert (match.by_score, match.by_density) == (1, 1)


def test_table():
    table = evaluate_levels(REFERENCE, baseline_systems("even,all", REFERENCE)).tables()[0]
    assert [column.title for column in table.columns] == [
        "system",
        "level",
        "W-F1",
        "BOR",
        "Purity",
        "Coverage",
        "nearest by",
    ]
    assert len(table.rows) == 6
    assert "level 2: 2 of 3 documents have no such level; their finest one is used" in table.notes
    assert all(
        sum("density" in str(row[-1]) for row in table.rows if row[0] == s) == 1 for s in ("even (oracle)", "all")
    )


def test_time():
    minutes = [60_000 * m for m in range(61)]
    reference = Corpus([tree("d", minutes[60], (minutes[30],), (minutes[15], minutes[30], minutes[45]), unit="ms")])
    near = {"d": Segmentation(minutes[60], (minutes[30] + 7000,), unit="ms")}
    found = evaluate_levels(reference, {"a": near})
    assert found.tolerance == "10s"
    assert found.matches["a"].by_score == 1
    assert evaluate_levels(reference, {"a": near}, tolerance="5s").matches["a"].by_score is None


def test_no_levels():
    corpus = Corpus.from_segmentations({"d": Segmentation(9, (3,))})
    with pytest.raises(ComparabilityError, match="has no document with levels; give 'hierarchy'"):
        evaluate_levels(corpus, {"a": corpus})
    with pytest.raises(ComparabilityError, match="document 'e' of the reference has neither"):
        level_corpora(Corpus([tree("d", 9, (3,)), Document(id="e", n_units=9)]))


@needs(TINYREC, WIKI50)
@pytest.mark.filterwarnings("ignore:.*carr(y|ies) unknown keys:caesura.errors.CaesuraWarning")
@pytest.mark.parametrize(("name", "depth", "filled"), [(TINYREC, 2, [0, 0]), (WIKI50, 3, [0, 12, 22])])
def test_real_corpora(name, depth, filled):
    reference = load(corpus_file(name))
    corpora, lacking = level_corpora(reference)
    assert (len(corpora), lacking) == (depth, filled)
    systems = {"coarse": corpora[0], "fine": reference, **baseline_systems("none,all,even", reference)}
    found = evaluate_levels(reference, systems)
    assert found.matches["coarse"].by_score == found.matches["coarse"].by_density == 1
    assert found.matches["fine"].by_score == found.matches["fine"].by_density == depth
    assert found.matches["all"].by_density == found.matches["even (oracle)"].by_density == depth
    # Levels are nested: the coarse one lies inside the fine one, boundary by boundary.
    assert found.levels[-1].scores["coarse"]["Coverage"] == 1.0
    assert found.levels[0].scores["fine"]["Purity"] == 1.0
    assert all(not math.isnan(score) for row in found.levels[0].scores.values() for score in row.values())


def test_the_consensus_at_rising_support_makes_levels():
    corpus = bundled("moonstone")
    half = corpus.consensus(0.5)
    found = evaluate_levels(corpus, {"half": half}, levels="consensus")
    assert found.matches["half"].by_score == found.matches["half"].by_density == 3
    for level, share in zip(found.levels, (1, 0.75, 0.5, 0.25, 0), strict=True):
        assert [d.segmentation for d in level.reference.corpus] == [d.segmentation for d in corpus.consensus(share)]
    names = [level.name for level in found.results().levels.levels]
    assert names == ["all annotators", "three quarters", "half", "a quarter", "any"]
    assert [row[1] for row in found.tables()[0].rows][:2] == ["1 all annotators", "2 three quarters"]


def test_documents_without_annotators_have_no_consensus():
    people = {"x": Segmentation(9, (3,)), "y": Segmentation(9, (3, 6))}
    reference = Corpus(
        [Document(id="d", n_units=9, annotations=people), Document(id="e", n_units=9, segmentation=Segmentation(9))]
    )
    system = {"d": Segmentation(9, (3,)), "e": Segmentation(9)}
    with pytest.warns(CaesuraWarning, match="1 of 1 document has fewer than 3 annotators") as told:
        found = evaluate_levels(reference, {"s": system}, levels="consensus")
    assert len(told) == 1  # not once for each level
    assert [list(level.reference.corpus.ids) for level in found.levels] == [["d"]] * 5
    with pytest.raises(ComparabilityError, match="has no annotations"):
        evaluate_levels({"d": Segmentation(9)}, {"s": {"d": Segmentation(9)}}, levels="consensus")
