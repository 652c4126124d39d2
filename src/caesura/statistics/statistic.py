# SPDX-License-Identifier: Apache-2.0
"""What is resampled: a number made from sums over documents.

A mean is the sum of the values over their number; a pooled rate is a score of summed counts. Both are a function of column
sums, so drawing, leaving out or exchanging documents is a matrix product with the columns, and the documents are never
read again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Stack", "Statistic"]

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class Statistic:
    """A number made from the column sums of a table.

    Attributes
    ----------
    columns : float64[n, c]
        What each document adds.
    score : callable
        Sums (columns along the last axis) to scores; NaN where there is none.
    documents : int
        How many rows count; the others add nothing.

    Examples
    --------
    >>> Statistic.mean(np.array([1.0, np.nan, 3.0])).value
    2.0
    >>> Statistic.pooled(np.array([[1.0, 4.0], [2.0, 2.0]]), lambda sums: sums[..., 0] / sums[..., 1]).value
    0.5
    """

    columns: Floats
    score: Callable[[Floats], Floats]
    documents: int

    @classmethod
    def mean(cls, values: Floats, defined: Mask | None = None) -> Statistic:
        """Return the mean of ``values`` over the documents where it is ``defined``; by default where it is not NaN."""
        kept = ~np.isnan(values) if defined is None else defined
        columns = np.column_stack([np.where(kept, values, 0.0), kept.astype(np.float64)])
        return cls(columns, _ratio, int(kept.sum()))

    @classmethod
    def pooled(cls, counts: Floats, score: Callable[[Floats], Floats]) -> Statistic:
        """Return the score of summed counts."""
        return cls(counts, score, len(counts))

    @property
    def value(self) -> float:
        """The number itself, over all documents."""
        return float(self.score(self.columns.sum(axis=0)))

    def without(self) -> Floats:
        """Return the number with each document left out in turn; for a mean over the documents that remain.

        >>> Statistic.mean(np.array([1.0, np.nan, 3.0])).without().tolist()
        [3.0, 2.0, 1.0]
        """
        return self.score(self.columns.sum(axis=0) - self.columns)


@dataclasses.dataclass(frozen=True)
class Stack:
    """The columns of many statistics side by side, equal columns once: one matrix product serves them all.

    Attributes
    ----------
    table : float64[n, c]
        The distinct columns.
    places : sequence of lists of int
        Where the columns of each statistic stand.
    """

    table: Floats
    places: Sequence[list[int]]

    @classmethod
    def of(cls, statistics: Sequence[Statistic]) -> Stack:
        """Lay statistics of the same documents side by side."""
        by_sum: dict[float, list[int]] = {}
        columns: list[Floats] = []
        places: list[list[int]] = []
        for statistic in statistics:
            places.append([])
            for column in np.ascontiguousarray(statistic.columns.T):
                # Numbers of documents, windows or boundaries of the reference are the same for every system.
                alike = by_sum.setdefault(float(column.sum()), [])
                place = next((other for other in alike if np.array_equal(columns[other], column)), None)
                if place is None:
                    place = len(columns)
                    alike.append(place)
                    columns.append(column)
                places[-1].append(place)
        return cls(np.column_stack(columns), places)


def _ratio(sums: Floats) -> Floats:
    total, number = sums[..., 0], sums[..., 1]
    out = np.full(np.shape(total), np.nan)
    return np.asarray(np.divide(total, number, out=out, where=number > 0.5))
