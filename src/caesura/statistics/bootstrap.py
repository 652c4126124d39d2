# SPDX-License-Identifier: Apache-2.0
"""Bootstrap over documents: how often each is drawn, times a table of what it counts.

The documents are drawn once, in blocks; a mean or a sum over a resample is a matrix product of the draws with a table,
so every score, metric and system of a comparison is made from the same draws.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

__all__ = ["Bootstrap", "Interval"]

Floats = npt.NDArray[np.float64]
_CELLS_IN_A_BLOCK = 4_000_000


@dataclasses.dataclass(frozen=True)
class Interval:
    """A confidence interval, with how it was made.

    Attributes
    ----------
    low, high : float
        Its ends; NaN where it is not defined.
    level : float
        The share of intervals that hold the true value, in the long run.
    resamples : int
        How many times the documents were drawn.
    seed : int
        Of the draws.
    """

    low: float
    high: float
    level: float
    resamples: int
    seed: int

    @property
    def width(self) -> float:
        """How wide it is."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclasses.dataclass(frozen=True)
class Bootstrap:
    """Resampling of ``n`` documents with replacement.

    Attributes
    ----------
    n : int
        How many documents there are.
    resamples : int
        How many times they are drawn.
    seed : int
        The same seed draws the same documents.
    level : float
        Of the intervals.

    Examples
    --------
    >>> interval = Bootstrap(100, seed=1).interval(Bootstrap(100, seed=1).mean(np.arange(100.0)))
    >>> 40 < interval.low < 49.5 < interval.high < 60
    True
    """

    n: int
    resamples: int = 1000
    seed: int = 0
    level: float = 0.95

    def draws(self) -> Iterator[Floats]:
        """Yield blocks (resamples, n) of how often each document is drawn."""
        rng = np.random.default_rng(self.seed)
        size = max(1, min(self.resamples, _CELLS_IN_A_BLOCK // max(self.n, 1)))
        for start in range(0, self.resamples, size):
            rows = min(size, self.resamples - start)
            drawn = rng.integers(0, self.n, size=(rows, self.n))
            drawn += np.arange(rows)[:, None] * self.n
            yield np.bincount(drawn.ravel(), minlength=rows * self.n).reshape(rows, self.n).astype(np.float64)

    def mean(self, values: Floats) -> Floats:
        """Return the mean of each resample over the values that are defined; NaN where none is.

        ``values`` is (n,) or (n, columns).
        """
        defined = ~np.isnan(values)
        filled = np.where(defined, values, 0.0)
        parts = []
        for weights in self.draws():
            number = weights @ defined.astype(np.float64)
            total = weights @ filled
            out = np.full(total.shape, np.nan)
            parts.append(np.divide(total, number, out=out, where=number > 0))
        return np.concatenate(parts)

    def score(self, score: Callable[[Floats], Floats], counts: Floats) -> Floats:
        """Return the score of the summed counts of each resample."""
        return np.concatenate([score(weights @ counts) for weights in self.draws()])

    def interval(self, values: Floats) -> Interval:
        """Return the percentile interval of resampled values; not defined where they are not."""
        defined = values[~np.isnan(values)]
        if not len(defined) or self.n < 2:
            return Interval(math.nan, math.nan, self.level, self.resamples, self.seed)
        tail = 100 * (1 - self.level) / 2
        low, high = np.percentile(defined, [tail, 100 - tail])
        return Interval(float(low), float(high), self.level, self.resamples, self.seed)
