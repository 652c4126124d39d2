# SPDX-License-Identifier: Apache-2.0
"""First and second moments of many documents, which merge exactly, and the normal theory based on them.

With many documents, sums over them are normally distributed, and the variance of a smooth function of sums follows from its
gradient (the delta method). So the moments of a table give the interval of every score and the test of every difference, without
the documents and without resampling.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.kernels import one_thread
from caesura.statistics.bootstrap import Interval
from caesura.statistics.exact import ExactSum, are_whole
from caesura.statistics.statistic import Statistic, gradient

__all__ = ["Estimate", "Joint", "Moments"]

Floats = npt.NDArray[np.float64]
Score = Callable[[Floats], npt.ArrayLike]
"""A function of column sums."""

_ROWS = 1 << 14
_WHOLE_BELOW = float(1 << 19)  # sums of products of integers below this are exact for that many rows
_ROUNDING = 1e-13
_SCALE = 1 << 1074  # the unit of exact sums


class Estimate(NamedTuple):
    """A number and its standard error."""

    value: float
    error: float

    def interval(self, level: float = 0.95) -> Interval:
        """Return the normal interval, without resamples."""
        from statistics import NormalDist

        reach = NormalDist().inv_cdf((1 + level) / 2) * self.error
        return Interval(self.value - reach, self.value + reach, level, 0, 0)

    @classmethod
    @one_thread()
    def of(cls, statistic: Statistic) -> Estimate:
        """Return the value of a statistic with its standard error, by the delta method from the documents themselves.

        >>> found = Estimate.of(Statistic.mean(np.array([1.0, 3.0, 4.0])))
        >>> round(found.value, 4), round(found.error, 4)
        (2.6667, 0.8819)
        """
        influences, n = statistic.influences(), len(statistic.columns)
        variance = n / (n - 1) * float(influences @ influences) if n > 1 else math.nan
        return cls(statistic.value, math.sqrt(variance))

    @property
    def p_value(self) -> float:
        """The two-sided p-value of the hypothesis that the number is 0; without variance 1 if it is 0, else NaN."""
        if self.error == 0:
            return 1.0 if self.value == 0 else math.nan
        return math.erfc(abs(self.value) / self.error / math.sqrt(2))

    @property
    def p_greater(self) -> float:
        """The p-value of the hypothesis that the number is at most 0, as in `p_value`."""
        if self.error == 0:
            return self.p_value
        return math.erfc(self.value / self.error / math.sqrt(2)) / 2


@dataclasses.dataclass(frozen=True)
class Moments:
    """Sums and sums of products of the columns of a table; adding two objects merges their rows.

    >>> table = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])
    >>> Moments.of(table[:1]) + Moments.of(table[1:]) == Moments.of(table)
    True
    >>> mean = Moments.of(table).estimate(lambda sums: sums[0] / 3)
    >>> round(mean.value, 4), round(mean.error, 4)  # the standard deviation 1.5275 over the root of 3
    (2.6667, 0.8819)
    """

    n: int
    sums: tuple[ExactSum, ...]
    products: tuple[ExactSum, ...]
    """The products of columns 0 and 0, 0 and 1, ..., 1 and 1, 1 and 2, ..."""

    @classmethod
    def of(cls, table: Floats) -> Moments:
        """Return the moments of a table, one row per document."""
        n, columns = table.shape
        pairs = list(itertools.combinations_with_replacement(range(columns), 2))
        sums, products = [ExactSum()] * columns, [ExactSum()] * len(pairs)
        for start in range(0, n, _ROWS):
            rows = np.ascontiguousarray(table[start : start + _ROWS].T)
            grams = rows @ rows.T if are_whole(rows, _WHOLE_BELOW) else None
            with np.errstate(invalid="ignore", over="ignore"):  # infinite values: the moments are undefined
                for place, row in enumerate(rows):
                    sums[place] += ExactSum.of(row)
                for place, (i, j) in enumerate(pairs):
                    products[place] += ExactSum.of(rows[i] * rows[j] if grams is None else grams[i, j])
        return cls(n, tuple(sums), tuple(products))

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            self.n + other.n,
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.products, other.products, strict=True)),
        )

    def take(self, places: Sequence[int]) -> Moments:
        """Return the moments of some columns, in this order."""
        pairs = itertools.combinations_with_replacement(places, 2)
        return Moments(
            self.n, tuple(self.sums[i] for i in places), tuple(self.products[self._place(*p)] for p in pairs)
        )

    def _place(self, i: int, j: int) -> int:
        i, j = min(i, j), max(i, j)
        return i * len(self.sums) - i * (i - 1) // 2 + j - i

    @property
    def totals(self) -> Floats:
        """The sum of each column, rounded once."""
        return np.array([each.value for each in self.sums])

    def covariance(self) -> Floats:
        """Return the covariance of the column sums over samples of the same size; NaN with fewer than two documents."""
        columns = range(len(self.sums))
        return np.array([[self._covariance(i, j) for j in columns] for i in columns])

    def _covariance(self, i: int, j: int) -> float:
        first, second, product = self.sums[i], self.sums[j], self.products[self._place(i, j)]
        if self.n < 2 or first.special or second.special or product.special:
            return math.nan
        above = self.n * product.total * _SCALE - first.total * second.total
        try:
            return above / ((self.n - 1) * _SCALE**2)
        except OverflowError:  # beyond the range of floats, as of a shard that was changed
            return math.nan

    def estimate(self, score: Score) -> Estimate:
        """Return a smooth function of the column sums with its standard error, by the delta method."""
        totals, covariance = self.totals, self.covariance()
        slopes = gradient(score, totals)
        with np.errstate(over="ignore", invalid="ignore"):
            variance, largest = float(slopes @ covariance @ slopes), abs(slopes) @ abs(covariance) @ abs(slopes)
        # Equal systems differ by rounding only, which depends on the processor.
        error = 0.0 if variance <= _ROUNDING * largest else math.sqrt(variance)
        return Estimate(float(np.asarray(score(totals))), error)

    def estimates(self, scores: Sequence[Score]) -> tuple[Floats, Floats]:
        """Return smooth functions of the column sums, and the covariance of these functions."""
        totals = self.totals
        values = np.array([float(np.asarray(score(totals))) for score in scores])
        gradients = np.stack([gradient(score, totals) for score in scores])
        return values, gradients @ self.covariance() @ gradients.T


@dataclasses.dataclass(frozen=True)
class Joint:
    """Scores of several systems on the same documents, as functions of the same moments.

    >>> joint = Joint.of({name: Statistic.mean(np.arange(9.0) * factor) for name, factor in (("a", 1), ("b", 2))})
    >>> joint.between("a", "b", lambda one, other: one - other).value
    -4.0
    >>> joint.draws(["a", "b"], 3, seed=0)["b"].shape
    (3,)
    """

    moments: Moments
    places: Mapping[str, Sequence[int]]  # the columns of each system
    score: Score

    @classmethod
    def of(cls, statistics: Mapping[str, Statistic]) -> Joint:
        """Return the scores of systems from the columns of their documents: pooled scores, or means over the same documents."""
        first = next(iter(statistics.values()))
        tables = [each.columns for each in statistics.values()]
        if first.is_pooled:
            return cls(
                Moments.of(np.concatenate(tables, axis=1)), cls.layout(statistics, tables[0].shape[1]), first.score
            )
        table = np.column_stack([first.columns[:, 1], *(each[:, 0] for each in tables)])
        return cls(Moments.of(table), cls.layout(statistics, None), first.score)

    @staticmethod
    def layout(systems: Iterable[str], width: int | None) -> dict[str, Sequence[int]]:
        """Return the columns of each system: ``width`` for a pooled score; for a mean (None), the common count and its own."""
        if width is None:
            return {system: (place, 0) for place, system in enumerate(systems, start=1)}
        return {system: range(i * width, (i + 1) * width) for i, system in enumerate(systems)}

    def value(self, system: str) -> float:
        """Return the score of a system."""
        return self._of(system, self.moments.totals)

    def estimate(self, system: str) -> Estimate:
        """Return the score of a system with its standard error."""
        return self.moments.take(self.places[system]).estimate(self.score)

    def _only(self, systems: Sequence[str]) -> Joint:
        """Return the scores of some systems, with the moments of their columns only."""
        columns = list(dict.fromkeys(place for name in systems for place in self.places[name]))
        places = {name: [columns.index(place) for place in self.places[name]] for name in systems}
        return Joint(self.moments.take(columns), places, self.score)

    def _of(self, system: str, sums: Floats) -> float:
        return float(np.asarray(self.score(sums[list(self.places[system])])))

    def between(self, first: str, second: str, how: Callable[[float, float], float]) -> Estimate:
        """Return a function of the scores of two systems, such as their difference, with its standard error."""
        pair = self._only([first, second])
        return pair.moments.estimate(lambda sums: how(pair._of(first, sums), pair._of(second, sums)))

    def draws(self, names: Sequence[str], times: int, seed: int) -> dict[str, Floats]:
        """Draw the scores of some systems together, ``times`` times, from their joint normal distribution."""
        only = self._only(names)
        values, covariance = only.moments.estimates([functools.partial(only._of, name) for name in names])
        if not np.isfinite(covariance).all():
            return {name: np.full(times, math.nan) for name in names}
        spread, directions = np.linalg.eigh(covariance)
        # The difference of equal systems must not vary by rounding.
        spread = np.where(spread > _ROUNDING * spread.max(initial=0.0), spread, 0.0)
        drawn = values + _standard_normal(times, len(names), seed) @ (directions * np.sqrt(spread)).T
        return dict(zip(names, np.ascontiguousarray(drawn.T), strict=True))


@functools.lru_cache(maxsize=1)
def _standard_normal(times: int, number: int, seed: int) -> Floats:
    """Return standard normal numbers, kept since every metric of a comparison takes the same."""
    drawn = np.random.default_rng(seed).standard_normal((times, number))
    drawn.setflags(write=False)
    return drawn
