"""Correlations of losses: those of SciPy, one at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

from caesura.evaluation.validate.correlations import correlate, rank_correlations


def test_rank_correlations_are_those_of_scipy() -> None:
    rng = np.random.default_rng(2)
    losses = np.round(rng.standard_normal((500, 6)), 1)
    losses[rng.random(losses.shape) < 0.15] = np.nan
    losses[rng.random(losses.shape) < 0.05] = np.inf
    losses[:3] = 1.0
    found = rank_correlations(losses)
    assert np.isnan(found[:3]).all()
    for row, value in zip(losses, found, strict=True):
        there = ~np.isnan(row)
        order = np.unique(row[there], return_inverse=True)[1]
        if there.sum() < 3 or len(set(order)) == 1:
            assert np.isnan(value)
        else:
            assert value == spearmanr(np.flatnonzero(there), order).statistic


def test_losses_of_a_metric_and_a_reference_metric_correlate_as_in_scipy() -> None:
    rng = np.random.default_rng(4)
    before = rng.standard_normal(300)
    after = [[np.round(before - rng.random(300), 2) for _ in range(3)] for _ in range(4)]
    losses = [[np.round(before - run + rng.random(300), 1) for run in runs] for runs in after]
    losses[1][2][7] = np.inf
    gains = [[before - run for run in runs] for runs in after]
    found = correlate({"ARPpair": gains}, {"Pk": losses})["ARPpair"]["Pk"]
    ours = np.concatenate([gain for runs in gains for gain in runs])
    theirs = np.concatenate([run for runs in losses for run in runs])
    kept = np.isfinite(theirs)
    assert found.points == 12 * 300 - 1
    assert found.pearson == pytest.approx(pearsonr(ours[kept], theirs[kept]).statistic, abs=1e-14)
    assert found.spearman == pytest.approx(spearmanr(ours[kept], theirs[kept]).statistic, abs=1e-14)
    assert found.kendall == kendalltau(ours[kept], theirs[kept]).statistic
