# SPDX-License-Identifier: Apache-2.0
"""Segmentations of many documents as three arrays: what metrics count and files may be mapped to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError
from caesura.segmentation import MOST_UNITS, UNSPECIFIED_UNIT, Segmentation, laid_out

__all__ = ["Flat", "Ints", "starts_of"]

Ints = npt.NDArray[np.int64]


def starts_of(sizes: Sequence[int] | Ints) -> Ints:
    """Return where each of consecutive stretches begins, and where the last one ends.

    >>> starts_of([2, 3]).tolist()
    [0, 2, 5]
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


@dataclasses.dataclass(frozen=True)
class Flat:
    """Segmentations of many documents as flat arrays."""

    n_units: Ints  # [D]: units of each document
    ptr: Ints  # [D + 1]: ``pos[ptr[d]:ptr[d + 1]]`` are the boundaries of document ``d``
    pos: Ints  # [B]: boundaries, increasing within each document

    @classmethod
    def from_segmentations(cls, segmentations: Sequence[Segmentation]) -> Flat:
        """Lay segmentations out flat."""
        return cls.with_units(segmentations)[0]

    @classmethod
    def with_units(cls, segmentations: Sequence[Segmentation]) -> tuple[Flat, list[str]]:
        """Lay segmentations out flat, and say what each of them counts."""
        units, n_units, sizes, pos = laid_out(segmentations)
        return cls(n_units, starts_of(sizes), pos), units

    def __len__(self) -> int:
        return len(self.n_units)

    def segmentation(self, row: int, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Return the segmentation of the document at a place."""
        positions = self.pos[self.ptr[row] : self.ptr[row + 1]]
        if positions.flags.writeable:
            positions = positions.copy()
            positions.setflags(write=False)
        return Segmentation.from_positions(int(self.n_units[row]), positions, unit)

    def take(self, rows: Ints) -> Flat:
        """Return the documents ``rows``, in that order."""
        starts, sizes = self.ptr[rows], self.ptr[rows + 1] - self.ptr[rows]
        ptr = starts_of(sizes)
        # Each output place is its document's start plus how far it lies into that document.
        places = np.arange(ptr[-1]) + np.repeat(starts - ptr[:-1], sizes)
        return Flat(self.n_units[rows], ptr, self.pos[places])

    def masses(self) -> Ints:
        """Return the lengths of the segments of every document, one after the other.

        >>> Flat(np.array([9, 4]), np.array([0, 2, 2]), np.array([3, 5])).masses().tolist()
        [3, 2, 4, 4]
        """
        ends = np.insert(self.pos, self.ptr[1:], self.n_units)
        lengths = np.diff(ends, prepend=0)
        firsts = self.ptr[:-1] + np.arange(len(self))
        lengths[firsts] = ends[firsts]
        return lengths

    def check_layout(self) -> None:
        """Raise unless the three arrays belong together, so that no document reaches beyond the boundaries."""
        for name in ("n_units", "ptr", "pos"):
            array = getattr(self, name)
            if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
                raise SegmentationError(f"{name} is not an array of whole numbers in one row")
        if len(self.ptr) != len(self.n_units) + 1:
            raise SegmentationError(
                f"ptr has {len(self.ptr)} entries for {len(self.n_units)} documents; it must have one more"
            )
        if self.ptr[0] != 0 or self.ptr[-1] != len(self.pos):
            raise SegmentationError(
                f"ptr runs from {self.ptr[0]} to {self.ptr[-1]}; it must run from 0 to {len(self.pos)}, the length of pos"
            )
        falls = np.flatnonzero(self.ptr[1:] < self.ptr[:-1])
        if len(falls):
            raise SegmentationError(
                f"ptr falls after document {falls[0] + 1}; each document must begin where the one before ends"
            )

    def first_fault(self) -> tuple[int, str] | None:
        """Return the first document that is not a segmentation, with what is wrong, or None if all are."""
        for row in self._suspects():
            try:
                Segmentation(int(self.n_units[row]), self.pos[self.ptr[row] : self.ptr[row + 1]])
            except SegmentationError as error:
                return int(row), str(error)
        return None

    def _suspects(self) -> Iterable[int]:
        """Return the rows that break a rule, found over all documents at once."""
        bad = (self.n_units < 1) | (self.n_units > MOST_UNITS)
        filled = self.ptr[1:] > self.ptr[:-1]
        if len(self.pos):
            starts, ends = self.ptr[:-1][filled], self.ptr[1:][filled]
            bad[filled] |= (self.pos[starts] < 1) | (self.pos[ends - 1] > self.n_units[filled] - 1)
            rises = self.pos[1:] > self.pos[:-1]
            rises[starts[1:] - 1] = True  # a fall where a new document begins is none
            falls = np.flatnonzero(~rises) + 1
            bad[np.searchsorted(self.ptr, falls, side="right") - 1] = True
        return [int(row) for row in np.flatnonzero(bad)]
