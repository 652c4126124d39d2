# SPDX-License-Identifier: Apache-2.0
"""The segments of a batch in order, and the windows that ARP compares."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Ints

Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class Layout:
    """All segments of a batch in order."""

    ptr: Ints  # where the segments of each document begin
    document: Ints  # the document of each segment
    lengths: Ints  # in units
    lo: Ints  # the first row of each segment in the vectors
    last: Flags  # whether a segment is the last of its document

    @property
    def hi(self) -> Ints:
        """The row after the last one of each segment."""
        return self.lo + self.lengths

    @property
    def first(self) -> Flags:
        """Whether a segment is the first of its document."""
        first: Flags = np.ones(len(self.last), dtype=bool)
        first[1:] = self.last[:-1]
        return first

    @property
    def alone(self) -> Flags:
        """Which documents have a single segment."""
        return np.asarray(np.diff(self.ptr) == 1)

    def windows(self, cut: str = "balanced") -> tuple[Ints, Ints, Ints, Ints]:
        """Return the rows of the intra and inter windows of each segment (empty where there is none).

        Intra is the last c units of the segment, inter the last half of these and as many of the next. Balanced,
        c = min(2 |next|, |segment|); with ``cut="half"`` c = |segment|, and inter ends with the next segment if that is
        shorter. A segment of one unit has only an inter window, with the first unit of the next.
        """
        following = np.where(self.last, 0, np.roll(self.lengths, -1))
        size = np.where(self.last, 0, self.lengths) if cut == "half" else np.minimum(2 * following, self.lengths)
        single = (self.lengths == 1) & ~self.last
        before, after = (size + 1) // 2, np.where(single, 1, np.minimum(size // 2, following))
        inner = np.where(self.lengths == 1, 0, size)
        return self.hi - inner, self.hi, self.hi - before, self.hi + after


def layout(batch: Embedded) -> Layout:
    """Return the segments of a batch, computed once."""
    return batch.remember("layout", lambda: _layout(batch))


def shared_rows(batch: Embedded) -> list[slice]:
    """Return the rows of each document, if a batch holds several segmentations of every one, which then share sums; else none."""
    return batch.remember("shared rows", lambda: _shared_rows(batch))


def shared_reading(batch: Embedded) -> Iterator[tuple[int, bool]]:
    """Yield each row, and whether it is another segmentation of the document before it, of which everything is known."""
    firsts = {rows.start for rows in shared_rows(batch)}
    for row in range(len(batch)):
        yield row, bool(firsts) and row not in firsts


def _shared_rows(batch: Embedded) -> list[slice]:
    differs = (np.diff(batch.starts) != 0) | (np.diff(batch.n_units) != 0)
    edges = [0, *(np.flatnonzero(differs) + 1).tolist(), len(batch)]
    if min(np.diff(edges)) < 2:
        return []
    return list(itertools.starmap(slice, itertools.pairwise(edges)))


def _layout(batch: Embedded) -> Layout:
    flat = batch.segmentations
    ptr = flat.ptr + np.arange(len(flat) + 1)
    document = np.repeat(np.arange(len(flat)), np.diff(ptr))
    last = np.zeros(len(document), dtype=bool)
    last[ptr[1:] - 1] = True
    begin = np.zeros(len(document), dtype=np.int64)
    inner = np.ones(len(document), dtype=bool)
    inner[ptr[:-1]] = False
    begin[inner] = flat.pos
    end = np.where(last, flat.n_units[document], np.roll(begin, -1))
    return Layout(ptr, document, end - begin, begin + batch.starts[document], last)
