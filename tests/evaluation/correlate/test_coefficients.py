"""Coefficients against brute force, and the partial correlation against the correlation of residuals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from caesura.evaluation.correlate.coefficients import kendall, ordered, partial, pearson, ranks, spearman, tied_pairs


def tau_b(x, y):
    """Kendall's tau-b, pair by pair."""
    same = other = tie_x = tie_y = 0
    for (a, b), (c, d) in itertools.combinations(zip(x, y, strict=True), 2):
        product = (a - c) * (b - d)
        same += product > 0
        other += product < 0
        tie_x += a == c
        tie_y += b == d
    pairs = math.comb(len(x), 2)
    return (same - other) / math.sqrt((pairs - tie_x) * (pairs - tie_y))


@pytest.mark.parametrize("seed", range(20))
def test_rows_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, (4, 7)).astype(float), rng.integers(0, 6, (4, 7)).astype(float)
    for row in range(4):
        assert pearson(x, y)[row] == pytest.approx(np.corrcoef(x[row], y[row])[0, 1])
        assert kendall(x, y)[row] == pytest.approx(tau_b(x[row], y[row]))
        by_hand = [np.mean([k + 1 for k, v in enumerate(sorted(x[row])) if v == value]) for value in x[row]]
        assert ranks(x)[row].tolist() == by_hand
    assert spearman(x, y).tolist() == pytest.approx(pearson(ranks(x), ranks(y)).tolist())


@pytest.mark.parametrize("seed", range(20))
def test_ordered_pairs_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, 6).astype(float), rng.integers(0, 4, 6).astype(float)
    pairs = list(itertools.combinations(range(6), 2))
    apart = [(a, b) for a, b in pairs if y[a] != y[b]]
    right = [0.5 if x[a] == x[b] else float((x[a] - x[b]) * (y[a] - y[b]) > 0) for a, b in apart]
    assert ordered(x[None], y[None])[0] == pytest.approx(np.mean(right))
    assert tied_pairs(y) == len(pairs) - len(apart)


def test_partial_is_the_correlation_of_residuals():
    rng = np.random.default_rng(1)
    z = rng.normal(size=12)
    x, y = 2 * z + rng.normal(size=12), -z + rng.normal(size=12)

    def residuals(v):
        design = np.stack([np.ones(12), z], axis=1)
        return v - design @ np.linalg.lstsq(design, v, rcond=None)[0]

    a, b, c = (v[None, :] for v in (x, y, z))
    found = partial(pearson(a, b), pearson(a, c), pearson(b, c))[0]
    assert found == pytest.approx(np.corrcoef(residuals(x), residuals(y))[0, 1])


def test_what_does_not_vary_has_no_coefficient():
    flat, rising = np.full((1, 4), 0.1 + 0.2), np.array([[1.0, 2.0, 3.0, 4.0]])
    for coefficient in (pearson, spearman, kendall):
        assert math.isnan(coefficient(flat, rising)[0])
    assert (ordered(flat, rising)[0], math.isnan(ordered(rising, flat)[0])) == (0.5, True)
    assert math.isnan(partial(np.array([0.5]), np.array([1.0]), np.array([0.2]))[0])
    assert partial(np.array([0.5]), np.array([np.nan]), np.array([np.nan])).tolist() == [0.5]
