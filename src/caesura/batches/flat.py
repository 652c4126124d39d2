# SPDX-License-Identifier: Apache-2.0
"""Segmentations of many documents as three arrays: what metrics count and files may be mapped to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError
from caesura.segmentation import MOST_UNITS, Segmentation

__all__ = ["Flat", "Ints"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Flat:
    """Segmentations of many documents as flat arrays.

    Attributes
    ----------
    n_units : int64[D]
        Units of each document.
    ptr : int64[D + 1]
        ``pos[ptr[d]:ptr[d + 1]]`` are the boundaries of document ``d``.
    pos : int64[B]
        Boundaries, increasing within each document.
    """

    n_units: Ints
    ptr: Ints
    pos: Ints

    @classmethod
    def from_segmentations(cls, segmentations: Sequence[Segmentation]) -> Flat:
        """Lay segmentations out flat."""
        sizes = [s.n_boundaries for s in segmentations]
        ptr = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(sizes, out=ptr[1:])
        pos = (
            np.concatenate([s.positions for s in segmentations])
            if segmentations
            else np.empty(0, dtype=np.int64)
        )
        return cls(np.array([s.n_units for s in segmentations], dtype=np.int64), ptr, pos)

    def __len__(self) -> int:
        return len(self.n_units)

    def take(self, rows: Ints) -> Flat:
        """Return the documents ``rows``, in that order."""
        starts, sizes = self.ptr[rows], self.ptr[rows + 1] - self.ptr[rows]
        ptr = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(sizes, out=ptr[1:])
        # Each output place is its document's start plus how far it lies into that document.
        places = np.arange(ptr[-1]) + np.repeat(starts - ptr[:-1], sizes)
        return Flat(self.n_units[rows], ptr, self.pos[places])

    def first_fault(self) -> tuple[int, str] | None:
        """Return the first document that is no segmentation, with what is wrong, or None if all are."""
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
            first, last = self.pos[self.ptr[:-1][filled]], self.pos[self.ptr[1:][filled] - 1]
            bad[filled] |= (first < 1) | (last > self.n_units[filled] - 1)
            falls = np.flatnonzero(self.pos[1:] <= self.pos[:-1]) + 1
            # A fall at the start of a document is none: there a new document begins.
            inside = falls[self.ptr[np.searchsorted(self.ptr, falls, side="right") - 1] != falls]
            bad[np.searchsorted(self.ptr, inside, side="right") - 1] = True
        return [int(row) for row in np.flatnonzero(bad)]
