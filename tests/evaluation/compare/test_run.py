"""Systems compared: tests against enumeration, directions, families, the parts of a difference."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import caesura as cz
from caesura.errors import ComparabilityError, DeclarationError
from caesura.evaluation.chance.verdict import Thresholds
from caesura.evaluation.compare.run import compare
from caesura.evaluation.evaluate.report import Evaluation
from caesura.results.tables import answer_of
from caesura.table import Table

S = cz.Segmentation
IDS = [f"d{n}" for n in range(9)]


def drawn(rng: np.random.Generator, density: float) -> S:
    return S(20, [gap for gap in range(1, 20) if rng.random() < density])


def corpus(seed: int, density: float) -> dict[str, S]:
    rng = np.random.default_rng(seed)
    return {key: drawn(rng, density) for key in IDS}


def nearly(reference: S) -> S:
    """Move the last boundary to the end of the document."""
    return S(20, [*reference.boundaries[:-1], 19]) if reference.n_boundaries else reference


REFERENCE = corpus(1, 0.2)
NEAR = {key: nearly(value) for key, value in REFERENCE.items()}
SYSTEMS = {"near": NEAR, "far": corpus(2, 0.2), "dense": corpus(3, 0.5)}


def find(found, metric: str, first: str, second: str):
    return next(c for c in found if (c.metric, c.first, c.second) == (metric, first, second))


@pytest.mark.parametrize("name", ["Pk", "W-F1", "CovN", "BOR"])
def test_p_against_every_exchange(name: str) -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, [name])
    got = find(compare(e, draws=0), name, "far", "dense")
    metric = e.metrics[name]
    a, b = e.counts("far", name), e.counts("dense", name)

    def score(rows: np.ndarray) -> float:
        if metric.card.aggregation == "micro":
            return float(metric.score(rows.sum(axis=0)))
        return float(metric.score(rows).mean())

    def size(first: float, second: float) -> float:
        return abs(abs(first - 1) - abs(second - 1)) if name == "BOR" else abs(first - second)

    observed, larger = size(score(a), score(b)), 0
    for ways in itertools.product((False, True), repeat=len(IDS)):
        taken = np.array(ways)[:, None]
        larger += size(score(np.where(taken, b, a)), score(np.where(taken, a, b))) >= observed - 1e-12
    assert got.exact
    assert got.p == pytest.approx(larger / 2 ** len(IDS))
    assert got.difference == e.scores["far"][name] - e.scores["dense"][name]
    assert got.difference in got.interval


def test_better_respects_the_direction() -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, ["Pk", "W-F1", "BOR"])
    found = compare(e, draws=0)
    for name in ("Pk", "W-F1", "BOR"):
        for other in ("far", "dense"):
            assert find(found, name, "near", other).better in ("near", None)
    pk = find(found, "Pk", "near", "dense")
    assert pk.difference < 0
    assert pk.better == "near"
    assert pk.mark
    assert find(found, "W-F1", "near", "dense").difference > 0
    backwards = compare(cz.evaluate(REFERENCE, dict(reversed(SYSTEMS.items())), ["Pk", "W-F1"]), draws=0)
    again = find(backwards, "Pk", "dense", "near")
    assert (again.better, again.p, again.mark) == ("near", pk.p, pk.mark)
    assert again.difference == -pk.difference


def test_a_target_is_a_matter_of_distance() -> None:
    reference = {key: S(20, (5, 10)) for key in IDS}
    half, more = {key: S(20, (5,)) for key in IDS}, {key: S(20, (5, 10, 15)) for key in IDS}
    e = cz.evaluate(reference, {"half": half, "more": more}, ["BOR"])
    (c,) = compare(e, draws=0)
    assert c.difference == -1.0
    assert (c.better, c.p, c.p_bootstrap, c.mark) == (None, 1.0, 1.0, "")
    assert c.interval.high == -1.0
    assert any("BOR: p is of the distance to 1" in note for note in e_notes(e))
    assert c.regimes == ("conservative", "aggressive")
    assert c.regimes[0] != c.regimes[1]
    assert c.delta_bor == -1.0
    wide = compare(
        cz.evaluate(reference, {"half": half, "more": more}, ["Pk"]),
        draws=0,
        thresholds=Thresholds(low_bor=0.1, high_bor=9),
    )
    assert wide[0].regimes == ("balanced", "balanced")


def test_equal_systems() -> None:
    e = cz.evaluate(REFERENCE, {"a": NEAR, "b": dict(NEAR)}, None)
    for c in compare(e):
        assert c.difference == 0
        assert (c.p, c.p_bootstrap, c.p_corrected, c.better, c.mark) == (1.0, 1.0, 1.0, None, "")
        assert c.effect is None
        assert (c.density, c.placement) == (0.0, 0.0)


def test_holm_over_the_comparisons_of_one_metric() -> None:
    from caesura.statistics import holm

    found = compare(cz.evaluate(REFERENCE, SYSTEMS, ["Pk", "W-F1"]), draws=0)
    assert [(c.metric, c.first, c.second) for c in found] == [
        (name, *pair) for name in ("Pk", "W-F1") for pair in itertools.combinations(SYSTEMS, 2)
    ]
    for name in ("Pk", "W-F1"):
        family = [c for c in found if c.metric == name]
        assert {c.family for c in family} == {3}
        assert [c.p_corrected for c in family] == holm([c.p for c in family])


def test_a_baseline() -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, ["Pk"])
    found = compare(e, with_="far", draws=0)
    assert [(c.first, c.second, c.family) for c in found] == [("near", "far", 2), ("dense", "far", 2)]
    with pytest.raises(ComparabilityError, match="'fra' is not one of the systems; did you mean far"):
        compare(e, with_="fra")
    with pytest.raises(ComparabilityError, match="'near' is the only system"):
        compare(cz.evaluate(REFERENCE, {"near": NEAR}, ["Pk"]))
    with pytest.raises(DeclarationError, match="permutations is 0"):
        compare(e, permutations=0)


def test_parts_add_up_and_effects_are_paired() -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, ["Pk", "F1", "BOR"])
    for c in compare(e, draws=20):
        assert c.density is not None
        assert c.placement is not None
        assert c.density + c.placement == pytest.approx(c.difference, abs=1e-15)
        d = e.per_document(c.first, c.metric) - e.per_document(c.second, c.metric)
        if c.aggregation == "macro":
            assert c.effect == pytest.approx(d.mean() / d.std(ddof=1))
        else:
            assert c.effect is None
    bor = find(compare(e, draws=20), "BOR", "near", "dense")
    assert bor.density == bor.difference == bor.delta_bor


def test_only_documents_defined_for_all() -> None:
    reference = {key: S(13, (4, 8)) for key in "wxyz"}
    a = {"w": S(13, (4, 8)), "x": S(13, (3,)), "y": S(13), "z": S(13, (8,))}
    b = {"w": S(13, (2,)), "x": S(13, (4,)), "y": S(13, (4,)), "z": S(13, (9,))}
    e = cz.evaluate(reference, {"a": a, "b": b}, ["BoundaryPrecision(length='short', cut=99)", "BOR"])
    found = compare(e, draws=0)
    assert (found[0].documents, found[0].dropped) == (3, 1)
    assert (
        found[0].difference
        == e.scores["a"]["BoundaryPrecision(length='short', cut=99)"]
        - e.scores["b"]["BoundaryPrecision(length='short', cut=99)"]
    )
    assert (found[1].documents, found[1].dropped) == (4, 0)
    assert "BoundaryPrecision(length='short', cut=99): 1 of 4 documents dropped, undefined for a system" in e_notes(e)


def test_one_document_and_none_defined() -> None:
    e = cz.evaluate(
        {"d": S(9, (4,))},
        {"a": {"d": S(9, (4,))}, "b": {"d": S(9)}},
        ["Pk", "BoundaryPrecision(length='short', cut=99)"],
    )
    pk, precision = compare(e)
    assert pk.p == 1.0
    assert pk.interval == (None, None)
    assert pk.p_bootstrap is None
    assert precision.difference is None
    assert precision.interval == (None, None)
    assert (precision.p, precision.p_corrected, precision.better, precision.mark) == (None, None, None, "")
    assert "BoundaryPrecision(length='short', cut=99)" in str(compared_table(e))


def compared_table(e: Evaluation) -> Table:
    e.compare(resamples=50, draws=10)
    (table,) = [table for table in e.tables() if table.title == "Comparison"]
    return table


def e_notes(e: Evaluation) -> list[str]:
    return list(compared_table(e).notes)


def test_the_comparison_is_part_of_the_results_and_of_the_tables(tmp_path) -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, ["Pk", "W-F1"])
    assert e.results().comparisons is None
    found = e.compare(draws=10)
    assert e.results().comparisons == found
    e.save(tmp_path / "r.json")
    stored = cz.read_results(tmp_path / "r.json")
    assert stored.comparisons == found
    assert stored.resampling is not None
    assert (stored.resampling.resamples, stored.resampling.permutations) == (1000, 9999)
    table = next(table for table in e.tables() if table.title == "Comparison")
    text = str(table)
    assert "near *" in text
    assert "Holm" in text
    assert "density + placement = difference" in text
    assert len(found) == len(table.rows) == 6


@pytest.mark.parametrize("order", [("intervals", "compare"), ("compare", "intervals")])
def test_each_answer_says_how_it_was_drawn(order, tmp_path) -> None:
    """Intervals and comparisons with draws of their own: neither note speaks of the other's, in whatever order."""
    e = cz.evaluate(REFERENCE, SYSTEMS, ["Pk"])
    for question in order:
        if question == "intervals":
            e.intervals(resamples=30, seed=4)
        else:
            e.compare(resamples=40, permutations=99, seed=5, draws=0)
    written = e.save(tmp_path / "r.json")
    assert cz.read_results(tmp_path / "r.json") == written
    assert written.seed == 4
    notes = {table.title: " ".join(table.notes) for table in e.tables()}
    assert "resampled 30 times, seed 4" in notes["Intervals"]
    assert "99 permutations" in notes["Comparison"]
    assert "40 resamples, seed 5" in notes["Comparison"]


