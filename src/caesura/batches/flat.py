# SPDX-License-Identifier: Apache-2.0
"""Segmentations of many documents as three flat arrays, the input of metrics."""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches._layout import check_pointers, check_rows, first_fault, frozen, owned
from caesura.errors import SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation, laid_out

__all__ = ["Flat", "Ints", "check_flat", "first_fault", "starts_of"]

Ints = npt.NDArray[np.int64]


def starts_of(sizes: Sequence[int] | Ints) -> Ints:
    """Return the start of each of consecutive slices, and the end of the last one.

    >>> starts_of([2, 3]).tolist()
    [0, 2, 5]
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


@dataclasses.dataclass(frozen=True, eq=False)
class Flat:
    """Segmentations of many documents as flat arrays, checked, and copied unless they are read-only.

    Raises
    ------
    SegmentationError
        If an array is not one-dimensional and integer, the pointers do not divide ``pos`` into documents, or a document
        is not a valid segmentation; the message names the first invalid document, counted from 1.

    Examples
    --------
    >>> Flat(np.array([13, 5]), np.array([0, 2, 2]), np.array([6, 9])).segmentation(0)
    Segmentation(13, (6, 9))
    """

    n_units: Ints  # [D]: units of each document
    ptr: Ints  # [D + 1]: ``pos[ptr[d]:ptr[d + 1]]`` are the boundaries of document ``d``
    pos: Ints  # [B]: boundaries, increasing within each document

    def __post_init__(self) -> None:
        arrays = {name: owned(getattr(self, name), name) for name in ("n_units", "ptr", "pos")}
        n_units, ptr, pos = arrays.values()
        check_pointers(ptr, "ptr", len(n_units), len(pos), "pos")
        fault = first_fault(n_units, ptr, pos)
        if fault is not None:
            raise SegmentationError(f"document {fault[0] + 1}: {fault[1]}")
        self.__dict__.update(arrays)

    @classmethod
    def _known(cls, n_units: Ints, ptr: Ints, pos: Ints) -> Flat:
        """Wrap arrays that are valid by construction and that nothing else writes to, without checks."""
        self = cls.__new__(cls)
        self.__dict__.update(n_units=frozen(n_units), ptr=frozen(ptr), pos=frozen(pos))
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Flat, (self.n_units, self.ptr, self.pos)

    @classmethod
    def from_segmentations(cls, segmentations: Sequence[Segmentation]) -> Flat:
        """Flatten segmentations into arrays."""
        return cls.with_units(segmentations)[0]

    @classmethod
    def with_units(cls, segmentations: Sequence[Segmentation]) -> tuple[Flat, list[str]]:
        """Flatten segmentations into arrays, and return the unit of each."""
        units, n_units, sizes, pos = laid_out(segmentations)
        return cls._known(n_units, starts_of(sizes), pos), units

    @classmethod
    def without_boundaries(cls, n_units: Ints) -> Flat:
        """Return documents of one segment each."""
        n_units = owned(n_units, "n_units")
        return cls(n_units, np.zeros(len(n_units) + 1, dtype=np.int64), np.empty(0, dtype=np.int64))

    @classmethod
    def joined(cls, flats: Sequence[Flat]) -> Flat:
        """Return the documents of several batches one after the other."""
        sizes = np.concatenate([np.diff(flat.ptr) for flat in flats])
        n_units, pos = (np.concatenate([getattr(flat, name) for flat in flats]) for name in ("n_units", "pos"))
        return cls._known(n_units, starts_of(sizes), pos)

    def __len__(self) -> int:
        return len(self.n_units)

    def segmentation(self, row: int, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Return the segmentation of a document."""
        row = range(len(self))[row]
        positions = array("q", self.pos[self.ptr[row] : self.ptr[row + 1]].tobytes())
        return Segmentation._known(int(self.n_units[row]), positions, unit)

    def take(self, rows: npt.ArrayLike) -> Flat:
        """Return the documents ``rows``, in that order."""
        indices = check_rows(rows, len(self))
        starts, sizes = self.ptr[indices], self.ptr[indices + 1] - self.ptr[indices]
        ptr = starts_of(sizes)
        # Each output index is the start of its document plus the offset within that document.
        places = np.arange(ptr[-1]) + np.repeat(starts - ptr[:-1], sizes)
        return Flat._known(self.n_units[indices], ptr, self.pos[places])

    def between(self, start: int, stop: int) -> Flat:
        """Return the documents from ``start`` to ``stop``; their boundaries are not copied.

        >>> Flat(np.array([9, 4, 5]), np.array([0, 2, 2, 3]), np.array([3, 5, 1])).between(1, 3).ptr.tolist()
        [0, 0, 1]
        """
        start, stop, _ = slice(start, stop).indices(len(self))
        ptr = self.ptr[start : max(start, stop) + 1]
        return Flat._known(self.n_units[start:stop], ptr - ptr[0], self.pos[ptr[0] : ptr[-1]])

    def masses(self) -> Ints:
        """Return the segment lengths of all documents, concatenated.

        >>> Flat(np.array([9, 4]), np.array([0, 2, 2]), np.array([3, 5])).masses().tolist()
        [3, 2, 4, 4]
        """
        ends = np.insert(self.pos, self.ptr[1:], self.n_units)
        lengths = np.diff(ends, prepend=0)
        firsts = self.ptr[:-1] + np.arange(len(self))
        lengths[firsts] = ends[firsts]
        return lengths


def check_flat(value: object, name: str) -> None:
    """Raise unless a value is a `Flat`, whose arrays were checked when it was made."""
    if not isinstance(value, Flat):
        raise SegmentationError(f"{name} is a {type(value).__name__}; it must be a Flat")
