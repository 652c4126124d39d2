# SPDX-License-Identifier: Apache-2.0
"""Paired permutation tests: if two systems are equal, it does not matter whose row of a document is whose.

Each permutation exchanges the rows of a random half of the documents and makes both numbers again. For means this is the
sign-flip test of the paired differences, for pooled counts the test of approximate randomisation. Sums over exchanged rows
are a matrix product of the draws with the columns, so one set of draws serves every pair and every number.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from caesura.statistics.statistic import Stack, Statistic

__all__ = ["Exchanged", "Permutation", "holm", "paired_effect"]

Floats = npt.NDArray[np.float64]
Gain = Callable[[Floats, Floats], Floats]
_CELLS_IN_A_BLOCK = 4_000_000
_TIE = 1e-12


@dataclasses.dataclass(frozen=True)
class Exchanged:
    """Two numbers as they are, and with the rows of some documents exchanged.

    Attributes
    ----------
    observed : (float, float)
        The numbers as they are.
    first, second : float64[R]
        The numbers of each permutation.
    exact : bool
        Whether these are all permutations there are, the observed one among them.
    """

    observed: tuple[float, float]
    first: Floats
    second: Floats
    exact: bool

    def p_value(
        self, gain: Gain = np.subtract, alternative: Literal["two-sided", "greater"] = "two-sided"
    ) -> float:
        """Return how likely a gain at least as large is when the two are equal.

        Parameters
        ----------
        gain : callable
            What is tested: a function of the two numbers that changes its sign when they are exchanged; the difference
            by default.
        alternative : {"two-sided", "greater"}
            Whether a gain of either sign counts, or only a positive one.

        Returns
        -------
        float
            (1 + number of permutations with as large a gain) / (1 + permutations); the plain share where all
            permutations are known. NaN where the observed gain is not defined. A permutation without a defined gain
            counts as a large one, which can only raise the value.
        """
        with np.errstate(invalid="ignore"):  # infinity less infinity
            observed = float(gain(np.float64(self.observed[0]), np.float64(self.observed[1])))  # type: ignore[arg-type]
            gains = np.asarray(gain(self.first, self.second))
        if math.isnan(observed):
            return math.nan
        if alternative == "two-sided":
            observed, gains = abs(observed), np.abs(gains)
        # Equal sums of floats in another order differ by rounding; that is a tie, and ties count.
        smaller = int((gains < observed - _TIE * self._scale()).sum())
        as_large = len(gains) - smaller
        return as_large / len(gains) if self.exact else (1 + as_large) / (1 + len(gains))

    def _scale(self) -> float:
        both = np.abs(np.concatenate([self.observed, self.first, self.second]))
        return float(np.max(both, where=np.isfinite(both), initial=0.0))


@dataclasses.dataclass(frozen=True)
class Permutation:
    """Exchanging the rows of ``n`` documents between two systems.

    Attributes
    ----------
    n : int
        How many documents there are.
    permutations : int
        How many times rows are exchanged; where all the ways to exchange them are not more than this, each is tried once.
    seed : int
        The same seed exchanges the same rows.

    Examples
    --------
    >>> first = Statistic.mean(np.array([0.9, 0.8, 0.7, 0.9, 0.8]))
    >>> second = Statistic.mean(np.array([0.6, 0.7, 0.5, 0.4, 0.6]))
    >>> Permutation(5).exchanged([(first, second)])[0].p_value()  # 2 of the 2**5 ways
    0.0625
    """

    n: int
    permutations: int = 9_999
    seed: int = 0

    def draws(self) -> Iterator[Floats]:
        """Yield blocks (permutations, n) of 1 where rows are exchanged and 0 where not."""
        rng = np.random.default_rng(self.seed)
        size = max(1, min(self.permutations, _CELLS_IN_A_BLOCK // max(self.n, 1)))
        for start in range(0, self.permutations, size):
            rows = min(size, self.permutations - start)
            random_bytes = rng.integers(0, 256, size=(rows, -(-self.n // 8)), dtype=np.uint8)
            yield np.unpackbits(random_bytes, axis=1, count=self.n).astype(np.float64)

    def exchanged(self, pairs: Sequence[tuple[Statistic, Statistic]]) -> list[Exchanged]:
        """Return what the numbers of each pair become when rows are exchanged.

        Two statistics of a pair have the same columns and score. The draws are made once for all pairs; documents whose
        rows are equal change nothing, so a pair that differs on few documents is enumerated.
        """
        differing = [np.flatnonzero((first.columns != second.columns).any(axis=1)) for first, second in pairs]
        few = [len(rows) < 60 and 2 ** len(rows) <= self.permutations for rows in differing]
        sampled = self._sampled([pair for pair, is_few in zip(pairs, few, strict=True) if not is_few])
        return [
            _enumerated(first, second, rows) if is_few else next(sampled)
            for (first, second), rows, is_few in zip(pairs, differing, few, strict=True)
        ]

    def _sampled(self, pairs: Sequence[tuple[Statistic, Statistic]]) -> Iterator[Exchanged]:
        if not pairs:
            return
        stack = Stack.of([statistic for pair in pairs for statistic in pair])
        moved = np.concatenate([drawn @ stack.table for drawn in self.draws()])
        for place, (first, second) in enumerate(pairs):
            ours, theirs = (moved[:, stack.places[2 * place + side]] for side in (0, 1))
            yield _made(first, second, theirs - ours, exact=False)


def _enumerated(first: Statistic, second: Statistic, rows: npt.NDArray[np.intp]) -> Exchanged:
    """Exchange the rows that differ in each of the 2 ** len(rows) ways; the first way is to exchange none."""
    ways = np.arange(2 ** len(rows))[:, None] >> np.arange(len(rows)) & 1
    return _made(first, second, ways @ (second.columns[rows] - first.columns[rows]), exact=True)


def _made(first: Statistic, second: Statistic, gained: Floats, *, exact: bool) -> Exchanged:
    """Make both numbers again after the first has gained some sums and the second has lost them."""
    ours, theirs = first.columns.sum(axis=0), second.columns.sum(axis=0)
    return Exchanged(
        (first.value, second.value), first.score(ours + gained), second.score(theirs - gained), exact
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values that were looked at together, so that one false alarm among them all is as rare as asked for.

    The smallest of m is multiplied by m, the next by m - 1, and so on; a corrected value is never below that of a smaller
    one, nor above 1. Values that are NaN stay so and are not counted.

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

    NaN values are left out. Not defined (NaN) with fewer than two values, or where all are equal.

    >>> paired_effect(np.array([1.0, 2.0, 3.0, np.nan]))
    2.0
    """
    defined = differences[np.isfinite(differences)]
    if len(defined) < 2 or np.ptp(defined) <= 1e-12 * np.max(np.abs(defined)):
        return math.nan
    return float(defined.mean() / defined.std(ddof=1))
