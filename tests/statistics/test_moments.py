"""Moments against the formulas, and normal theory against the bootstrap."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from caesura.statistics import Bootstrap, Statistic
from caesura.statistics.moments import Estimate, Moments

tables = stn.arrays(
    np.float64, st.tuples(st.integers(0, 12), st.integers(1, 3)), elements=st.floats(-1e6, 1e6, width=32)
)


@given(tables, st.randoms())
def test_any_division_and_order_gives_the_same_moments(table, rng):
    order = rng.sample(range(len(table)), len(table))
    cut = rng.randint(0, len(table))
    parts = table[order[:cut]], table[order[cut:]]
    assert Moments.of(parts[0]) + Moments.of(parts[1]) == Moments.of(table)


@pytest.mark.parametrize("whole", [True, False])
def test_covariance_is_that_of_the_sums(whole):
    rng = np.random.default_rng(3)
    table = rng.integers(0, 40, (17_000, 3)).astype(float) if whole else rng.random((17_000, 3)) * 40
    n = len(table)
    expected = n * np.cov(table, rowvar=False)
    assert Moments.of(table).covariance() == pytest.approx(expected, rel=1e-9)
    assert Moments.of(table).totals.tolist() == [math.fsum(column) for column in table.T]


def test_a_ratio_has_the_error_of_the_textbook():
    rng = np.random.default_rng(5)
    x = rng.integers(1, 30, 500).astype(float)
    y = np.floor(x * rng.random(500))
    ratio, n = y.sum() / x.sum(), len(x)
    variance = n / (n - 1) * ((y - ratio * x) ** 2).sum() / x.sum() ** 2
    found = Moments.of(np.column_stack([y, x])).estimate(lambda sums: sums[0] / sums[1])
    assert found.value == ratio
    assert found.error == pytest.approx(math.sqrt(variance), rel=1e-8)


def test_columns_are_taken_in_any_order():
    table = np.random.default_rng(0).random((50, 4))
    assert Moments.of(table).take([3, 0, 2]) == Moments.of(table[:, [3, 0, 2]])


@pytest.mark.parametrize("pooled", [True, False])
def test_normal_and_bootstrap_intervals_agree_on_many_documents(pooled):
    rng = np.random.default_rng(7)
    length = rng.integers(5, 60, 4_000).astype(float)
    errors = rng.binomial(length.astype(int), rng.beta(2, 5, 4_000)).astype(float)
    if pooled:
        statistic = Statistic.pooled(np.column_stack([errors, length]), lambda s: s[..., 0] / s[..., 1])
    else:
        statistic = Statistic.mean(errors / length)
    bootstrap = Bootstrap(4_000, 4_000, seed=1)
    resampled = bootstrap.interval(bootstrap.replicates([statistic])[0], 4_000)
    normal = Moments.of(statistic.columns).estimate(statistic.score).interval()
    # The ends of 4,000 resamples vary by about 3 % of the width themselves.
    assert normal.low == pytest.approx(resampled.low, abs=0.05 * resampled.width)
    assert normal.high == pytest.approx(resampled.high, abs=0.05 * resampled.width)
    assert normal.resamples == 0


def test_what_does_not_vary_or_is_not_finite():
    same = Moments.of(np.ones((5, 2))).estimate(lambda sums: sums[0] / sums[1])
    assert same == Estimate(1.0, 0.0)
    assert math.isnan(same.p_value)
    with np.errstate(invalid="ignore"):
        infinite = Moments.of(np.array([[np.inf, 1.0], [1.0, 1.0]])).estimate(lambda sums: sums[0] / sums[1])
    assert math.isinf(infinite.value)
    assert math.isnan(infinite.error)
    assert math.isnan(Moments.of(np.ones((1, 1))).estimate(lambda sums: sums[0]).error)


def test_p_values_are_those_of_the_normal_distribution():
    assert Estimate(1.959963984540054, 1.0).p_value == pytest.approx(0.05, rel=1e-12)
    assert Estimate(-3.0, 2.0).p_value == pytest.approx(0.13361440253771614, rel=1e-12)


def test_a_covariance_beyond_the_range_of_floats_is_undefined():
    moments = Moments.of(np.array([[1e154, 1.0], [-1e154, 2.0], [1e154, 4.0]]))
    huge = sum([moments] * 50, start=moments)
    covariance = huge.covariance()
    assert np.isnan(covariance[0, 0])
    assert np.isfinite(covariance[1]).all()
    assert math.isnan(huge.estimate(lambda sums: sums[0]).error)
