# SPDX-License-Identifier: Apache-2.0
"""The checks that every array from outside passes before a kernel reads it: kernels have no bounds checks of their own."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError
from caesura.segmentation import MOST_UNITS, Segmentation, is_row_of_integers

Ints = npt.NDArray[np.int64]

_TOGETHER = 4_096  # documents checked together: their boundaries stay in the cache


def owned(array: object, name: str) -> Ints:
    """Return a row of whole numbers as int64 that nobody can change: the array itself where that is so, or a copy."""
    if not is_row_of_integers(array):
        raise SegmentationError(
            f"{name} is {_described(array)}; it must be an array of whole numbers in one row"
        )
    if array.dtype.kind == "u" and len(array) and int(array.max()) >= 2**63:
        place = int(np.argmax(array >= 2**63))
        raise SegmentationError(f"{name}[{place}] is {array[place]}; it must fit 64 bits with a sign")
    plain = np.asarray(array)
    if (
        plain.dtype == np.int64
        and plain.flags.c_contiguous
        and plain.flags.aligned
        and not _changeable(plain)
    ):
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
    """Say whether anybody may still write into the memory of an array."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    try:
        return array is not None and not memoryview(array).readonly  # type: ignore[arg-type]
    except TypeError:
        return True


def check_pointers(ptr: Ints, name: str, documents: int, size: int, into: str) -> None:
    """Raise unless ``ptr`` cuts an array of a size into one stretch per document."""
    if len(ptr) != documents + 1:
        raise SegmentationError(
            f"{name} has {len(ptr)} entries for {documents} documents; it must have one more"
        )
    if ptr[0] != 0 or ptr[-1] != size:
        raise SegmentationError(
            f"{name} runs from {ptr[0]} to {ptr[-1]}; it must run from 0 to {size}, the length of {into}"
        )
    falls = ptr[1:] < ptr[:-1]
    if falls.any():
        raise SegmentationError(
            f"{name} falls after document {int(np.argmax(falls)) + 1}; each document must begin where the one before ends"
        )


def check_rows(rows: npt.ArrayLike, documents: int) -> Ints:
    """Return the places of documents as an array, or name the first that is none."""
    places = np.asarray(rows)
    if places.ndim != 1 or (len(places) and places.dtype.kind not in "iu"):
        raise SegmentationError(f"rows are {_described(places)}; they must be whole numbers in one row")
    outside = (places < 0) | (places >= documents)
    if outside.any():
        raise SegmentationError(
            f"there is no document {places[np.argmax(outside)]} among {documents}, counted from 0"
        )
    return places.astype(np.int64, copy=False)


def first_fault(n_units: Ints, ptr: Ints, pos: Ints) -> tuple[int, str] | None:
    """Return the first document that is not a segmentation, with what is wrong; the pointers are right already."""
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
    """Say whether some neighbouring documents are all segmentations."""
    if not (n_units.min() >= 1 and n_units.max() <= MOST_UNITS):
        return False
    first, end = int(ptr[0]), int(ptr[-1])
    if first == end:
        return True
    some, ends = pos[first:end], ptr - first
    rises = np.empty(len(some) + 1, dtype=bool)
    np.greater(some[1:], some[:-1], out=rises[1:-1])
    rises[ends] = True  # a fall where a new document begins is none
    if not (rises.all() and some.min() >= 1):
        return False
    # The last boundary of each document is its greatest. The -1 of a document that has none before it is left out too.
    last = some.take(ends[1:] - 1, mode="clip")
    return bool(((last < n_units) | (ends[1:] == ends[:-1])).all())
