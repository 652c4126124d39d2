# SPDX-License-Identifier: Apache-2.0
"""Paired permutation tests: under the null hypothesis, the two rows of a document are exchangeable.

Each permutation exchanges the rows of a random half of the documents and computes both statistics again. For means this is
the sign-flip test of the paired differences, for pooled counts the approximate randomisation test. Sums over exchanged rows
are a matrix product of the draws with the columns, so one set of draws serves every pair and every statistic.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from caesura.kernels import one_thread
from caesura.statistics.statistic import Stack, Statistic

__all__ = ["Exchanged", "Exchanges", "Permutation", "holm", "paired_effect"]

Floats = npt.NDArray[np.float64]
Gain = Callable[[Floats, Floats], Floats]
_CELLS_IN_A_BLOCK = 4_000_000
_ROWS_AT_ONCE = 1_024  # products of so many permutations need little memory beside the sums
_TIE = 1e-12


@dataclasses.dataclass(frozen=True)
class Exchanged:
    """Two statistics, as observed and under permutation."""

    observed: tuple[float, float]
    first: Floats  # [R]: the values under each permutation
    second: Floats
    exact: bool  # whether these are all possible permutations, including the observed one

    def p_value(self, gain: Gain = np.subtract, alternative: Literal["two-sided", "greater"] = "two-sided") -> float:
        """Return the probability of a gain at least as large under the null hypothesis.

        ``gain`` is a function of the two values that changes its sign when they are exchanged. The result is (1 + number of
        permutations with at least that gain) / (1 + permutations), or the plain share if all permutations are enumerated; NaN if
        the observed gain is undefined. A permutation with an undefined gain counts as at least as large, which is conservative.
        """
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            observed = float(gain(np.float64(self.observed[0]), np.float64(self.observed[1])))  # type: ignore[arg-type]
            gains = np.asarray(gain(self.first, self.second))
        if math.isnan(observed):
            return math.nan
        if alternative == "two-sided":
            observed, gains = abs(observed), np.abs(gains)
        # Equal sums in another order differ by rounding; they are ties, and ties count.
        smaller = int(np.count_nonzero(gains < observed - _TIE * self._scale()))
        as_large = len(gains) - smaller
        return as_large / len(gains) if self.exact else (1 + as_large) / (1 + len(gains))

    def _scale(self) -> float:
        return max(_largest(np.array(self.observed)), _largest(self.first), _largest(self.second))


@dataclasses.dataclass(frozen=True)
class Permutation:
    """Exchange of the rows of ``n`` documents between two systems.

    Examples
    --------
    >>> first = Statistic.mean(np.array([0.9, 0.8, 0.7, 0.9, 0.8]))
    >>> second = Statistic.mean(np.array([0.6, 0.7, 0.5, 0.4, 0.6]))
    >>> Permutation(5).exchanged([(first, second)])[0].p_value()  # 2 of the 2**5 ways
    0.0625
    """

    n: int
    # Number of permutations; if there are no more than this in all, each is used once.
    permutations: int = 9_999
    seed: int = 0  # random seed; the same seed exchanges the same rows

    def draws(self) -> Iterator[Floats]:
        """Yield blocks (permutations, n) of 1 where rows are exchanged and 0 where not."""
        rng = np.random.default_rng(self.seed)
        # Four rows are whole words of the generator. Of a word that is cut at the end of a block, the other bytes would be lost, and
        # draws would depend on the size of the blocks.
        size = 4 * max(1, min(self.permutations, _CELLS_IN_A_BLOCK // max(self.n, 1)) // 4)
        for start in range(0, self.permutations, size):
            rows = min(size, self.permutations - start)
            random_bytes = rng.integers(0, 256, size=(rows, -(-self.n // 8)), dtype=np.uint8)
            yield np.unpackbits(random_bytes, axis=1, count=self.n).astype(np.float64)

    def exchanged(self, pairs: Sequence[tuple[Statistic, Statistic]]) -> list[Exchanged]:
        """Return the statistics of each pair under permutation.

        The two statistics of a pair have the same columns and score. All pairs use the same draws. Documents whose rows
        are equal have no effect, so a pair that differs on few documents is enumerated.
        """
        exchanges = Exchanges(self, [statistic for pair in pairs for statistic in pair])
        return [exchanges.of(first, second) for first, second in pairs]


class Exchanges:
    """The permutations of any two of some statistics, which share the draws: what the draws move is summed once."""

    def __init__(self, permutation: Permutation, statistics: Sequence[Statistic]) -> None:
        self._permutation, self._statistics = permutation, list(dict.fromkeys(statistics))

    def of(self, first: Statistic, second: Statistic) -> Exchanged:
        """Return two statistics under permutation."""
        differing = np.flatnonzero((first.columns != second.columns).any(axis=1))
        if len(differing) < 60 and 2 ** len(differing) <= self._permutation.permutations:
            return _enumerated(first, second, differing)
        places, sums = self._moved
        return _moved(first, second, (sums[places[second]] - sums[places[first]]).T, exact=False)

    @functools.cached_property
    @one_thread()
    def _moved(self) -> tuple[dict[Statistic, list[int]], Floats]:
        """The places of the columns of each statistic, and the sum of every column over the rows of each permutation."""
        stack, done = Stack.of(self._statistics), 0
        sums = np.empty((stack.table.shape[1], self._permutation.permutations))
        for drawn in self._permutation.draws():
            for start in range(0, len(drawn), _ROWS_AT_ONCE):
                part = drawn[start : start + _ROWS_AT_ONCE]
                sums[:, done : done + len(part)] = (part @ stack.table).T
                done += len(part)
        return dict(zip(self._statistics, stack.places, strict=True)), sums


def _largest(values: Floats) -> float:
    """Return the largest finite absolute value."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if math.isfinite(largest):
        return largest
    return float(np.max(np.abs(values), where=np.isfinite(values), initial=0.0))


def _enumerated(first: Statistic, second: Statistic, rows: npt.NDArray[np.intp]) -> Exchanged:
    """Exchange the differing rows in each of the 2 ** len(rows) ways, beginning with no exchange."""
    ways = np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows)) & 1
    return _moved(first, second, ways @ (second.columns[rows] - first.columns[rows]), exact=True)


def _moved(first: Statistic, second: Statistic, gained: Floats, *, exact: bool) -> Exchanged:
    """Compute both statistics after sums have moved from the second to the first."""
    ours, theirs = first.columns.sum(axis=0), second.columns.sum(axis=0)
    return Exchanged((first.value, second.value), first.score(ours + gained), second.score(theirs - gained), exact)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple testing, controlling the family-wise error rate.

    The smallest of m values is multiplied by m, the next by m - 1, and so on. An adjusted value is at least that of any
    smaller p-value, and at most 1. NaN values remain NaN and are not counted.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted((place for place, p in enumerate(p_values) if not math.isnan(p)), key=p_values.__getitem__)
    corrected = [math.nan] * len(p_values)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p_values[place]))
        corrected[place] = least
    return corrected


def paired_effect(differences: npt.NDArray[np.float64]) -> float:
    """Return the mean of paired differences over their standard deviation (Cohen's d of the differences).

    NaN values are left out. The effect is NaN with fewer than two values, or if all are equal.

    >>> paired_effect(np.array([1.0, 2.0, 3.0, np.nan]))
    2.0
    """
    defined = differences[np.isfinite(differences)]
    if len(defined) < 2 or np.ptp(defined) <= 1e-12 * np.max(np.abs(defined)):
        return math.nan
    return float(defined.mean() / defined.std(ddof=1))
