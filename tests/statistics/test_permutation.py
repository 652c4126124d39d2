"""Paired permutation tests against enumeration by hand and against scipy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from caesura.statistics import Permutation, Statistic, permutation

SMALL = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=7)


def rate(sums: np.ndarray) -> np.ndarray:
    top, bottom = sums[..., 0], sums[..., 1]
    return np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)


def p_of_means(first, second, **options) -> float:
    test = Permutation(len(first), **options)
    return test.exchanged([(Statistic.mean(np.asarray(first)), Statistic.mean(np.asarray(second)))])[0].p_value()


def brute(first: np.ndarray, second: np.ndarray, score, *, two_sided: bool = True) -> float:
    """Exchange the rows in each of the 2**n ways, one after the other."""
    size = abs if two_sided else lambda number: number
    observed = size(score(first) - score(second))
    gains = []
    for ways in itertools.product((False, True), repeat=len(first)):
        taken = np.array(ways)[:, None]
        gains.append(size(score(np.where(taken, second, first)) - score(np.where(taken, first, second))))
    return float(np.mean([gain >= observed - 1e-12 for gain in gains]))


@given(SMALL)
def test_means_against_every_sign(pairs) -> None:
    first, second = np.array(pairs, dtype=float).T / 7
    expected = brute(first[:, None], second[:, None], lambda rows: rows.mean())
    assert p_of_means(first, second) == pytest.approx(expected)


@given(SMALL, st.booleans())
def test_pooled_counts_against_every_exchange(pairs, two_sided: bool) -> None:
    counts = np.array(pairs, dtype=float)
    first, second = (
        np.column_stack([counts[:, 0], counts.sum(axis=1) + 1]),
        np.column_stack([counts[:, 1], counts[:, 0] + 2]),
    )
    exchanged = Permutation(len(first)).exchanged([(Statistic.pooled(first, rate), Statistic.pooled(second, rate))])[0]
    expected = brute(first, second, lambda rows: float(rate(rows.sum(axis=0))), two_sided=two_sided)
    assert exchanged.exact
    assert exchanged.p_value(alternative="two-sided" if two_sided else "greater") == pytest.approx(expected)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("n", [8, 40])
def test_against_scipy(alternative, n: int) -> None:
    rng = np.random.default_rng(n)
    first, second = rng.beta(3, 2, n), rng.beta(2.6, 2, n)
    exchanged = Permutation(n, 9999, 3).exchanged([(Statistic.mean(first), Statistic.mean(second))])[0]
    theirs = stats.permutation_test(
        (first, second),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=9999,
        alternative=alternative,
        rng=np.random.default_rng(1),
    ).pvalue
    assert exchanged.exact == (n == 8)
    assert exchanged.p_value(alternative=alternative) == pytest.approx(theirs, abs=1e-12 if n == 8 else 0.02)


def test_sampled_agrees_with_enumerated() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.random(13), rng.random(13) - 0.2
    exact = p_of_means(first, second, permutations=2**13)
    assert p_of_means(first, second, permutations=2**13 - 1, seed=4) == pytest.approx(exact, abs=0.015)


def test_equal_systems_have_p_one() -> None:
    values = np.random.default_rng(1).random(50)
    assert p_of_means(values, values.copy()) == 1.0
    assert p_of_means([0.3], [0.9]) == 1.0
    # Differences that cancel: none is larger than none.
    assert p_of_means([0.1, 0.2] * 20, [0.2, 0.1] * 20) == 1.0


def test_rounding_breaks_no_tie() -> None:
    # All differences are 0.1 up to rounding: only the two extreme ways are as large.
    first = np.array([0.3, 0.7, 0.8, 0.9, 1.1])
    assert p_of_means(first, first - 0.1) == pytest.approx(2 / 2**5)


def test_documents_without_a_difference_cost_nothing() -> None:
    rng = np.random.default_rng(5)
    first = rng.random(4000)
    second = first.copy()
    second[[3, 700, 2100]] -= 0.2
    exchanged = Permutation(4000).exchanged([(Statistic.mean(first), Statistic.mean(second))])[0]
    assert exchanged.exact
    assert exchanged.p_value() == pytest.approx(2 / 2**3)


def test_undefined_documents_are_no_difference() -> None:
    first, second = np.array([0.9, np.nan, 0.8]), np.array([0.1, 0.4, 0.2])
    shared = ~np.isnan(first) & ~np.isnan(second)
    exchanged = Permutation(3).exchanged([(Statistic.mean(first, shared), Statistic.mean(second, shared))])[0]
    assert exchanged.p_value() == pytest.approx(brute(first[shared, None], second[shared, None], lambda r: r.mean()))


def test_undefined_scores() -> None:
    nothing = Statistic.mean(np.array([np.nan, np.nan]))
    assert math.isnan(Permutation(2).exchanged([(nothing, nothing)])[0].p_value())
    # Exchanging may leave a rate without a denominator: counted as extreme, which is on the safe side.
    first, second = np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, 4.0]])
    p = Permutation(2).exchanged([(Statistic.pooled(first, rate), Statistic.pooled(second, rate))])[0].p_value()
    assert p == 1.0


def test_seeds_blocks_and_company_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    columns = [Statistic.mean(rng.random(30)) for _ in range(3)]
    pairs = list(itertools.combinations(columns, 2))
    together = [found.p_value() for found in Permutation(30, 500, 1).exchanged(pairs)]
    assert together == [Permutation(30, 500, 1).exchanged([pair])[0].p_value() for pair in pairs]
    assert together != [found.p_value() for found in Permutation(30, 500, 2).exchanged(pairs)]
    draws = np.concatenate(list(Permutation(30, 500, 1).draws()))
    assert set(np.unique(draws)) == {0.0, 1.0}
    assert draws.mean() == pytest.approx(0.5, abs=0.02)
    monkeypatch.setattr(permutation, "_CELLS_IN_A_BLOCK", 31 * 8)
    assert together == [found.p_value() for found in Permutation(30, 500, 1).exchanged(pairs)]


@pytest.mark.parametrize("n", [*range(1, 42), 63, 64, 65, 100, 129])
def test_draws_are_the_same_in_blocks_of_any_size(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = np.concatenate(list(Permutation(n, 50, 3).draws()))
    assert whole.shape == (50, n)
    for rows in (1, 4, 7, 13, 49):
        monkeypatch.setattr(permutation, "_CELLS_IN_A_BLOCK", rows * n)
        blocks = list(Permutation(n, 50, 3).draws())
        assert len(blocks) > 1
        np.testing.assert_array_equal(np.concatenate(blocks), whole)


def test_another_gain() -> None:
    first, second = np.full(6, 0.5), np.full(6, 1.5)
    exchanged = Permutation(6).exchanged([(Statistic.mean(first), Statistic.mean(second))])[0]
    assert exchanged.p_value() == pytest.approx(2 / 64)
    assert exchanged.p_value(lambda a, b: np.abs(b - 1) - np.abs(a - 1)) == 1.0


def test_no_pairs() -> None:
    assert Permutation(5).exchanged([]) == []
