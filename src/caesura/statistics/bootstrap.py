# SPDX-License-Identifier: Apache-2.0
"""Bootstrap over documents, as a product of the draws with a table of counts.

The documents are drawn once, in blocks. A mean or a sum over a resample is a matrix product of the draws with a table, so
every score, metric and system of a comparison uses the same draws.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.kernels import one_thread
from caesura.statistics.distributions import normal_cdf, normal_quantile, t_cdf, t_quantile
from caesura.statistics.statistic import Stack, Statistic

__all__ = ["Bootstrap", "Interval", "freedom_of"]

Floats = npt.NDArray[np.float64]
_CELLS_IN_A_BLOCK = 1_000_000
_CELLS_AT_ONCE = 16_384
_ZERO = 1e-14  # rounding: the difference of equal systems may not be exactly 0 in a resample


@dataclasses.dataclass(frozen=True)
class Interval:
    """A confidence interval, with the parameters of the bootstrap."""

    low: float  # the ends; NaN if the interval is undefined
    high: float
    level: float
    resamples: int
    seed: int

    @property
    def width(self) -> float:
        """The width of the interval."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def within(self, bounds: tuple[float, float]) -> Interval:
        """Return the part of the interval within the range of a score.

        >>> half = Interval(-0.2, 0.7, 0.95, 1000, 0).within((0, 1))
        >>> half.low, half.high
        (0, 0.7)
        """
        low, high = bounds
        # A comparison with NaN is false, so an undefined end stays NaN.
        return dataclasses.replace(
            self, low=low if self.low < low else self.low, high=high if self.high > high else self.high
        )


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """Resampling of ``n`` documents with replacement.

    Examples
    --------
    >>> interval = Bootstrap(100, seed=1).interval(Bootstrap(100, seed=1).mean(np.arange(100.0)))
    >>> 40 < interval.low < 49.5 < interval.high < 60
    True
    """

    n: int
    resamples: int = 1000
    seed: int = 0  # random seed; the same seed draws the same documents
    level: float = 0.95  # confidence level of the intervals

    def draws(self) -> Iterator[Floats]:
        """Yield blocks (resamples, n) of the number of times each document is drawn."""
        rng = np.random.default_rng(self.seed)
        size = max(1, min(self.resamples, _CELLS_IN_A_BLOCK // max(self.n, 1)))
        # small blocks, so that counting stays in the cache
        at_once = max(1, _CELLS_AT_ONCE // max(self.n, 1))
        for start in range(0, self.resamples, size):
            weights = np.empty((min(size, self.resamples - start), self.n))
            for first in range(0, len(weights), at_once):
                rows = weights[first : first + at_once]
                drawn = rng.integers(0, self.n, size=rows.shape)
                if len(rows) > 1:
                    drawn += np.arange(len(rows))[:, None] * self.n
                rows[...] = np.bincount(drawn.ravel(), minlength=rows.size).reshape(rows.shape)
            yield weights

    @one_thread()
    def sums(self, table: Floats) -> Floats:
        """Return the column sums of each resample, one row each.

        >>> Bootstrap(4, resamples=2).sums(np.ones((4, 1))).tolist()
        [[4.0], [4.0]]
        """
        infinite = np.isinf(table)
        if not infinite.any():
            return np.concatenate([weights @ table for weights in self.draws()])
        # An infinite value that is not drawn adds nothing; in a product, 0 times infinity would be NaN.
        finite = np.where(infinite, 0.0, table)
        signs = np.concatenate([table == np.inf, table == -np.inf], axis=1).astype(np.float64)
        parts = []
        for weights in self.draws():
            up, down = np.hsplit(weights @ signs > 0, 2)
            parts.append(weights @ finite + np.where(up, np.where(down, np.nan, np.inf), np.where(down, -np.inf, 0.0)))
        return np.concatenate(parts)

    def mean(self, values: Floats) -> Floats:
        """Return the mean of the defined values of each resample; NaN if there are none.

        ``values`` is (n,) or (n, columns).
        """
        table = np.asarray(values, dtype=np.float64).reshape(len(values), -1)
        defined = ~np.isnan(table)
        sums = self.sums(np.concatenate([np.where(defined, table, 0.0), defined], axis=1))
        total, number = np.hsplit(sums, 2)
        out = np.full(total.shape, np.nan)
        np.divide(total, number, out=out, where=number > 0)
        return out.reshape(self.resamples, *np.shape(values)[1:])

    def replicates(self, statistics: Sequence[Statistic]) -> list[Floats]:
        """Return each statistic of each resample, from the same draws; NaN if fewer than two documents count.

        Memory: a block of draws, one table of the statistics' columns, and one number per resample and column.

        >>> same = Statistic.mean(np.arange(9.0))
        >>> first, second = Bootstrap(9, resamples=5).replicates([same, same])
        >>> bool((first == second).all()), len(first)
        (True, 5)
        """
        if not statistics:
            return []
        if self.n < 2:
            return [np.full(self.resamples, np.nan) for _ in statistics]
        stack = Stack.of(statistics)
        sums = self.sums(stack.table)
        return [
            statistic.score(sums[:, places]) if statistic.documents > 1 else np.full(self.resamples, np.nan)
            for statistic, places in zip(statistics, stack.places, strict=True)
        ]

    def interval(self, values: Floats, documents: int | None = None, left_out: Floats | None = None) -> Interval:
        """Return the percentile interval of resampled values; NaN if none is defined.

        Resamples of few documents vary too little, and their percentiles correspond to a normal distribution instead of
        Student's t. With ``documents``, the number of documents that count, the tails are reduced accordingly: the
        expanded percentile interval [1]_. With 15 documents a plain 95 % interval covers about 92 %; with 200 the two
        hardly differ.

        A pooled score may depend on a few long documents, and then has a tail that resamples do not show. With ``left_out``,
        its values with each document left out (`Statistic.left_out`), the degrees of freedom of t follow from the kurtosis
        of the influences, and the interval is extended to contain the jackknife interval with these degrees of freedom.

        If some values are infinite, the ends are resampled values, without interpolation.

        References
        ----------
        .. [1] T. Hesterberg, "What teachers should know about the bootstrap", The American Statistician 69, 2015.
        """
        defined = values[~np.isnan(values)]
        if not len(defined) or min(self.n, self.n if documents is None else documents) < 2:
            return Interval(math.nan, math.nan, self.level, self.resamples, self.seed)
        tail, jackknife = (1 - self.level) / 2, None
        if left_out is None or not np.isfinite(left_out).all():
            tail = 100 * _expanded(tail, documents)
        else:
            jackknife = _jackknife(left_out, tail)
            tail = 100 * _expanded(tail, documents, jackknife.freedom)
        method: Literal["linear", "inverted_cdf"] = "linear" if np.isfinite(defined).all() else "inverted_cdf"
        low, high = np.percentile(defined, [tail, 100 - tail], method=method)
        if jackknife is not None:
            low, high = min(low, jackknife.low), max(high, jackknife.high)
        return Interval(float(low), float(high), self.level, self.resamples, self.seed)

    def p_value(self, differences: Floats, documents: int | None = None) -> float:
        """Return the two-sided p-value of a resampled difference of 0, by inversion of the interval.

        It is twice the smaller share of resamples at or beyond 0, with the observed corpus counted as one resample, at
        most 1. With ``documents`` it corresponds to the expanded interval.

        >>> Bootstrap(9, resamples=99).p_value(np.arange(-4.0, 95.0))
        0.12
        """
        defined = differences[~np.isnan(differences)]
        if not len(defined) or self.n < 2:
            return math.nan
        beyond = min(int((defined <= _ZERO).sum()), int((defined >= -_ZERO).sum()))
        return min(1.0, 2 * _contracted((1 + beyond) / (1 + len(defined)), documents))


class _Jackknife(NamedTuple):
    low: float
    high: float
    freedom: float


def _jackknife(left_out: Floats, tail: float) -> _Jackknife:
    """Return the jackknife interval with Satterthwaite's degrees of freedom: the fewer, the more a few documents dominate.

    >>> even, uneven = np.tile([0.4, 0.5, 0.6], 10), np.array([*[0.5] * 29, 0.8])
    >>> round(_jackknife(even, 0.025).freedom), round(_jackknife(uneven, 0.025).freedom)
    (29, 2)
    """
    n, centre = len(left_out), float(left_out.mean())
    total = float(((left_out - centre) ** 2).sum())
    freedom = freedom_of(left_out)
    if n < 2 or not total > 0:
        return _Jackknife(centre, centre, freedom)
    reach = -t_quantile(freedom, tail) * math.sqrt((n - 1) / n * total)
    return _Jackknife(centre - reach, centre + reach, freedom)


def freedom_of(left_out: Floats) -> float:
    """Return Satterthwaite's degrees of freedom of a score, given its values with each document left out in turn.

    With documents of equal weight they are one less than the number of documents; if one document dominates, they are few.

    >>> round(freedom_of(np.tile([0.4, 0.5, 0.6], 10))), round(freedom_of(np.array([*[0.5] * 29, 0.8])))
    (29, 2)
    """
    n = len(left_out)
    squares = (left_out - left_out.mean()) ** 2
    total = float(squares.sum())
    if n < 2 or not total > 0:
        return max(1.0, n - 1.0)
    kurtosis = n * float((squares**2).sum()) / total**2
    return float(np.clip(2 * n / max(kurtosis - (n - 3) / (n - 1), 1e-9), min(2, n - 1), n - 1))


def _expanded(tail: float, documents: int | None, freedom: float | None = None) -> float:
    """Return the tail of the resamples that corresponds to a tail of Student's t."""
    if documents is None or documents < 2:
        return tail
    by_t = t_quantile(documents - 1 if freedom is None else freedom, tail)
    return normal_cdf(by_t * math.sqrt(documents / (documents - 1)))


def _contracted(tail: float, documents: int | None) -> float:
    """Return the tail of Student's t that corresponds to a tail of the resamples; the inverse of `_expanded`."""
    if documents is None or documents < 2:
        return tail
    return t_cdf(documents - 1, normal_quantile(tail) / math.sqrt(documents / (documents - 1)))
