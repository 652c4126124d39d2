# SPDX-License-Identifier: Apache-2.0
"""Tests of paired differences: by resampling and permutation, or by normal theory if there are very many documents."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from caesura.evaluation.aggregate import Aggregate
from caesura.evaluation.intervals import by_normal_theory, ends_of
from caesura.metrics.base import Floats, Metric
from caesura.results import Comparison, Resampling, as_float, number
from caesura.results.compare.facts import DIFFERENT
from caesura.statistics import Bootstrap, Exchanges, Interval, Permutation, Statistic, holm, paired_effect
from caesura.statistics.moments import Joint

if TYPE_CHECKING:
    from caesura.evaluation.measured import Measured

__all__ = ["Drawn", "Normal", "Tested", "compared", "corrected", "settled", "tests_of"]

_EQUAL = 1e-12  # below this two scores differ by rounding only
_DRAWS = 100_000


class Tested(NamedTuple):
    """The interval of a difference, the p-value of the gain, and the paired effect of a mean."""

    interval: Interval
    p: float
    effect: float
    exact: bool = False
    p_bootstrap: float = math.nan


class Drawn:
    """Intervals from a paired bootstrap, p-values from paired permutations; all from the same draws."""

    def __init__(self, measured: Measured, bootstrap: Bootstrap, permutations: int) -> None:
        self._bootstrap, self._statistics = bootstrap, measured.statistics()
        self.resampling = Resampling(
            resamples=bootstrap.resamples, seed=bootstrap.seed, level=bootstrap.level, permutations=permutations
        )
        self._gains = {name: metric.facts().gain for name, metric in measured.metrics.items()}
        self._macro = {name: measured.aggregation(name) == "macro" for name in measured.metrics}
        self._replicates = measured.replicates(bootstrap)
        self._exchanges = Exchanges(
            Permutation(bootstrap.n, permutations, bootstrap.seed),
            [each for row in self._statistics.values() for each in row.values()],
        )

    def test(self, metric: str, first: str, second: str) -> Tested:
        """Test the difference of two systems on a metric."""
        one, other = self._statistics[metric][first], self._statistics[metric][second]
        exchanged, gain = self._exchanges.of(one, other), self._gains[metric]
        drawn = self._replicates[metric][first], self._replicates[metric][second]
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            differences, gains = drawn[0] - drawn[1], gain(*drawn)
        return Tested(
            interval=self._bootstrap.interval(differences, one.documents, one.left_out(other)),
            p=exchanged.p_value(gain),
            effect=_effect(one, other) if self._macro[metric] else math.nan,
            exact=exchanged.exact,
            p_bootstrap=self._bootstrap.p_value(gains, one.documents),
        )

    def replicates(self, metric: str, systems: Sequence[str]) -> Mapping[str, Floats]:
        """Return the scores of some systems on the resampled corpora."""
        return {system: self._replicates[metric][system] for system in systems}


class Normal:
    """Intervals and p-values from the moments of the documents: nothing is resampled.

    ``joint`` gives the scores of all systems on a metric as functions of moments, and ``means`` the number of documents of
    each macro score.
    """

    def __init__(
        self,
        metrics: Mapping[str, Metric],
        joint: Callable[[str], Joint],
        means: Mapping[str, int],
        level: float,
        seed: int = 0,
    ) -> None:
        self._metrics, self._means, self._level, self._seed = metrics, means, level, seed
        self._joint = functools.cache(joint)
        self.resampling = Resampling(resamples=0, seed=seed, level=level)

    @classmethod
    def of(cls, measured: Measured, level: float, seed: int) -> Normal:
        """Return the tests of systems whose documents are available."""
        statistics = measured.statistics()
        means = {
            name: next(iter(row.values())).documents
            for name, row in statistics.items()
            if measured.aggregation(name) == "macro"
        }
        return cls(measured.metrics, lambda name: Joint.of(statistics[name]), means, level, seed)

    def test(self, metric: str, first: str, second: str) -> Tested:
        """Test the difference of two systems on a metric."""
        joint, gain = self._joint(metric), self._metrics[metric].facts().gain
        differing = joint.between(first, second, operator.sub)
        gaining = joint.between(first, second, lambda one, other: float(gain(one, other)))
        effect = math.nan
        if metric in self._means and differing.error > 0:
            effect = differing.value / (differing.error * math.sqrt(self._means[metric]))
        # Equal systems have no difference and no error, so p is 1.
        p = 1.0 if differing.value == 0 and differing.error == 0 else gaining.p_value
        return Tested(differing.interval(self._level), p, effect)

    def replicates(self, metric: str, systems: Sequence[str]) -> Mapping[str, Floats]:
        """Return the scores of some systems, drawn from their joint normal distribution."""
        return self._joint(metric).draws(systems, _DRAWS, self._seed)


def tests_of(
    measured: Measured, pairs: Sequence[tuple[str, str]], bootstrap: Bootstrap, permutations: int
) -> Drawn | Normal:
    """Return the tests of some pairs of systems: by normal theory if there are very many documents, else drawn."""
    if by_normal_theory(measured, pairs):
        return Normal.of(measured, bootstrap.level, bootstrap.seed)
    return Drawn(measured, bootstrap, permutations)


def compared(
    metric: Metric,
    name: str,
    systems: tuple[str, str],
    aggregates: tuple[Aggregate, Aggregate],
    tested: Tested,
    total: int,
) -> Comparison:
    """Return the comparison of two systems on one of ``total`` documents; `settled` corrects its p-value."""
    ours, theirs = aggregates
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        difference, better_by = (ours.score - theirs.score, float(metric.facts().gain(ours.score, theirs.score)))
    return Comparison(
        metric=name,
        first=systems[0],
        second=systems[1],
        aggregation=ours.aggregation,
        scores=(number(ours.score), number(theirs.score)),
        difference=number(difference),
        interval=ends_of(tested.interval),
        p=number(tested.p),
        exact=tested.exact,
        p_bootstrap=number(tested.p_bootstrap),
        p_corrected=None,
        effect=number(tested.effect),
        documents=ours.documents,
        dropped=total - ours.documents,
        better=None if not abs(better_by) > _EQUAL else systems[0] if better_by > 0 else systems[1],
    )


def corrected(family: list[Comparison], of: int = 0) -> list[Comparison]:
    """Add the p-values after Holm's correction to the comparisons of one metric.

    If they are only some ``of`` so many, each p is multiplied by that number (Bonferroni), which is never less than Holm's.
    """
    p_values = [as_float(item.p) for item in family]
    adjusted = [p if math.isnan(p) else min(1.0, of * p) for p in p_values] if of else holm(p_values)
    tested = of or sum(not math.isnan(p) for p in p_values)
    for item, p in zip(family, adjusted, strict=True):
        item.p_corrected, item.family = number(p), tested
    return family


def settled(family: list[Comparison], of: int = 0) -> list[Comparison]:
    """Correct the p-values of one metric, and name a better system only if the difference is significant."""
    for item in corrected(family, of):
        # A difference that is not significant names no better system.
        item.better = item.better if as_float(item.p_corrected) < DIFFERENT else None
    return family


def _effect(first: Statistic, second: Statistic) -> float:
    """Return the paired effect of two means over the documents that were compared."""
    # The columns of a mean: score, and whether the document counts.
    counted = first.columns[:, 1] > 0
    return paired_effect(first.columns[counted, 0] - second.columns[counted, 0])
