# SPDX-License-Identifier: Apache-2.0
"""The fewest chunks that hold a span, and the chance that random boundaries miss it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Chunked", "Cover", "chance_of_missing"]

Ints = npt.NDArray[np.int64]


class Cover(NamedTuple):
    """What a reader must take to have a span.

    ``chunks`` are the fewest that hold all of the span that stands in any; ``start`` and ``end`` where the first of them
    begins and the last ends; ``lost`` how much of the span stands in no chunk. Of several ways with as few chunks it is the
    one with the least beside the span.
    """

    chunks: int
    start: int
    end: int
    lost: int


class Chunked:
    """The chunks of a document, which may overlap and leave holes, on a scale without white space.

    Parameters
    ----------
    spans : sequence of (int, int)
        Where they lie; empty ones are left out.

    Examples
    --------
    >>> Chunked([(0, 5), (4, 9), (9, 12)]).cover(3, 8)
    Cover(chunks=2, start=0, end=9, lost=0)
    """

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        kept = sorted((start, end) for start, end in spans if start < end)
        self.starts: Ints = np.array([start for start, _ in kept], dtype=np.int64)
        self.ends: Ints = np.array([end for _, end in kept], dtype=np.int64)
        self._reach: Ints = np.maximum.accumulate(self.ends) if kept else self.ends

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def overlap(self) -> bool:
        """Whether some chunk begins before an earlier one ends."""
        return bool((self.starts[1:] < self._reach[:-1]).any())

    def cover(self, start: int, end: int) -> Cover:
        """Return the fewest chunks that hold the span ``[start, end)``."""
        low = int(np.searchsorted(self._reach, start, side="right"))
        high = int(np.searchsorted(self.starts, end, side="left"))
        near = [
            (a, b)
            for a, b in zip(self.starts[low:high].tolist(), self.ends[low:high].tolist(), strict=True)
            if b > start
        ]
        if not near:
            return Cover(0, start, end, end - start)
        whole = [(b - a, a, b) for a, b in near if a <= start and b >= end]
        if whole:
            _, a, b = min(whole)
            return Cover(1, a, b, 0)
        # The first chunk holds the first point of the span that any does; which of them, is the only choice: from there
        # on the one that reaches furthest never needs more, and the last may be the shortest that reaches the end.
        point = max(start, near[0][0])
        firsts = [chunk for chunk in near if chunk[0] <= point]
        ways = [_onwards(first, near, end) for first in firsts]
        best = min(ways, key=lambda way: (way[0], max(0, start - way[1]) + max(0, way[2] - end)))
        return Cover(*best, _lost(near, start, end))


def _onwards(first: tuple[int, int], chunks: Sequence[tuple[int, int]], end: int) -> tuple[int, int, int]:
    """Return how many chunks follow from a first one to the end of a span, where they begin and where they end."""
    number, reach, before = 1, first[1], first[1]
    place = 0
    furthest = 0
    while reach < end:
        while place < len(chunks) and chunks[place][0] <= reach:
            furthest = max(furthest, chunks[place][1])
            place += 1
        if furthest <= reach:
            if place == len(chunks):
                return number, first[0], reach  # the rest of the span stands nowhere
            reach = chunks[place][0]  # over a hole
            continue
        number, before, reach = number + 1, reach, furthest
    last = reach if number == 1 else min(b for a, b in chunks if a <= before and b >= end)
    return number, first[0], last


def _lost(chunks: Sequence[tuple[int, int]], start: int, end: int) -> int:
    lost, reach = 0, start
    for a, b in chunks:
        lost += max(0, min(a, end) - reach)
        reach = max(reach, b)
    return lost + max(0, end - reach)


def chance_of_missing(gaps: int, boundaries: int, inside: int) -> float:
    r"""Return the probability that no boundary falls inside a span, when all places are equally likely.

    Parameters
    ----------
    gaps : int
        Where boundaries may lie in the document.
    boundaries : int
        How many there are.
    inside : int
        How many of the gaps lie inside the span.

    Notes
    -----
    Of all ways to choose K of G gaps those that avoid u of them:

    .. math:: \binom{G - u}{K} \Big/ \binom{G}{K}

    Examples
    --------
    >>> round(chance_of_missing(4, 2, 1), 6)  # 3 of the 6 pairs of four gaps avoid a given one
    0.5
    """
    boundaries, inside = min(boundaries, gaps), min(inside, gaps)
    if gaps - inside < boundaries:
        return 0.0
    logarithm = (
        math.lgamma(gaps - inside + 1)
        - math.lgamma(gaps - inside - boundaries + 1)
        - math.lgamma(gaps + 1)
        + math.lgamma(gaps - boundaries + 1)
    )
    return min(1.0, math.exp(logarithm))
