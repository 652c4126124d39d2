# SPDX-License-Identifier: Apache-2.0
"""Thresholds, parameters and temperatures where annotators are the truth: the same numbers as `evaluate` and as plain loops."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError
from caesura.evaluation.evaluate import evaluate
from caesura.segmentation import Segmentation
from caesura.selectors import StaticSelector
from caesura.statistics.calibration import fit_temperature
from caesura.tuning.calibrate import calibrate
from caesura.tuning.select import select_corpus
from caesura.tuning.sweep import sweep
from caesura.tuning.tune import tune

WORDS = ["rain", "storm", "cloud", "wind", "goal", "team", "match", "ball", "bread", "flour", "oven", "salt"]


def drawn(documents: int = 5) -> tuple[Corpus, Corpus]:
    """Return texts with three annotators each, and one score per gap."""
    rng = np.random.default_rng(7)
    made, scored = [], []
    for place in range(documents):
        n, key = int(rng.integers(9, 14)), f"d{place}"
        units = [" ".join(rng.choice(WORDS, 4)) for _ in range(n)]
        people = {
            name: Segmentation(n, sorted(rng.choice(np.arange(1, n), rng.integers(1, 4), replace=False).tolist()))
            for name in "xyz"
        }
        made.append(Document(id=key, n_units=n, units=units, annotations=people))
        scored.append(Document(id=key, n_units=n, scores=tuple(rng.normal(0, 2, n - 1).round(2).tolist())))
    return Corpus(made), Corpus(scored)


ANNOTATED, SCORED = drawn()


@pytest.mark.parametrize("against", ["annotators", "best", "consensus=0.5", "annotator=y"])
def test_a_point_of_a_sweep_is_what_evaluate_gives(against: str) -> None:
    names = ["W-F1", "BOR"]
    swept = sweep(ANNOTATED, {"m": SCORED}, ["W-F1"], thresholds=[-0.5, 0.5], resamples=50, against=against)
    for point in swept.points["m"]:
        cut = select_corpus(SCORED, StaticSelector(threshold=point.threshold))
        again = evaluate(ANNOTATED, {"m": cut}, names, against=against).scores["m"]
        assert {name: point.scores[name] for name in names} == pytest.approx(again)
    results = swept.results()
    assert results.against == against
    assert results.sweep is not None
    assert set(results.sweep.annotators or ()) == set("xyz")


def test_an_annotator_on_the_curve_is_scored_against_the_others() -> None:
    swept = (
        sweep(ANNOTATED, {"m": SCORED}, ["W-F1"], thresholds=[0.5], resamples=50, against="annotators").results().sweep
    )
    assert swept is not None
    assert swept.annotators is not None
    others = ANNOTATED.without_annotators(["x"])
    again = evaluate(others, {"x": ANNOTATED.annotator("x")}, ["W-F1"], against="annotators").scores["x"]["W-F1"]
    assert swept.annotators["x"]["W-F1"] == pytest.approx(again)


@pytest.mark.parametrize("against", ["annotators", "best", "consensus=0.3"])
def test_settings_are_chosen_by_the_score_against_annotators(against: str) -> None:
    tuned = tune(ANNOTATED, "TextTiling", {"window": [2, 3]}, "WindowDiff", folds=2, against=against)
    from caesura.segmenters import segmenter
    from caesura.segmenters.run import run_method

    for candidate in tuned.facts.tried:
        cut = run_method(ANNOTATED, segmenter(candidate.method))
        again = evaluate(ANNOTATED, {"m": cut}, ["WindowDiff"], against=against).scores["m"]["WindowDiff"]
        assert candidate.score == pytest.approx(again)
    assert tuned.results().against == against


def test_a_temperature_is_fitted_to_every_annotator_at_once() -> None:
    logits, labels = [], []
    for document in ANNOTATED:
        for coding in document.annotations.values():
            logits += SCORED[document.id].scores or ()
            labels += [float(gap in coding.boundaries) for gap in range(1, document.n_units)]
    # Here each annotator is a label of its own, and every document has three.
    expected = fit_temperature(logits, labels)
    found = calibrate(ANNOTATED, SCORED, against="annotators")
    assert found.temperature.value == pytest.approx(expected.value, rel=1e-6)
    assert found.temperature.nll_after == pytest.approx(expected.nll_after)
    assert found.facts.boundaries == len(
        {(d.id, g) for d in ANNOTATED for c in d.annotations.values() for g in c.boundaries}
    )


def test_a_temperature_of_one_reference_is_that_of_its_boundaries() -> None:
    with warnings.catch_warnings(action="ignore"):
        half = ANNOTATED.consensus(0.5)
    assert calibrate(ANNOTATED, SCORED, against="consensus=0.5").temperature == calibrate(half, SCORED).temperature


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sweep(ANNOTATED, {"m": SCORED}, against="all"), "a table of evaluate"),
        (lambda: sweep(ANNOTATED, {"m": SCORED}, reference=None, against="annotators"), "is for a reference"),
        (lambda: tune(ANNOTATED, "TextTiling", {"window": [2]}, against="all"), "a table of evaluate"),
        (lambda: tune(ANNOTATED, "TextTiling", {"window": [2]}, "Placement(of='words')", against="best"), "without a reference"),
        (lambda: calibrate(ANNOTATED, SCORED, against="best"), "gives many references"),
        (lambda: calibrate(ANNOTATED, SCORED, against="annotator=nobody"), "no document is annotated by 'nobody'"),
    ],
)  # fmt: skip
def test_what_cannot_be_chosen_is_said_in_one_line(call: object, says: str) -> None:
    with pytest.raises(CaesuraError, match=says) as caught:
        call()  # type: ignore[operator]
    assert "\n" not in str(caught.value)
