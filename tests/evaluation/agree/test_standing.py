"""A system among people: scores against every annotator, the people's ceiling, the rank."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.datasets.bundled import bundled
from caesura.errors import CaesuraError, CaesuraWarning, ComparabilityError, MetricError
from caesura.evaluation.agree.standing import PanelEvaluation
from caesura.metrics import PairwiseMetric, metric
from caesura.results import as_float, read_results
from caesura.segmentation import Segmentation
from tests.evaluation.agree.test_report import corpus_of
from tests.strategies import panels, segmentations

METRICS = ("Pk", "WindowDiff", "B", "W-F1", "EditPrecision", "Purity", "BOR", "CovN")
AGAINST_ALL = ("MultiWindowDiff", "ProminencePrecision", "ProminenceRecall")
Codings = dict[str, Segmentation]


def mean(values: list[float]) -> float:
    """Return the mean of what is defined."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-12, nan_ok=True)


def systems_of(*sides: Mapping[str, tuple[int, ...]], corpus: Corpus) -> dict[str, dict[str, Segmentation]]:
    return {
        f"s{place}": {key: Segmentation(corpus[key].n_units, gaps) for key, gaps in side.items()}
        for place, side in enumerate(sides, start=1)
    }


SMALL = corpus_of((20, {"x": (5, 10), "y": (5, 10, 15), "z": (10,)}), (10, {"x": (5,), "y": (5, 8)}))
SYSTEMS = systems_of({"d1": (5, 15), "d2": (5,)}, {"d1": (), "d2": (2, 7)}, corpus=SMALL)


# ---------------------------------------------------------------------------------------------- scores


@st.composite
def judged(draw: st.DrawFn) -> tuple[list[Codings], list[Segmentation]]:
    documents = draw(
        st.lists(panels(min_units=2, max_units=14, min_annotators=1, max_annotators=4), min_size=1, max_size=3)
    )
    return documents, [draw(segmentations(n_units=people["a1"].n_units)) for people in documents]


def evaluated(documents: list[Codings], hypotheses: list[Segmentation], metrics: tuple[str, ...]) -> PanelEvaluation:
    corpus = Corpus([Document(id=str(i), n_units=p["a1"].n_units, annotations=p) for i, p in enumerate(documents)])
    return cz.evaluate(
        corpus, {"s": {str(i): h for i, h in enumerate(hypotheses)}}, list(metrics), against="annotators"
    )


def score_of(ours: PairwiseMetric, reference: Segmentation, hypothesis: Segmentation) -> float:
    """Return a score, or NaN where the metric leaves the pair out of a mean."""
    counts = np.array([list(ours.counts(reference, hypothesis).values())])
    return ours(reference, hypothesis) if ours.included(counts)[0] else math.nan


@settings(max_examples=60)
@given(drawn=judged())
def test_scores_restated(drawn: tuple[list[Codings], list[Segmentation]]) -> None:
    """Mean over annotators, then over documents; the micro score adds the mean counts of each document."""
    documents, hypotheses = drawn
    evaluation = evaluated(documents, hypotheses, METRICS)
    for name in METRICS:
        ours = metric(name)
        per_document = [
            mean([score_of(ours, coding, hypothesis) for coding in people.values()])
            for people, hypothesis in zip(documents, hypotheses, strict=True)
        ]
        assert evaluation.per_document("s", name).tolist() == near(per_document)
        if ours.card.aggregation == "micro":
            counts = np.sum(
                [
                    np.mean([list(ours.counts(coding, h).values()) for coding in people.values()], axis=0)
                    for people, h in zip(documents, hypotheses, strict=True)
                ],
                axis=0,
            )
            assert evaluation.scores["s"][name] == pytest.approx(float(ours.score(counts)), nan_ok=True)
        else:
            assert evaluation.scores["s"][name] == near(mean(per_document))


