"""Intervals of an evaluation: the same score of resampled documents, whatever the aggregation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import caesura as cz
from caesura.errors import DeclarationError
from caesura.evaluation.intervals import intervals

S = cz.Segmentation
RNG = np.random.default_rng(3)
IDS = [f"d{n}" for n in range(30)]


def drawn(density: float) -> S:
    return S(20, [gap for gap in range(1, 20) if RNG.random() < density])


REFERENCE = {key: drawn(0.15) for key in IDS}
SYSTEMS = {"a": {key: drawn(0.2) for key in IDS}, "b": {key: drawn(0.1) for key in IDS}}
METRICS = ["Pk", "W-F1", "BoundaryPrecision(length='short', cut=99)", "BOR", "CovN"]


@pytest.mark.parametrize("by", [None, "macro", "micro"])
def test_an_interval_is_that_of_evaluating_resampled_documents(by) -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, METRICS, by=by)
    found = intervals(e, resamples=40, seed=9)
    rng = np.random.default_rng(9)
    scores: dict[tuple[str, str], list[float]] = {}
    for places in rng.integers(0, len(IDS), size=(40, len(IDS))):
        copies = {f"{n}": IDS[place] for n, place in enumerate(places)}
        again = cz.evaluate(
            {new: REFERENCE[old] for new, old in copies.items()},
            {name: {new: system[old] for new, old in copies.items()} for name, system in SYSTEMS.items()},
            METRICS,
            by=by,
        )
        for system, row in again.scores.items():
            for name, score in row.items():
                scores.setdefault((system, name), []).append(score)
    made = e.statistics()
    for (system, name), values in scores.items():
        ours = found[system][name]
        statistic = made[name][system]
        from caesura.statistics import Bootstrap

        theirs = Bootstrap(len(IDS), 40, 9).interval(np.array(values), statistic.documents, statistic.left_out())
        assert ours.low == pytest.approx(theirs.low)
        assert ours.high == pytest.approx(theirs.high)


def test_statistics_are_the_scores() -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, METRICS)
    for name, row in e.statistics().items():
        for system, statistic in row.items():
            assert statistic.value == pytest.approx(e.scores[system][name])
            assert statistic.documents == e.aggregates[system][name].documents


def test_intervals_hold_their_score_and_carry_their_recipe() -> None:
    e = cz.evaluate(REFERENCE, SYSTEMS, METRICS)
    for system, row in intervals(e, 200, 4, 0.9).items():
        for name, interval in row.items():
            assert e.scores[system][name] in interval
            assert (interval.level, interval.resamples, interval.seed) == (0.9, 200, 4)


def test_one_document_has_no_interval() -> None:
    e = cz.evaluate({"d": S(9, (4,))}, {"a": {"d": S(9, (5,))}}, METRICS)
    assert all(math.isnan(interval.low) for interval in intervals(e)["a"].values())


def test_a_metric_defined_on_one_document_only() -> None:
    e = cz.evaluate(
        {"x": S(9, (4,)), "y": S(9, (4,))},
        {"a": {"x": S(9, (4,)), "y": S(9)}},
        ["BoundaryPrecision(length='short', cut=99)", "Pk"],
    )
    found = intervals(e)["a"]
    assert math.isnan(found["BoundaryPrecision(length='short', cut=99)"].low)
    assert found["Pk"].low < found["Pk"].high


def test_infinite_resamples() -> None:
    e = cz.evaluate({"x": S(9, (4,)), "y": S(9)}, {"a": {"x": S(9, (4,)), "y": S(9, (3,))}}, ["BOR"])
    assert intervals(e)["a"]["BOR"].high == math.inf


@pytest.mark.parametrize(("options", "words"), [({"resamples": 0}, "resamples is 0"), ({"level": 1.0}, "level is 1.0")])
def test_bad_options(options, words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        intervals(cz.evaluate({"d": S(9)}, {"a": {"d": S(9)}}, ["Pk"]), **options)


def test_a_note_names_pooled_scores_that_few_documents_decide():
    """On such corpora intervals hold the truth less often than they say, and nothing that is drawn from them can tell."""
    long = {key: S(20_000, range(100, 20_000, 100 + n)) for n, key in enumerate(IDS[:2])}
    uneven = {**REFERENCE, **long}
    systems = {"a": {**SYSTEMS["a"], **{key: S(20_000, range(50, 20_000, 130)) for key in long}}}
    e = cz.evaluate(uneven, systems, ["Pk", "CovN"])
    assert not any("too narrow" in note for note in e.results().notes)
    e.intervals(resamples=50)
    assert e.results().notes[-1] == "CovN: a few documents dominate, so intervals may be too narrow"
    compared = cz.evaluate(uneven, {**systems, "b": uneven}, ["Pk", "CovN"])
    compared.compare(resamples=50, permutations=50, draws=0)
    assert any("CovN: a few documents dominate" in note for note in compared.results().notes)
    even = cz.evaluate(REFERENCE, SYSTEMS, ["Pk", "CovN", "BOR"])
    even.intervals(resamples=50)
    assert not any("too narrow" in note for note in even.results().notes)
