"""Rates of an adaptive selector under several candidate thresholds."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.errors import DeclarationError
from caesura.selectors.adaptive import AdaptiveSelector
from caesura_reproductions.adaptive import adaptive_invariance


def test_counts_are_those_of_the_selector():
    scores = np.random.default_rng(3).random(300)
    selector = AdaptiveSelector(rate=0.2, min_gap=2, horizon=3)
    found = adaptive_invariance(scores, (0.9, 0.4), selector)
    cuts = [float(np.quantile(scores, q)) for q in (0.1, 0.6)]
    runs = [
        {c.gap for c in AdaptiveSelector(rate=0.2, min_gap=2, horizon=3, candidate_threshold=cut).run(scores)}
        for cut in cuts
    ]
    assert found.selected == tuple(tuple(sorted(run)) for run in runs)
    assert found.thresholds == pytest.approx(cuts)
    assert found.rates == tuple(len(run) / 300 for run in runs)
    assert found.overlap == len(runs[0] & runs[1]) / len(runs[0] | runs[1])
    assert found.candidates == pytest.approx((0.9, 0.4), abs=0.005)


def test_the_threshold_is_carried_over_documents():
    documents = [np.random.default_rng(seed).random(12) for seed in range(30)]
    selector = AdaptiveSelector(rate=0.2, min_gap=2, horizon=3)
    found = adaptive_invariance(documents, (1.0,), selector)
    runs = selector.run_all(documents)
    assert found.selected[0] == tuple(sorted(12 * i + c.gap for i, run in enumerate(runs) for c in run))
    assert found.rates == (len(found.selected[0]) / 360,)
    with pytest.raises(DeclarationError, match="needs scores"):
        adaptive_invariance([], (1.0,), selector)


@pytest.mark.parametrize("shares", [(), (0.0,), (1.1,)])
def test_shares_that_mean_nothing_are_refused(shares):
    with pytest.raises(DeclarationError, match="shares above 0"):
        adaptive_invariance(np.ones(3), shares, AdaptiveSelector())


@pytest.mark.parametrize(("window", "reached"), [(50, 0.177), (200, 0.170)])
def test_the_rate_of_figure_3_comes_out_whichever_gaps_are_candidates(window, reached):
    """The candidate rates and the target of the figure; above the target by the gaps that are not decided yet."""
    scores = np.random.RandomState(0).random_sample(8999)
    selector = AdaptiveSelector(rate=0.167, min_gap=2, horizon=3, window=window)
    found = adaptive_invariance(scores, (0.735, 0.577), selector)
    assert found.rates == pytest.approx((reached, reached), abs=5e-4)
