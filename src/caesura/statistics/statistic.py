# SPDX-License-Identifier: Apache-2.0
"""Statistics that are functions of sums over documents, which makes resampling cheap.

A mean is the sum of values over their number; a pooled rate is a score of summed counts. Both are functions of column sums,
so drawing, leaving out or exchanging documents is a matrix product with the columns, and the documents are never read
again.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from caesura.kernels import one_thread

__all__ = ["NORMAL_FROM", "RESAMPLED_TO", "Stack", "Statistic", "are_spread", "gradient", "is_normal"]

NORMAL_FROM = 20_000
"""From this number of documents on, normal theory replaces resampling, unless a few documents dominate."""
RESAMPLED_TO = 100_000
"""Above this number of documents nothing is resampled."""
_ROWS = 300  # documents of equal weight that suffice: an interval then changes less than between seeds
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
_STEP = 1e-5


@dataclasses.dataclass(frozen=True, eq=False)
class Statistic:
    """A function of the column sums of a table.

    >>> Statistic.mean(np.array([1.0, np.nan, 3.0])).value
    2.0
    >>> Statistic.pooled(np.array([[1.0, 4.0], [2.0, 2.0]]), lambda sums: sums[..., 0] / sums[..., 1]).value
    0.5
    """

    columns: Floats  # [n, c]: the contribution of each document
    # A function from sums (columns along the last axis) to scores; NaN if undefined.
    score: Callable[[Floats], Floats]
    documents: int  # number of rows that count; the others are zero
    is_pooled: bool = False  # whether long documents weigh more

    @classmethod
    def mean(cls, values: Floats, defined: Mask | None = None) -> Statistic:
        """Return the mean of ``values`` over the ``defined`` documents; by default those that are not NaN."""
        counting = ~np.isnan(values) if defined is None else defined
        columns = np.column_stack([np.where(counting, values, 0.0), counting.astype(np.float64)])
        return cls(columns, _ratio, int(counting.sum()))

    @classmethod
    def pooled(cls, counts: Floats, score: Callable[[Floats], Floats]) -> Statistic:
        """Return the score of summed counts."""
        return cls(counts, score, len(counts), is_pooled=True)

    @functools.cached_property
    def _sums(self) -> Floats:
        return np.asarray(self.columns.sum(axis=0))

    @property
    def value(self) -> float:
        """The value over all documents."""
        return float(self.score(self._sums))

    def without(self) -> Floats:
        """Return the value with each document left out in turn, worked out once.

        >>> Statistic.mean(np.array([1.0, np.nan, 3.0])).without().tolist()
        [3.0, 2.0, 1.0]
        """
        return self._without

    @functools.cached_property
    def _without(self) -> Floats:
        with np.errstate(invalid="ignore"):  # infinite counts give undefined values
            return self.score(self._sums - self.columns)

    @one_thread()
    def influences(self) -> Floats:
        """Return the influence of each document on the value, to first order; the sum of squares is its variance.

        >>> Statistic.mean(np.array([1.0, np.nan, 3.0])).influences().round(6).tolist()
        [-0.5, 0.0, 0.5]
        """
        with np.errstate(invalid="ignore"):  # infinite counts give undefined values
            centred = self.columns - self._sums / len(self.columns)
            return np.asarray(centred @ gradient(self.score, self._sums))

    def left_out(self, other: Statistic | None = None) -> Floats | None:
        """Return `without` of a pooled statistic, or its difference from another's, for intervals; None for a mean."""
        if not self.is_pooled:
            return None
        with np.errstate(invalid="ignore"):  # the difference of two infinite scores is not defined
            return self.without() if other is None else self.without() - other.without()


@dataclasses.dataclass(frozen=True)
class Stack:
    """The columns of many statistics in one table without duplicates, so that one matrix product serves all."""

    table: Floats  # [n, c]: the distinct columns
    places: Sequence[list[int]]  # indices of the columns of each statistic

    @classmethod
    def of(cls, statistics: Sequence[Statistic]) -> Stack:
        """Return the stack of statistics of the same documents."""
        by_sum: dict[float, list[int]] = {}
        columns: list[Floats] = []
        places: list[list[int]] = []
        for statistic in statistics:
            places.append([])
            for column in np.ascontiguousarray(statistic.columns.T):
                # Counts of documents, windows or reference boundaries are the same for every system.
                alike = by_sum.setdefault(float(column.sum()), [])
                place = next((other for other in alike if np.array_equal(columns[other], column)), None)
                if place is None:
                    place = len(columns)
                    alike.append(place)
                    columns.append(column)
                places[-1].append(place)
        return cls(np.column_stack(columns), places)


def gradient(score: Callable[[Floats], npt.ArrayLike], sums: Floats) -> Floats:
    """Return the gradient of a function of column sums.

    >>> gradient(lambda sums: sums[0] / sums[1], np.array([3.0, 2.0])).round(6).tolist()
    [0.5, -0.75]
    """
    slopes = np.zeros(len(sums))
    for place, total in enumerate(sums.tolist()):
        step = np.zeros(len(sums))
        step[place] = _STEP * max(abs(total), 1.0)
        above, below = (float(np.asarray(score(sums + sign * step))) for sign in (1, -1))
        slopes[place] = (above - below) / (2 * step[place])
    return slopes


def _ratio(sums: Floats) -> Floats:
    total, number = sums[..., 0], sums[..., 1]
    if np.min(number) > 0.5:
        return np.asarray(total / number)
    out = np.full(np.shape(total), np.nan)
    return np.asarray(np.divide(total, number, out=out, where=number > 0.5))


def are_spread(influences: npt.NDArray[np.float64]) -> bool:
    """Return whether a score varies as if at least 300 documents contributed equally, given their influences.

    >>> are_spread(np.ones(400)), are_spread(np.eye(400)[0]), are_spread(np.zeros(3)), are_spread(np.array([np.inf]))
    (True, False, True, False)
    """
    with np.errstate(invalid="ignore", over="ignore"):
        squares = np.square(influences)
        total, fourth = float(squares.sum()), float(np.square(squares).sum())
    return _ROWS * fourth <= total * total and math.isfinite(total)


def is_normal(documents: int, influences: Iterable[npt.NDArray[np.float64]]) -> bool:
    """Return whether normal theory is used, given the influences of the documents on each score, read only if needed."""
    return documents > RESAMPLED_TO or (documents >= NORMAL_FROM and all(map(are_spread, influences)))
