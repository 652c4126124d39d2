"""Statistics of resamples, the expanded interval, and the p-value that belongs to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from caesura.statistics import Bootstrap, Statistic, bootstrap

RNG = np.random.default_rng(8)
VALUES = RNG.beta(2, 3, 25)
COUNTS = RNG.integers(0, 9, size=(25, 2)).astype(float) + np.array([0.0, 3.0])


def rate(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def test_replicates_are_those_of_the_documents_drawn() -> None:
    places = np.random.default_rng(5).integers(0, 25, size=(60, 25))
    some = np.where(np.arange(25) % 4 == 0, np.nan, VALUES)
    mean, partial, pooled = Bootstrap(25, 60, 5).replicates(
        [Statistic.mean(VALUES), Statistic.mean(some), Statistic.pooled(COUNTS, rate)]
    )
    np.testing.assert_allclose(mean, VALUES[places].mean(axis=1))
    np.testing.assert_allclose(partial, np.nanmean(some[places], axis=1))
    np.testing.assert_allclose(pooled, rate(COUNTS[places].sum(axis=1)))
    np.testing.assert_allclose(mean, Bootstrap(25, 60, 5).mean(VALUES))


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Bootstrap(25, 60, 5).replicates([Statistic.pooled(COUNTS, rate)])[0]
    monkeypatch.setattr(bootstrap, "_CELLS_IN_A_BLOCK", 70)
    np.testing.assert_array_equal(Bootstrap(25, 60, 5).replicates([Statistic.pooled(COUNTS, rate)])[0], expected)


def test_nothing_to_replicate() -> None:
    assert Bootstrap(4).replicates([]) == []
    alone = Statistic.mean(np.array([0.5, np.nan, np.nan]))
    replicates = Bootstrap(3, 20).replicates([alone])[0]
    assert np.isnan(replicates).all()
    assert math.isnan(Bootstrap(3, 20).interval(replicates).low)
    assert math.isnan(Bootstrap(3, 20).p_value(replicates))
    assert math.isnan(Bootstrap(1, 20).p_value(np.ones(20)))


def test_a_paired_interval_agrees_with_scipy() -> None:
    other = np.clip(VALUES + RNG.normal(0.05, 0.1, 25), 0, 1)
    ours = Bootstrap(25, 9999, 1)
    first, second = ours.replicates([Statistic.mean(other), Statistic.mean(VALUES)])
    interval = ours.interval(first - second)
    theirs = stats.bootstrap(
        (other, VALUES),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        paired=True,
        n_resamples=9999,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    assert interval.low == pytest.approx(theirs.low, abs=0.003)
    assert interval.high == pytest.approx(theirs.high, abs=0.003)


def test_the_expanded_interval_is_wider_for_few_and_the_same_for_many() -> None:
    ours = Bootstrap(10, 5000, 1)
    values = ours.replicates([Statistic.mean(VALUES[:10])])[0]
    assert ours.interval(values, 10).width > 1.1 * ours.interval(values).width
    assert ours.interval(values, 100_000).width == pytest.approx(ours.interval(values).width, rel=1e-3)
    assert math.isnan(ours.interval(values, 1).low)
    # About mean ± t s / √n, as a mean of ten should have it.
    half = stats.t.ppf(0.975, 9) * stats.sem(VALUES[:10])
    assert ours.interval(values, 10).width == pytest.approx(2 * half, rel=0.1)


def test_infinite_values_are_ends_like_others() -> None:
    values = np.array([1.0, 2.0, 3.0, math.inf] * 10)
    interval = Bootstrap(5, 40).interval(values)
    assert (interval.low, interval.high) == (1.0, math.inf)


@pytest.mark.parametrize("documents", [None, 5, 40])
def test_p_is_below_alpha_exactly_where_the_interval_leaves_zero_out(documents: int | None) -> None:
    rng = np.random.default_rng(4)
    for shift in np.linspace(-1, 1, 21):
        values = rng.normal(shift, 0.5, 1999)
        ours = Bootstrap(40, 1999)
        p = ours.p_value(values, documents)
        if abs(p - 0.05) > 0.005:
            assert (p < 0.05) == (0.0 not in ours.interval(values, documents))


def test_no_difference_has_p_one() -> None:
    assert Bootstrap(9, 50).p_value(np.zeros(50)) == 1.0
    assert Bootstrap(9, 50).p_value(np.full(50, 1e-17), 9) == 1.0
    assert Bootstrap(9, 99).p_value(np.ones(99)) == pytest.approx(0.02)