def test_a_skill_alone_says_its_seed() -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, ["W-F1"])
    assert e.results().seed is None
    e.skill(draws=5, seed=3)
    assert e.results().seed == 3


def test_the_same_seed_gives_the_same_numbers() -> None:
    rng = np.random.default_rng(0)
    ids = [str(n) for n in range(40)]
    reference, a, b = ({key: drawn(rng, 0.2) for key in ids} for _ in range(3))
    e = cz.evaluate(reference, {"a": a, "b": b}, ["Pk"])
    one, again, other = (compare(e, permutations=500, seed=seed, draws=10) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    assert not one[0].exact


def test_of_very_many_pairs_those_of_the_best_system_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["Pk", "BOR", "CovN"]
    every = cz.evaluate(REFERENCE, {**SYSTEMS, "even": corpus(4, 0.3)}, names)
    whole = {(c.metric, c.first, c.second): c for c in every.compare()}
    monkeypatch.setattr("caesura.evaluation.compare.run.MOST_PAIRS", 5)
    again = cz.evaluate(REFERENCE, {**SYSTEMS, "even": corpus(4, 0.3)}, names)
    found = again.compare()
    standings, before = again.results().standings, every.results().standings
    assert standings is not None
    assert before is not None
    assert [(c.metric, c.first, c.second) for c in found] == [key for key in whole if before[key[0]].best in key[1:]]
    for c in found:
        same = whole[c.metric, c.first, c.second]
        assert (c.p, c.interval, c.difference, c.density) == (same.p, same.interval, same.difference, same.density)
        assert (c.family, c.p_corrected) == (6, min(1.0, 6 * same.p))
        assert c.p_corrected >= same.p_corrected
    assert [(name, s.best, s.p_best) for name, s in standings.items()] == [
        (name, s.best, s.p_best) for name, s in before.items()
    ]


def test_300_systems_are_compared_and_the_answer_says_what_so_many_can_show() -> None:
    rng = np.random.default_rng(0)
    ids = [f"d{n}" for n in range(40)]
    reference = {key: drawn(rng, 0.2) for key in ids}
    systems = {f"s{n:03}": {key: drawn(rng, 0.2) for key in ids} for n in range(300)}
    evaluation = cz.evaluate(reference, systems, ["BOR"])
    found = evaluation.compare(draws=0)
    assert len(found) == 299
    assert {c.family for c in found} == {44_850}
    results = evaluation.results()
    results.question = "compare"
    answer = " ".join(answer_of(results))
    assert "No difference can be significant after correction for 44,850 comparisons" in answer
    assert "or 291 others" in answer
    # One system with all others: 299 comparisons, for which 9,999 permutations are enough.
    evaluation.compare("s000", draws=0)
    results = evaluation.results()
    results.question = "compare"
    assert "No difference can be" not in " ".join(answer_of(results))
