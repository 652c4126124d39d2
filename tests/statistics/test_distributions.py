"""The normal distribution and Student's t against scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from caesura.statistics.distributions import normal_cdf, normal_quantile, t_cdf, t_quantile

RNG = np.random.default_rng(3)
FREEDOM = [1, 1.01, 1.5, 2, 2.5, 3, 7.3, 10, 29, 119.9, 120, 121, 5_000, 20_000, 1e6, *RNG.uniform(1, 300, 40).tolist()]
TAILS = [1e-9, 1e-5, 0.001, 0.0249, 0.025, 0.05, 0.2, 0.4999, 0.5, 0.5001, 0.9, 0.975, 1 - 1e-6]


@pytest.mark.parametrize("x", [-30.0, -8.1, -1.96, -1e-9, 0.0, 0.3, 1.96, 5.0, 40.0])
def test_normal(x: float) -> None:
    assert normal_cdf(x) == pytest.approx(ndtr(x), rel=1e-13)


@pytest.mark.parametrize("p", [*TAILS, 1e-300])
def test_normal_quantile(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(ndtri(p), rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_t(freedom: float) -> None:
    for x in (-200.0, -12.7, -4.0, -1.96, -0.5, -1e-6, 0.0, 0.7, 2.0, 30.0):
        assert t_cdf(freedom, x) == pytest.approx(stdtr(freedom, x), rel=1e-9)
    for p in TAILS:
        assert t_quantile(freedom, p) == pytest.approx(stdtrit(freedom, p), rel=1e-9, abs=1e-9)


def test_ends() -> None:
    assert (normal_quantile(0), normal_quantile(1), t_quantile(3, 0)) == (-math.inf, math.inf, -math.inf)
    assert math.isnan(normal_quantile(1.5))
    assert (t_cdf(3, -math.inf), t_cdf(3, math.inf)) == (0.0, 1.0)
    assert math.isnan(t_cdf(3, math.nan))
