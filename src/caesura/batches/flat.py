# SPDX-License-Identifier: Apache-2.0
"""Segmentations of many documents as three flat arrays, the input of metrics.

Arrays from outside are checked before a kernel reads them: kernels do no bounds checking.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError
from caesura.segmentation import MOST_UNITS, UNSPECIFIED_UNIT, Segmentation, is_row_of_integers, laid_out

__all__ = [
    "Flat", "Ints", "check_flat", "check_pointers", "check_rows", "first_fault", "frozen", "owned", "starts_of",
]  # fmt: skip

_TOGETHER = 32_768  # documents checked per block: few calls, and boundaries that stay in the cache
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


def owned(array: object, name: str) -> Ints:
    """Return a one-dimensional integer array as read-only int64: the array itself if it is one already, else a copy."""
    if not is_row_of_integers(array):
        raise SegmentationError(f"{name} is {_described(array)}; it must be a one-dimensional array of whole numbers")
    if array.dtype.kind == "u" and len(array) and int(array.max()) >= 2**63:
        place = int(np.argmax(array >= 2**63))
        raise SegmentationError(f"{name}[{place}] is {array[place]}; it must fit a signed 64-bit integer")
    plain = np.asarray(array)
    if plain.dtype == np.int64 and plain.flags.c_contiguous and plain.flags.aligned and not _changeable(plain):
        return plain
    return frozen(np.array(plain, dtype=np.int64, order="C"))


def frozen(array: Ints) -> Ints:
    """Return an array after making it read-only."""
    array.setflags(write=False)
    return array


def _described(array: object) -> str:
    if not isinstance(array, np.ndarray):
        return f"a {type(array).__name__}"
    return f"an array of {array.dtype} with {array.ndim} dimensions"


def _changeable(array: object) -> bool:
    """Return whether the memory of an array is still writable through any object."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    try:
        return array is not None and not memoryview(array).readonly  # type: ignore[arg-type]
    except TypeError:
        return True


def check_pointers(ptr: Ints, name: str, documents: int, size: int, into: str) -> None:
    """Raise unless ``ptr`` divides an array of length ``size`` into one slice per document."""
    if len(ptr) != documents + 1:
        raise SegmentationError(f"{name} has {len(ptr)} entries for {documents} documents; it must have one more")
    if ptr[0] != 0 or ptr[-1] != size:
        raise SegmentationError(
            f"{name} runs from {ptr[0]} to {ptr[-1]}; it must run from 0 to {size}, the length of {into}"
        )
    falls = ptr[1:] < ptr[:-1]
    if falls.any():
        raise SegmentationError(
            f"{name} decreases after document {int(np.argmax(falls)) + 1}; each document must start where the previous one ends"
        )


def check_rows(rows: npt.ArrayLike, documents: int) -> Ints:
    """Return document indices as an array, or raise an error that names the first one out of range."""
    places = np.asarray(rows)
    if places.ndim != 1 or (len(places) and places.dtype.kind not in "iu"):
        raise SegmentationError(f"rows are {_described(places)}; they must be a one-dimensional array of whole numbers")
    outside = (places < 0) | (places >= documents)
    if outside.any():
        raise SegmentationError(
            f"document index {places[np.argmax(outside)]} is out of range for {documents} documents, counted from 0"
        )
    return places.astype(np.int64, copy=False)


def first_fault(n_units: Ints, ptr: Ints, pos: Ints) -> tuple[int, str] | None:
    """Return the first invalid document and what is wrong with it; the pointers must be valid."""
    for start in range(0, len(n_units), _TOGETHER):
        stop = min(start + _TOGETHER, len(n_units))
        if not _sound(n_units[start:stop], ptr[start : stop + 1], pos):
            for row in range(start, stop):
                try:
                    Segmentation(int(n_units[row]), pos[ptr[row] : ptr[row + 1]])
                except SegmentationError as error:
                    return row, str(error)
    return None


def _sound(n_units: Ints, ptr: Ints, pos: Ints) -> bool:
    """Return whether all documents of a contiguous range are valid segmentations."""
    if not (n_units.min() >= 1 and n_units.max() <= MOST_UNITS):
        return False
    first, end = int(ptr[0]), int(ptr[-1])
    if first == end:
        return True
    some, ends = pos[first:end], ptr - first
    rises = np.empty(len(some) + 1, dtype=bool)
    np.greater(some[1:], some[:-1], out=rises[1:-1])
    rises[ends] = True  # a decrease at the start of a new document is allowed
    if not rises.all():
        return False
    # The first boundary of each document is its least, the last its greatest; documents without boundaries are skipped.
    least, greatest = some.take(ends[:-1], mode="clip"), some.take(ends[1:] - 1, mode="clip")
    return bool((((least >= 1) & (greatest < n_units)) | (ends[1:] == ends[:-1])).all())
