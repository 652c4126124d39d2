# SPDX-License-Identifier: Apache-2.0
"""Variances over documents and runs: by hand, and the coverage of intervals in a simulation whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.statistics import Bootstrap, Statistic
from caesura.statistics.runs import run_spread


def test_variances_are_those_of_the_textbook() -> None:
    cells = np.array([[0.2, 0.4, 0.3], [0.5, 0.9, 0.4], [0.1, 0.2, 0.6], [0.7, 0.8, 0.9]])
    n, r = cells.shape
    found = run_spread([Statistic.mean(cells[:, run]) for run in range(r)])
    mean = cells.mean()
    between = sum((cells[:, run].mean() - mean) ** 2 for run in range(r)) * n / (r - 1)
    rest = sum(
        (cells[d, run] - cells[d].mean() - cells[:, run].mean() + mean) ** 2 for d in range(n) for run in range(r)
    ) / ((n - 1) * (r - 1))
    documents = sum((cells[d].mean() - mean) ** 2 for d in range(n)) * r / (n - 1)
    assert found.rest == pytest.approx(rest)
    assert found.of_runs == pytest.approx(max(0.0, (between - rest) / n))
    assert found.of_documents == pytest.approx((documents - rest) / r)
    assert found.values.tolist() == pytest.approx(cells.mean(axis=0).tolist())


def test_a_pooled_score_with_equal_weights_has_the_variances_of_the_mean() -> None:
    cells = np.random.default_rng(3).random((30, 4))
    means = run_spread([Statistic.mean(column) for column in cells.T])
    pooled = run_spread(
        [
            Statistic.pooled(np.column_stack([column, np.ones(30)]), lambda sums: sums[..., 0] / sums[..., 1])
            for column in cells.T
        ]
    )
    for name in ("of_documents", "of_runs", "rest"):
        assert getattr(pooled, name) == pytest.approx(getattr(means, name), rel=1e-4, abs=1e-9)


def test_enough_runs_are_those_after_which_the_interval_hardly_narrows() -> None:
    cells = np.random.default_rng(1).normal(0, 1, (40, 1)) + np.random.default_rng(2).normal(0, 1, (40, 5))
    found = run_spread([Statistic.mean(column) for column in cells.T])
    assert found.enough is not None
    limit = 1.05 * found.error(10**9)
    assert found.error(found.enough) <= limit < found.error(found.enough - 1)


@pytest.mark.parametrize("few", [np.empty((1, 3)), np.ones((5, 1)), np.full((5, 3), 0.4)])
def test_too_few_or_equal_values_add_nothing(few: np.ndarray) -> None:
    found = run_spread([Statistic.mean(column) for column in few.T])
    assert not found.draws(5, 0).any()
    assert found.enough is None


@pytest.mark.parametrize(
    ("documents", "runs", "of_runs"), [(40, 5, 0.0), (40, 5, 0.15), (200, 5, 0.15), (60, 4, 0.3), (100, 10, 0.1)]
)
def test_intervals_cover_the_mean_over_other_documents_and_runs(documents: int, runs: int, of_runs: float) -> None:
    """The true mean is 0; of 600 intervals at 95 %, .93 to .97 contain it. Without the runs, far fewer do where runs differ."""
    rng, trials = np.random.default_rng(12), 600
    covered = without = 0
    for trial in range(trials):
        cells = (
            rng.normal(0, 0.5, (documents, 1)) + rng.normal(0, of_runs, runs) + rng.normal(0, 0.5, (documents, runs))
        )
        bootstrap = Bootstrap(documents, 500, trial)
        plain = bootstrap.mean(cells.mean(axis=1))
        drawn = plain + run_spread([Statistic.mean(column) for column in cells.T]).draws(500, trial)
        covered += 0 in bootstrap.interval(drawn, documents)
        without += 0 in bootstrap.interval(plain, documents)
    assert 0.93 <= covered / trials <= 0.97
    if of_runs >= 0.15:
        assert without / trials < 0.9
