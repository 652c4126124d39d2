# SPDX-License-Identifier: Apache-2.0
"""The normal distribution and Student's t, for single numbers.

scipy has both, but importing `scipy.special` takes 0.14 s, as long as everything else in the evaluation of a small corpus. The tests
compare these functions with scipy's.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist

__all__ = ["normal_cdf", "normal_quantile", "t_cdf", "t_quantile"]

_NORMAL = NormalDist()
_SMALL = 3e-16
_TERMS = 100_000
_STEPS = 200
_SERIES = 60.0  # from here on, the ratio of two gamma functions by its series has every digit


def normal_cdf(x: float) -> float:
    """Return the probability of a standard normal value below ``x``.

    >>> round(normal_cdf(-1.959964), 6)
    0.025
    """
    return 0.5 * math.erfc(-x / math.sqrt(2))


def normal_quantile(p: float) -> float:
    """Return the value below which a standard normal value lies with probability ``p``; infinite for 0 and 1.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    if 0 < p < 1:
        return _NORMAL.inv_cdf(p)
    return math.copysign(math.inf, p - 0.5) if p in (0, 1) else math.nan


def t_cdf(freedom: float, t: float) -> float:
    """Return the probability of a value of Student's t below ``t``.

    >>> round(t_cdf(10, -2.228139), 6)
    0.025
    """
    if math.isnan(t):
        return t
    tail = 0.5 * _outside(freedom, t * t / freedom) if math.isfinite(t) else 0.0
    return tail if t < 0 else 1 - tail


@functools.lru_cache(maxsize=1024)
def t_quantile(freedom: float, p: float) -> float:
    """Return the value below which a value of Student's t lies with probability ``p``.

    >>> round(t_quantile(10, 0.025), 6), round(t_quantile(2.5, 0.975), 6)
    (-2.228139, 3.574655)
    """
    if not 0 < p < 1:
        return normal_quantile(p)
    if p > 0.5:
        return -t_quantile(freedom, 1 - p)
    low, high = -math.inf, 0.0
    t = _first_guess(freedom, p)
    for _ in range(_STEPS):
        found = t_cdf(freedom, t) - p
        low, high = (t, high) if found < 0 else (low, t)
        following = t - found / _t_density(freedom, t)
        if not low < following < high:
            following = 2 * t if low == -math.inf else (low + high) / 2
        if abs(following - t) <= 1e-14 * max(1.0, -t):
            return following
        t = following
    return t


def _first_guess(freedom: float, p: float) -> float:
    """Return the first terms of the expansion of the quantile around the normal one; for few degrees of freedom, by the tail."""
    if freedom < 3:
        return -math.sqrt(freedom) * max(math.pow(2 * p, -1 / freedom) - 1, 1e-8)
    z = normal_quantile(p)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _t_density(freedom: float, t: float) -> float:
    scale = _gamma_ratio(freedom / 2) / math.sqrt(freedom * math.pi)
    return scale * math.exp(-(freedom + 1) / 2 * math.log1p(t * t / freedom))


def _gamma_ratio(a: float) -> float:
    """Return gamma(a + 1/2) / gamma(a)."""
    if a < _SERIES:
        return math.exp(math.lgamma(a + 0.5) - math.lgamma(a))
    x = 1 / a
    series = 1 + x * (-1 / 8 + x * (1 / 128 + x * (5 / 1024 + x * (-21 / 32768 + x * (-399 / 262144)))))
    return math.sqrt(a) * series


def _outside(freedom: float, square: float) -> float:
    """Return the probability of a larger absolute value, given its square over the degrees of freedom.

    It is the regularised incomplete beta function of 1 / (1 + square) with parameters freedom / 2 and 1 / 2.
    """
    if square == 0:
        return 1.0
    a, b, x, rest = freedom / 2, 0.5, 1 / (1 + square), square / (1 + square)
    front = _gamma_ratio(a) / math.sqrt(math.pi) * math.exp(-a * math.log1p(square)) * math.sqrt(rest)
    # On each side of the mean, one of two continued fractions converges quickly.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < _SMALL:
            break
    return value


def _away(value: float) -> float:
    """Return a value that can be divided by."""
    return value if abs(value) > 1e-300 else 1e-300