@settings(max_examples=60)
@given(drawn=judged())
def test_nearest_and_farthest_restated(drawn: tuple[list[Codings], list[Segmentation]]) -> None:
    documents, hypotheses = drawn
    evaluation = evaluated(documents, hypotheses, ("Pk", "B"))
    for name, better, worse in (("Pk", min, max), ("B", max, min)):
        scores = [
            [s for coding in people.values() if not math.isnan(s := metric(name)(coding, hypothesis))]
            for people, hypothesis in zip(documents, hypotheses, strict=True)
        ]
        standing = evaluation.standing("s", name)
        assert as_float(standing.best) == near(mean([better(values) for values in scores if values]))
        assert as_float(standing.worst) == near(mean([worse(values) for values in scores if values]))


@settings(max_examples=60)
@given(drawn=judged())
def test_metrics_against_all_at_once(drawn: tuple[list[Codings], list[Segmentation]]) -> None:
    documents, hypotheses = drawn
    evaluation = evaluated(documents, hypotheses, AGAINST_ALL)
    for name in AGAINST_ALL:
        scores = [metric(name)(p, h) for p, h in zip(documents, hypotheses, strict=True)]
        assert evaluation.per_document("s", name).tolist() == near(scores)
        assert evaluation.scores["s"][name] == near(mean(scores))
    parts = [metric("MultiWindowDiff").parts(p, h) for p, h in zip(documents, hypotheses, strict=True)]
    assert evaluation.difficulty.tolist() == near([p["best"] for p in parts])
    for part, value in evaluation.parts("s", "MultiWindowDiff").items():
        assert value == near(mean([p[part] for p in parts])), part
    assert evaluation.parts("s", "ProminenceRecall") == {}


# ---------------------------------------------------------------------------------------------- people


def people_scores(name: str, people: Codings) -> list[float]:
    """Leave each annotator out in turn, and score him against the rest."""
    ours, found = metric(name), []
    if len(people) < 2:
        return []
    for who, coding in people.items():
        rest = {other: c for other, c in people.items() if other != who}
        if name in AGAINST_ALL:
            found.append(ours(rest, coding))
        else:
            found.append(mean([ours(reference, coding) for reference in rest.values()]))
    return found


@settings(max_examples=60)
@given(drawn=judged())
def test_the_ceiling_and_the_rank_restated(drawn: tuple[list[Codings], list[Segmentation]]) -> None:
    documents, hypotheses = drawn
    names = ("Pk", "B", "EditPrecision", *AGAINST_ALL)
    evaluation = evaluated(documents, hypotheses, names)
    for name in names:
        people = [people_scores(name, codings) for codings in documents]
        assert evaluation.ceiling[name] == near(mean([mean(values) for values in people]))
        sign = -1 if metric(name).card.direction == "higher" else 1
        ranks, sizes, beats = [], [], []
        for mine, others in zip(evaluation.per_document("s", name).tolist(), people, strict=True):
            others = [value for value in others if not math.isnan(value)]
            if math.isnan(mine) or not others:
                continue
            ahead = sum(sign * (value - mine) < -1e-9 for value in others)
            level = sum(abs(value - mine) < 1e-9 for value in others)
            ranks.append(1 + ahead + level / 2)
            sizes.append(len(others) + 1)
            beats.append((len(others) - ahead - level / 2) / len(others))
        standing = evaluation.standing("s", name)
        assert as_float(standing.rank) == near(mean(ranks))
        assert as_float(standing.of) == near(mean(sizes))
        assert as_float(standing.beats) == near(mean(beats))
        assert as_float(standing.people) == near(evaluation.ceiling[name])


