"""The normal limit of resamples and permutations against the draws that it takes the place of."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.statistics import Bootstrap, Permutation, Statistic
from caesura.statistics.normal import DRAWN_FROM, are_normal, normal_sums

N = 2_000


@pytest.fixture
def many(monkeypatch):
    """Let this many documents be very many."""

    def set_to(documents: int) -> None:
        monkeypatch.setattr("caesura.statistics.bootstrap.DRAWN_FROM", documents)
        monkeypatch.setattr("caesura.statistics.permutation.DRAWN_FROM", documents)

    return set_to


def rate(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def statistics(seed: int = 1) -> list[Statistic]:
    rng = np.random.default_rng(seed)
    scores = rng.random(N)
    units = rng.integers(20, 60, N).astype(float)
    counts = np.column_stack([rng.binomial(units.astype(int), 0.3), units]).astype(float)
    return [Statistic.mean(scores), Statistic.mean(0.9 * scores), Statistic.pooled(counts, rate)]


def test_the_limit_is_for_very_many_documents_only():
    assert DRAWN_FROM == 20_000
    few = Bootstrap(N, 50, seed=2)
    drawn = np.concatenate(list(few.draws()))
    table = statistics()[2].columns
    assert np.array_equal(few.sums(table), drawn @ table)


def test_intervals_agree_with_those_of_resamples(many):
    made, bootstrap = statistics(), Bootstrap(N, 4_000, seed=3)
    drawn = [bootstrap.interval(each, N) for each in bootstrap.replicates(made)]
    many(N)
    limit = [bootstrap.interval(each, N) for each in bootstrap.replicates(made)]
    assert [each.low for each in limit] != [each.low for each in drawn]
    for one, other in zip(limit, drawn, strict=True):
        assert one.low == pytest.approx(other.low, abs=0.06 * other.width)
        assert one.high == pytest.approx(other.high, abs=0.06 * other.width)


def test_sums_keep_the_covariance_of_resamples(many):
    made, bootstrap = statistics(), Bootstrap(N, 20_000, seed=4)
    many(N)
    first, second, _ = bootstrap.replicates(made)
    assert np.allclose(second, 0.9 * first, rtol=1e-9)  # what depends on the same documents moves together
    assert first.std() == pytest.approx(made[0].columns[:, 0].std() / np.sqrt(N), rel=0.03)


@pytest.mark.parametrize("shift", [0.0, 0.003, 0.006, 0.05])
def test_p_values_agree_with_those_of_permutations(many, shift):
    rng = np.random.default_rng(5)
    scores = rng.random(N)
    others = scores + rng.normal(shift, 0.1, N)
    couple = Statistic.mean(scores), Statistic.mean(others)
    test = Permutation(N, 4_999, seed=6)
    drawn = test.exchanged([couple])[0].p_value()
    many(N)
    limit = test.exchanged([couple])[0].p_value()
    assert limit == pytest.approx(drawn, abs=0.025)
    assert (limit < 0.05) == (drawn < 0.05)


def test_equal_systems_stay_equal(many):
    many(N)
    same = statistics()[0]
    assert Permutation(N, 99).exchanged([(same, same)])[0].p_value() == 1.0
    first, second = Bootstrap(N, 99).replicates([same, same])
    assert np.array_equal(first, second)


@pytest.mark.parametrize("odd", [1e6, np.inf])
def test_where_few_documents_matter_the_documents_are_drawn(many, odd):
    table = np.random.default_rng(7).random((N, 1))
    table[3] = odd
    bootstrap = Bootstrap(N, 20, seed=8)
    drawn = bootstrap.sums(table)
    many(N)
    assert np.array_equal(bootstrap.sums(table), drawn)


def test_two_systems_that_differ_on_few_documents_are_exchanged_there(many):
    scores = np.random.default_rng(9).random(N)
    others = scores.copy()
    others[:100] += 0.1
    couple = Statistic.mean(scores), Statistic.mean(others)
    drawn = Permutation(N, 199, seed=1).exchanged([couple])[0]
    many(N)
    assert np.array_equal(Permutation(N, 199, seed=1).exchanged([couple])[0].first, drawn.first)


def test_a_column_that_hardly_varies_beside_its_sum_does_not_matter():
    defined = np.ones((N, 1))
    defined[3] = 0.0
    centred = defined - defined.mean(axis=0)
    assert not are_normal(centred)
    assert are_normal(centred, defined.sum(axis=0))


def test_columns_that_depend_on_others_can_be_drawn():
    rows = np.random.default_rng(10).normal(size=(50, 2))
    rows = np.column_stack([rows, rows.sum(axis=1), np.zeros(50)])
    drawn = normal_sums(np.array([1.0, 2.0, 3.0, 4.0]), rows, 200_000, seed=11)
    assert np.allclose(drawn[:, 2], drawn[:, 0] + drawn[:, 1], atol=1e-4)
    assert (drawn[:, 3] == 4.0).all()
    assert np.allclose(np.cov(drawn.T), rows.T @ rows, rtol=0.03, atol=0.6)
