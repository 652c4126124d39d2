# SPDX-License-Identifier: Apache-2.0
"""Searches that segmenters share: the best segmentation with each number of segments, divisions, and the best-ranked gaps.

The best segmentation is found by dynamic programming over the costs of segments. Costs are kept as a band: ``band[end - 1, j]`` is
the cost of the segment that ends after unit ``end`` and starts after unit ``end - L + j``; L is the longest segment. So a long
document with a limit on lengths needs n · L numbers, not n².
"""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np

from caesura.declare import param
from caesura.errors import CaesuraWarning, SegmentationError
from caesura.kernels import programme as kernel
from caesura.scorers import Features, Floats, Ints
from caesura.segmenters.base import Cut, SizedSegmenter
from caesura.selectors import StaticSelector, TopKSelector

__all__ = ["Band", "Optimiser", "Programme", "above", "best", "division_scores", "longest", "penalised", "solve"]

_CELLS = 1 << 24  # the most costs that are kept: 128 MB
_WORK = 1 << 28  # costs that are looked at to rank gaps beyond the requested number of segments
_BLOCK = 1 << 16  # costs that are looked at together; they fit a cache


def longest(n_units: int, max_length: int | None, who: str) -> int:
    """Return the length of the longest segment to consider; a limit that the memory sets is reported."""
    wanted = min(n_units, max_length or n_units)
    most = max(1, _CELLS // n_units)
    if wanted <= most:
        return wanted
    message = f"{who}: {n_units} units; segments are limited to {most} units to save memory (set max_length)"
    warnings.warn(CaesuraWarning(message), stacklevel=2)
    return most


class Band:
    """The costs of all segments of at most a given length, filled row by row."""

    def __init__(self, n_units: int, length: int) -> None:
        self.n_units, self.length = n_units, length
        self.costs = np.full((n_units, length), np.inf)

    def starts(self, end: int) -> slice:
        """Return the starts of the segments that end after unit ``end``."""
        return slice(max(0, end - self.length), end)

    def fill(self, end: int, costs: Floats) -> None:
        """Set the costs of the segments that end after unit ``end``, by start as in `starts`."""
        self.costs[end - 1, self.length - len(costs) :] = costs

    def require(self, min_length: int) -> None:
        """Rule out segments shorter than ``min_length``, but keep a whole document that is shorter."""
        if min_length > 1:
            whole = self.costs[self.n_units - 1, 0] if self.length == self.n_units else np.inf
            self.costs[:, self.length - min(min_length - 1, self.length) :] = np.inf
            if self.length == self.n_units < min_length:
                self.costs[self.n_units - 1, 0] = whole

    def cost(self, start: int, end: int) -> float:
        """Return the cost of one segment."""
        return float(self.costs[end - 1, self.length - end + start])


@dataclasses.dataclass(frozen=True)
class Programme:
    """The best segmentations with 1, 2, … segments."""

    n_units: int
    totals: Floats  # [K]: the least cost with k + 1 segments, infinite if there is no such segmentation
    starts: Ints  # [K, n]: the start of the last of k + 1 segments that end after a unit

    def boundaries(self, n_segments: int) -> list[int]:
        """Return the boundaries of the best segmentation with a number of segments."""
        if not np.isfinite(self.totals[n_segments - 1]):
            possible = np.flatnonzero(np.isfinite(self.totals)) + 1
            most = f"{possible[0]} to {possible[-1]}" if len(possible) else "no number"
            raise SegmentationError(
                f"{n_segments} segments are not possible within the limits on their length; {most} can be had"
            )
        found, end = [], self.n_units
        for level in range(n_segments - 1, 0, -1):
            end = int(self.starts[level, end - 1])
            found.append(end)
        return found[::-1]

    def entry_scores(self) -> Floats:
        """Return 1 - k / n for each gap, where k is the largest number of segments at which it is not a boundary.

        The earlier a gap enters for good along growing numbers of segments, the higher its score.
        """
        if kernel.COMPILED:
            present, absent = np.zeros((2, self.n_units + 1), dtype=np.int64)
            kernel.largest_absent(self.totals, self.starts, present, absent)
            absent = absent[1:-1]
        else:
            absent = self._largest_absent()
        return np.asarray(1 - absent / self.n_units, dtype=np.float64)

    def _largest_absent(self) -> Ints:
        """Return the largest number of segments at which each gap is not a boundary, all numbers at a time."""
        numbers = np.flatnonzero(np.isfinite(self.totals)) + 1
        present = np.zeros((len(numbers), self.n_units + 1), dtype=bool)
        ends, levels, rows = np.full(len(numbers), self.n_units), numbers - 1, np.arange(len(numbers))
        while len(rows):
            present[rows, ends] = True
            going = levels > 0
            rows, levels, ends = rows[going], levels[going], ends[going]
            ends = self.starts[levels, ends - 1]
            levels = levels - 1
        largest: Ints = np.where(present[:, 1:-1], 0, numbers[:, None]).max(axis=0, initial=0)
        return largest


def solve(band: Band, n_segments: int | None = None) -> Programme:
    """Return the best segmentations with up to ``n_segments`` segments, and with more as far as the work allows."""
    n, length = band.n_units, band.length
    fewest = -(-n // length)  # segments that cover the document
    most = min(n, max(n_segments or 1, _WORK // (n * length), 2 * fewest))
    totals, starts = np.full(most, np.inf), np.zeros((most, n), dtype=np.int64)
    if kernel.COMPILED:
        before, after = np.full(n + 1, np.inf), np.full(n + 1, np.inf)
        before[0] = 0.0
        lows, floors = np.empty((n, length // 16 + 2)), np.empty(n // 16 + 1)
        kernel.least_costs(band.costs, lows, before, after, floors, totals, starts)
    else:
        _by_rows(band.costs, totals, starts)
    return Programme(n, totals, starts)


def _by_rows(costs: Floats, totals: Floats, starts: Ints) -> None:
    """Write what the kernel writes, without a compiler: many ends at a time."""
    n, length = costs.shape
    # padded[length + p] is the least cost of the units before p in the segments so far.
    padded = np.full(length + n + 1, np.inf)
    padded[length] = 0.0
    height = max(1, _BLOCK // length)
    work = np.empty((height, length))
    for level in range(len(totals)):
        windows = np.lib.stride_tricks.sliding_window_view(padded, length)
        after = np.full(length + n + 1, np.inf)
        for first in range(level, n, height):
            last = min(first + height, n)
            # No segment starts before the document, or before the segments so far have a unit each.
            skipped = max(0, length - last + level)
            sums = work[: last - first, skipped:]
            np.add(costs[first:last, skipped:], windows[first + 1 : last + 1, skipped:], out=sums)
            offsets = sums.argmin(axis=1)
            np.min(sums, axis=1, out=after[length + first + 1 : length + last + 1])
            starts[level, first:last] = np.arange(first, last) + 1 - length + skipped + offsets
        padded = after
        totals[level] = padded[-1]


def penalised(band: Band, penalty: float) -> list[int]:
    """Return the boundaries with the least sum of costs and penalties, one penalty per segment."""
    n = band.n_units
    totals, starts = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    if kernel.COMPILED:
        kernel.least_penalised(band.costs, penalty, totals, starts)
    else:
        for end in range(1, n + 1):
            before = band.starts(end)
            sums = totals[before] + band.costs[end - 1, before.start - end :]
            best = int(sums.argmin())
            totals[end], starts[end] = sums[best] + penalty, before.start + best
    found, end = [], int(starts[n])
    while end > 0:
        found.append(end)
        end = int(starts[end])
    return found[::-1]


def division_scores(order: Ints, n_units: int) -> Floats:
    """Return 1 - k / n for each gap, where k is the largest number of segments at which it is not a boundary.

    ``order`` lists gaps from the first division to the last; a gap that is not in it follows after all others.

    >>> division_scores(np.array([2, 1]), 4).tolist()
    [0.5, 0.75, 0.25]
    """
    absent = np.full(n_units - 1, len(order) + 1)
    absent[order - 1] = np.arange(1, len(order) + 1)
    return np.asarray(1 - absent / n_units, dtype=np.float64)


@dataclasses.dataclass(frozen=True)
class Optimiser(SizedSegmenter):
    """A segmenter whose boundaries have the least sum of costs, found by dynamic programming.

    Its scores are the order in which gaps enter along growing numbers of segments (`Programme.entry_scores`).
    """

    max_length: int | None = param(None, "units of the longest segment; None for no limit", minimum=1)

    def costs(self, features: Features, band: Band) -> None:
        """Fill the band with the cost of every segment; every segmenter has its own."""
        raise NotImplementedError  # pragma: no cover - every segmenter has its own

    def decide(self, features: Features, band: Band, programme: Programme) -> list[int]:
        """Return the boundaries where no number of segments was requested."""
        raise NotImplementedError  # pragma: no cover - every segmenter has its own

    def banded(self, features: Features) -> Band:
        """Return the costs of all segments."""
        band = Band(features.n_units, longest(features.n_units, self.max_length, self.name()))
        self.costs(features, band)
        return band

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        band = self.banded(features)
        wanted = self.wanted(features)
        programme = solve(band, wanted)
        found = self.decide(features, band, programme) if wanted is None else programme.boundaries(wanted)
        if len(found) >= len(programme.totals):
            programme = solve(band, len(found) + 1)
        return Cut.at(features, found, programme.entry_scores())


def above(scores: Floats, threshold: float, min_gap: int) -> tuple[int, ...]:
    """Return the gaps whose score exceeds a threshold, best first taken, at least ``min_gap`` apart."""
    least = min(scores[scores > threshold], default=None)
    return () if least is None else StaticSelector(threshold=float(least), min_gap=min_gap).select(scores).boundaries


def best(scores: Floats, n_segments: int, min_gap: int = 1) -> tuple[int, ...]:
    """Return the best gaps for a number of segments; where ``min_gap`` leaves no room for it, they may be nearer."""
    while True:
        chosen = TopKSelector(k=n_segments - 1, min_gap=min_gap).select(scores).boundaries
        if len(chosen) == n_segments - 1 or min_gap == 1:
            return chosen
        min_gap -= 1