def test_rank_by_hand() -> None:
    """d1, by B: x and y 2/3, x and z 1/2, y and z 1/3, so x has 7/12, y 1/2, z 5/12; d2: x and y have 1/2 each.

    s1 in d1: against x 1/3, y 2/3, z 0, mean 1/3: the last of four. In d2: x 1, y 1/2, mean 3/4: the first of three.
    """
    evaluation = cz.evaluate(SMALL, SYSTEMS, ["B"], against="annotators")
    standing = evaluation.standing("s1", "B")
    assert evaluation.per_document("s1", "B").tolist() == pytest.approx([1 / 3, 3 / 4])
    assert evaluation.scores["s1"]["B"] == pytest.approx((1 / 3 + 3 / 4) / 2)
    assert (standing.best, standing.worst) == pytest.approx(((2 / 3 + 1) / 2, (0 + 1 / 2) / 2))
    assert standing.people == pytest.approx(((7 / 12 + 1 / 2 + 5 / 12) / 3 + 1 / 2) / 2)
    assert (standing.rank, standing.of, standing.beats) == ((4 + 1) / 2, 3.5, (0 + 1) / 2)
    nothing = evaluation.standing("s2", "B")
    # Nothing in d1; in d2 one near miss of y beside two additions, 1/6, and nothing of x.
    assert (evaluation.scores["s2"]["B"], nothing.beats, nothing.rank) == (pytest.approx(1 / 24), 0.0, 3.5)


def test_ties_share_a_rank() -> None:
    corpus = corpus_of((10, {"x": (5,), "y": (5,)}))
    evaluation = cz.evaluate(corpus, {"s": {"d1": Segmentation(10, (5,))}}, ["Pk"], against="annotators")
    standing = evaluation.standing("s", "Pk")
    assert (standing.rank, standing.of, standing.beats) == (2.0, 3.0, 0.5)


def test_one_annotator_has_no_people() -> None:
    corpus = corpus_of((10, {"x": (5,)}))
    evaluation = cz.evaluate(
        corpus, {"s": {"d1": Segmentation(10, (5,))}}, ["Pk", "MultiWindowDiff"], against="annotators"
    )
    assert evaluation.scores["s"] == {"Pk": 0.0, "MultiWindowDiff": 0.0}
    for name in ("Pk", "MultiWindowDiff"):
        standing = evaluation.standing("s", name)
        assert (standing.people, standing.rank, standing.beats) == (None, None, None)
    data = evaluation.results().systems["s"]["Pk"].among
    assert data is not None
    assert (data.people, data.rank) == (None, None)


# ---------------------------------------------------------------------------------------------- aggregation


def test_micro_where_asked_for() -> None:
    evaluation = cz.evaluate(SMALL, SYSTEMS, ["Pk"], against="annotators", by="micro")
    ours = metric("Pk")
    rows = [
        np.mean([list(ours.counts(c, SYSTEMS["s1"][d.id]).values()) for c in d.annotations.values()], axis=0)
        for d in SMALL
    ]
    assert evaluation.scores["s1"]["Pk"] == pytest.approx(float(ours.score(np.sum(rows, axis=0))))
    assert "agg:micro" in evaluation.signature("Pk")
    with pytest.raises(MetricError, match="do not add, so there is no micro score"):
        cz.evaluate(SMALL, SYSTEMS, ["MultiWindowDiff(as_run=True)"], against="annotators", by="micro")


def test_micro_of_multi_window_diff_adds_windows() -> None:
    evaluation = cz.evaluate(SMALL, SYSTEMS, ["MultiWindowDiff"], against="annotators", by="micro")
    # Errors, best and worst of both documents, before they are divided.
    totals = np.zeros(3)
    for d in SMALL:
        parts = metric("MultiWindowDiff").parts(d.annotations, SYSTEMS["s1"][d.id])
        size = len(d.annotations) * (d.n_units - parts["m"])
        totals += np.array([parts["raw"], parts["best"], parts["worst"]]) * size
    raw, best, worst = totals
    assert evaluation.scores["s1"]["MultiWindowDiff"] == pytest.approx((raw - best) / (worst - best))


