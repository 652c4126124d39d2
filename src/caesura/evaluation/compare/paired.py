# SPDX-License-Identifier: Apache-2.0
"""Tests of paired differences: by resampling and permutation, or by normal theory if there are very many documents."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.evaluation.intervals import by_normal_theory, ends_of
from caesura.metrics.base import Floats, Metric
from caesura.results import Comparison, Ends, Resampling, as_float, number
from caesura.results.compare.facts import DIFFERENT
from caesura.statistics import Bootstrap, Exchanged, Exchanges, Permutation, holm, paired_effect
from caesura.statistics.moments import Joint

if TYPE_CHECKING:
    from caesura.evaluation.measured import Measured

__all__ = ["Drawn", "Normal", "compared", "corrected", "settled", "tests_of"]

_EQUAL = 1e-12  # below this two scores differ by rounding only
_DRAWS = 100_000


class Drawn:
    """Intervals from a paired bootstrap, p-values from paired permutations; all from the same draws."""

    def __init__(self, measured: Measured, bootstrap: Bootstrap, permutations: int) -> None:
        self._bootstrap, self._statistics, self._run_draws = bootstrap, measured.statistics(), measured.run_draws
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

    def test(self, item: Comparison) -> None:
        """Add the interval of the difference, the p-values of the gain, and the paired effect of a mean."""
        one, other = (self._statistics[item.metric][system] for system in (item.first, item.second))
        exchanged, gain = self._with_runs(item, self._exchanges.of(one, other)), self._gains[item.metric]
        drawn = self._replicates[item.metric][item.first], self._replicates[item.metric][item.second]
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            differences, gains = drawn[0] - drawn[1], gain(*drawn)
        item.interval = ends_of(self._bootstrap.interval(differences, one.documents, one.left_out(other)))
        item.p, item.exact = number(exchanged.p_value(gain)), exchanged.exact
        item.p_bootstrap = number(self._bootstrap.p_value(gains, one.documents))
        if self._macro[item.metric]:
            # The columns of a mean: score, and whether the document counts.
            counted = one.columns[:, 1] > 0
            item.effect = number(paired_effect(one.columns[counted, 0] - other.columns[counted, 0]))

    def _with_runs(self, item: Comparison, exchanged: Exchanged) -> Exchanged:
        """Add to every permutation what other runs of the two systems would add, if they were run several times."""
        # Other draws than those of the intervals.
        size, seed = len(exchanged.first), self._bootstrap.seed + 1
        more = [self._run_draws(system, item.metric, size, seed) for system in (item.first, item.second)]
        if more[0] is None or more[1] is None or not (more[0].any() or more[1].any()):
            return exchanged
        return Exchanged(exchanged.observed, exchanged.first + more[0], exchanged.second + more[1], exact=False)

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

    def test(self, item: Comparison) -> None:
        """Add the interval of the difference, the p-value of the gain, and the paired effect of a mean."""
        joint, gain = self._joint(item.metric), self._metrics[item.metric].facts().gain
        differing = joint.between(item.first, item.second, operator.sub)
        gaining = joint.between(item.first, item.second, lambda one, other: float(gain(one, other)))
        item.interval = ends_of(differing.interval(self._level))
        if item.metric in self._means and differing.error > 0:
            item.effect = number(differing.value / (differing.error * math.sqrt(self._means[item.metric])))
        # Equal systems have no difference and no error, so p is 1.
        item.p = number(1.0 if differing.value == 0 and differing.error == 0 else gaining.p_value)

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


def compared(measured: Measured, tests: Drawn | Normal, name: str, first: str, second: str, total: int) -> Comparison:
    """Return the comparison of two systems on a metric, of ``total`` documents; `settled` corrects its p-value."""
    ours, theirs = measured.aggregates[first][name], measured.aggregates[second][name]
    better_by = float(measured.metrics[name].facts().gain(ours.score, theirs.score))
    item = Comparison(
        metric=name,
        first=first,
        second=second,
        aggregation=ours.aggregation,
        scores=(number(ours.score), number(theirs.score)),
        difference=number(ours.score - theirs.score),
        interval=Ends(None, None),
        p=None,
        p_corrected=None,
        documents=ours.documents,
        dropped=total - ours.documents,
        better=None if not abs(better_by) > _EQUAL else first if better_by > 0 else second,
    )
    tests.test(item)
    return item


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
