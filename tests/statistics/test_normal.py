"""When normal theory takes the place of draws, and that it agrees with them."""

from __future__ import annotations

import numpy as np
import pytest

from caesura.statistics import Bootstrap, Permutation, Statistic
from caesura.statistics.moments import Estimate, Joint, Moments
from caesura.statistics.statistic import NORMAL_FROM, RESAMPLED_TO, are_spread, is_normal

N = 2_000


def rate(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def statistics(seed: int = 1) -> list[Statistic]:
    rng = np.random.default_rng(seed)
    units = rng.integers(20, 60, N)
    counts = np.column_stack([rng.binomial(units, 0.3), units]).astype(float)
    scores = rng.random(N)
    some = np.where(rng.random(N) < 0.1, np.nan, scores)
    return [Statistic.mean(scores), Statistic.mean(some), Statistic.pooled(counts, rate)]


@pytest.mark.parametrize(
    ("documents", "spread", "expected"),
    [
        (NORMAL_FROM - 1, True, False),
        (NORMAL_FROM, True, True),
        (NORMAL_FROM, False, False),
        (RESAMPLED_TO, False, False),
        (RESAMPLED_TO + 1, False, True),
    ],
)
def test_the_rule(documents, spread, expected):
    influences = [np.ones(300), np.ones(300 if spread else 299)]
    assert is_normal(documents, influences) is expected


def test_few_documents_that_differ_are_few_however_many_there_are():
    scores = np.random.default_rng(9).random(N)
    others = scores.copy()
    others[:100] += 0.1
    one, other = (Statistic.mean(values).influences() for values in (scores, others))
    assert are_spread(one)
    assert are_spread(other)
    assert not are_spread(one - other)


@pytest.mark.parametrize("place", range(3))
def test_influences_are_those_of_leaving_a_document_out(place):
    statistic = statistics()[place]
    without = statistic.value - statistic.without()
    assert np.allclose(statistic.influences(), without, rtol=2e-2, atol=1e-7)


@pytest.mark.parametrize("place", range(3))
def test_errors_are_those_of_moments_and_of_resamples(place):
    statistic = statistics()[place]
    found = Estimate.of(statistic)
    exact = Moments.of(statistic.columns).estimate(statistic.score)
    assert found == pytest.approx(exact, rel=1e-6)
    drawn = Bootstrap(N, 4_000, seed=3).replicates([statistic])[0]
    assert found.error == pytest.approx(float(drawn.std()), rel=0.05)


@pytest.mark.parametrize("shift", [0.0, 0.003, 0.006, 0.05])
@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_p_values_agree_with_those_of_permutations(shift, alternative):
    rng = np.random.default_rng(5)
    scores = rng.random(N)
    one, other = Statistic.mean(scores + rng.normal(shift, 0.1, N)), Statistic.mean(scores)
    drawn = Permutation(N, 4_999, seed=6).exchanged([(one, other)])[0].p_value(alternative=alternative)
    found = Joint.of({"one": one, "other": other}).between("one", "other", lambda a, b: a - b)
    normal = found.p_value if alternative == "two-sided" else found.p_greater
    assert normal == pytest.approx(drawn, abs=0.025)
    assert (normal < 0.05) == (drawn < 0.05)


def test_equal_systems_are_equal():
    same = statistics()[0]
    found = Joint.of({"one": same, "other": same}).between("one", "other", lambda a, b: a - b)
    assert (found.value, found.p_value, found.p_greater) == (0.0, 1.0, 1.0)