def test_a_document_undefined_for_one_system_is_dropped_for_all() -> None:
    evaluation = cz.evaluate(SMALL, SYSTEMS, ["ProminencePrecision"], against="annotators")
    # s2 has no boundary in d1.
    row = evaluation.aggregates
    assert (row["s2"]["ProminencePrecision"].undefined, row["s1"]["ProminencePrecision"].dropped) == (1, 1)
    only_d2 = metric("ProminencePrecision")(SMALL["d2"].annotations, SYSTEMS["s1"]["d2"])
    assert evaluation.scores["s1"]["ProminencePrecision"] == pytest.approx(only_d2)
    assert any("1 of 2 documents undefined (no boundary in the hypothesis)" in note for note in evaluation.notes())


def test_identical_systems_and_people_are_never_perfect_out_of_nothing() -> None:
    corpus = corpus_of((2, {"x": (), "y": ()}))
    evaluation = cz.evaluate(corpus, {"s": {"d1": Segmentation(2)}}, ["Pk", *AGAINST_ALL], against="annotators")
    assert all(math.isnan(score) for score in evaluation.scores["s"].values())
    scored = evaluation.results().systems["s"]["MultiWindowDiff"]
    assert (scored.score, scored.reason) == (None, "no window, or the best and the worst case meet")


# ---------------------------------------------------------------------------------------------- what counts


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_consensus_and_annotator_are_ordinary_references() -> None:
    for against, corpus in (("consensus=0.5", SMALL.consensus(0.5)), ("annotator=x", SMALL.annotator("x"))):
        ours = cz.evaluate(SMALL, SYSTEMS, ["Pk", "B"], against=against)
        plain = cz.evaluate(corpus, SYSTEMS, ["Pk", "B"])
        assert ours.scores == plain.scores
        assert f"|ref:{against}|" in ours.signature("Pk")
        assert ours.results().against == against
        assert "|ref:" not in plain.signature("Pk")


def test_documents_an_annotator_did_not_read_are_left_out() -> None:
    evaluation = cz.evaluate(SMALL, SYSTEMS, ["Pk"], against="annotator=z")
    assert evaluation.documents == ["d1"]
    assert evaluation.scores["s1"]["Pk"] == metric("Pk")(SMALL["d1"].annotations["z"], SYSTEMS["s1"]["d1"])


def test_boundaries_are_the_default() -> None:
    both = Corpus(
        [Document(id="d1", n_units=10, segmentation=Segmentation(10, (5,)), annotations={"x": Segmentation(10, (2,))})]
    )
    systems = {"s": {"d1": Segmentation(10, (5,))}}
    assert cz.evaluate(both, systems, ["B"]).scores["s"]["B"] == 1.0
    assert cz.evaluate(both, systems, ["B"], against="annotators").scores["s"]["B"] == 0.0
    with pytest.raises(ComparabilityError, match="choose what to score against with against='annotators'"):
        cz.evaluate(SMALL, SYSTEMS, ["B"])


@pytest.mark.parametrize(
    ("against", "says"),
    [
        (
            "people",
            "against 'people' is unknown; choose boundaries, annotators, consensus=0.5, annotator=NAME, best, all or pseudo",
        ),
        ("consensus", "is unknown"),
        ("consensus=half", "is unknown"),
        ("consensus=1.5", "it must be a share between 0 and 1"),
        ("annotator=", "is unknown"),
        ("annotator=bob", "no document is annotated by 'bob'; the annotators are x, y, z"),
        ("boundaries=1", "is unknown"),
        ("annotators=x", "is unknown"),
    ],
)
def test_what_cannot_count(against: str, says: str) -> None:
    with pytest.raises(CaesuraError, match=says) as caught:
        cz.evaluate(SMALL, SYSTEMS, ["Pk"], against=against)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_metrics_that_cannot_be_used() -> None:
    with pytest.raises(MetricError, match="FleissKappa: measures the annotators alone; see caesura agree"):
        cz.evaluate(SMALL, SYSTEMS, ["FleissKappa"], against="annotators")
    with pytest.raises(MetricError, match="MultiWindowDiff: needs several annotators; evaluate against='annotators'"):
        cz.evaluate(SMALL, SYSTEMS, ["MultiWindowDiff"], against="consensus=0.5")
    with pytest.raises(MetricError, match="profile 'swapped' exchanges reference and hypothesis"):
        cz.evaluate(SMALL, SYSTEMS, ["Pk"], against="annotators", profile="swapped")


def test_profiles_hold_against_annotators() -> None:
    evaluation = cz.evaluate(SMALL, SYSTEMS, ["MultiWindowDiff"], against="annotators", profile="as_run")
    run = metric("MultiWindowDiff(as_run=True)")
    expected = mean([run(d.annotations, SYSTEMS["s1"][d.id]) for d in SMALL])
    assert evaluation.scores["s1"]["MultiWindowDiff"] == pytest.approx(expected)
    assert "profile:as_run" in evaluation.signature("MultiWindowDiff")


# ---------------------------------------------------------------------------------------------- documents


def test_unannotated_documents_are_left_out_with_a_note() -> None:
    corpus = Corpus([*SMALL, Document(id="d3", n_units=8, segmentation=Segmentation(8, (4,)))])
    with_it = {name: {**side, "d3": Segmentation(8)} for name, side in SYSTEMS.items()}
    expected = cz.evaluate(SMALL, SYSTEMS, ["Pk", "MultiWindowDiff"], against="annotators").scores
    for systems in (with_it, SYSTEMS):  # a system need not have what nobody annotated
        evaluation = cz.evaluate(corpus, systems, ["Pk", "MultiWindowDiff"], against="annotators")
        assert evaluation.scores == expected
        assert evaluation.documents == ["d1", "d2"]
        assert "1 documents of the reference have no annotator, left out" in evaluation.notes()
        assert not any("missing" in note for note in evaluation.notes())
    with pytest.warns(CaesuraWarning, match="1 of 2 documents has fewer than 3 annotators"):
        evaluation = cz.evaluate(corpus, with_it, ["Pk"], against="consensus=0.5")
    assert evaluation.documents == ["d1", "d2"]


def test_missing_documents() -> None:
    systems = {**SYSTEMS, "s3": {"d1": Segmentation(20, (5,))}}
    with pytest.raises(ComparabilityError, match="document 'd2' of the reference is missing from 's3'"):
        cz.evaluate(SMALL, systems, ["Pk"], against="annotators")
    evaluation = cz.evaluate(SMALL, systems, ["Pk"], against="annotators", missing="skip")
    assert evaluation.documents == ["d1"]
    assert "s3: 1 of 2 documents missing, skipped" in evaluation.notes()
    assert "missing:1" in evaluation.signature("Pk", "s3")
    alone = cz.evaluate(SMALL.subset(["d1"]), {"s3": systems["s3"]}, ["Pk"], against="annotators")
    assert evaluation.scores["s3"] == alone.scores["s3"]


def test_unlike_documents_are_one_line() -> None:
    with pytest.raises(ComparabilityError, match="document 'd1': reference has 20 units, hypothesis 's' has 21"):
        cz.evaluate(SMALL, {"s": {"d1": Segmentation(21), "d2": Segmentation(10)}}, ["Pk"], against="annotators")
    with pytest.raises(ComparabilityError, match="is not in the reference"):
        cz.evaluate(SMALL, {"s": {**SYSTEMS["s1"], "d9": Segmentation(10)}}, ["Pk"], against="annotators")
    bare = Corpus([Document(id="d1", n_units=20, segmentation=Segmentation(20))])
    with pytest.raises(ComparabilityError, match="has no annotations"):
        cz.evaluate(bare, {"s": {"d1": Segmentation(20)}}, ["Pk"], against="annotators")


def test_the_length_that_annotators_coded_is_not_open() -> None:
    """A chapter list without an end takes the length of the other side, but not where people coded one."""
    people = {"x": Segmentation(20, (3,)), "y": Segmentation(20, (3, 15))}
    corpus = Corpus([Document(id="d", n_units=20, open_ended=True, annotations=people)])
    with pytest.raises(ComparabilityError, match="reference has 20 units, hypothesis 's' has 30"):
        cz.evaluate(corpus, {"s": {"d": Segmentation(30, (3, 25))}}, ["Pk"], against="annotators")
    short = Corpus([Document(id="d", n_units=16, segmentation=Segmentation(16, (3, 15)), open_ended=True)])
    fitted = cz.evaluate(corpus, {"s": short}, ["Pk"], against="annotators").scores["s"]["Pk"]
    assert fitted == mean([metric("Pk")(coding, Segmentation(20, (3, 15))) for coding in people.values()])


# ---------------------------------------------------------------------------------------------- tables and files


@pytest.fixture(scope="module")
def ladder() -> PanelEvaluation:
    corpus = bundled("moonstone")
    systems = {"majority": corpus.consensus(0.5), "union": corpus.consensus(0), "unanimous": corpus.consensus(1)}
    return cz.evaluate(corpus, systems, against="annotators")


def test_the_ladder_ends_with_the_people(ladder: PanelEvaluation) -> None:
    table = ladder.table()
    assert [row[0] for row in table.rows] == ["majority", "union", "unanimous", "people (each against the rest)"]
    assert table.rows[-1][1:] == [ladder.ceiling[name] for name in ladder.metrics]
    assert {"Pk", "WindowDiff", "MultiWindowDiff", "ProminencePrecision", "ProminenceRecall"} <= set(ladder.metrics)
    standing = ladder.tables()[1]
    assert len(standing.rows) == 3 * len(ladder.metrics)
    assert any(note.startswith("difficulty of the documents") for note in standing.notes)
    assert len(ladder.tables(per_document=True)[0].rows) == 3 * 8
    assert len(ladder.tables()) == 2


def test_signatures_say_against_whom(ladder: PanelEvaluation) -> None:
    assert "|m:auto=2..4|" in ladder.signature("MultiWindowDiff")
    for name in ladder.metrics:
        assert "|ref:annotators|docs:" in ladder.signature(name)
        assert "|ref:annotators|" in ladder.signature(name, "union", short=True)


def test_the_majority_stands_among_the_people(ladder: PanelEvaluation) -> None:
    assert ladder.standing("majority", "MultiWindowDiff").beats > 0.5
    assert ladder.scores["union"]["ProminenceRecall"] == 1.0
    assert np.isfinite(ladder.difficulty).all()


def test_plain_data_has_the_promised_shape(ladder: PanelEvaluation, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    ladder.save(path, per_document=True)
    data = json.loads(path.read_text())
    assert data["against"] == "annotators"
    scored = data["systems"]["majority"]["MultiWindowDiff"]
    assert set(scored["among"]) == {"best", "worst", "people", "rank", "of", "beats"}
    assert set(scored["parts"]) == {"raw", "best", "worst", "too_many", "too_few"}
    assert scored["parts"]["too_many"] + scored["parts"]["too_few"] == pytest.approx(scored["parts"]["raw"])
    assert data["systems"]["majority"]["Pk"]["parts"] is None
    assert len(data["per_document"]["union"]["B"]) == 8
    assert data["documents"] == bundled("moonstone").ids
    again = read_results(path)
    assert again.systems["majority"]["Pk"].score == ladder.scores["majority"]["Pk"]
    with pytest.raises(CaesuraError, match="exists"):
        ladder.save(path, overwrite=False)


def test_threads_change_nothing() -> None:
    once, thrice = (cz.evaluate(SMALL, SYSTEMS, against="annotators", threads=threads) for threads in (1, 3))
    assert once.scores == thrice.scores
    assert once.ceiling == thrice.ceiling


def test_length_classes() -> None:
    evaluation = cz.evaluate(SMALL, SYSTEMS, ["CovN"], against="annotators", cut=6)
    assert list(evaluation.metrics) == ["CovN", "CovN [short]", "CovN [long]"]
