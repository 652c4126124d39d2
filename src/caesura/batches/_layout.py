# SPDX-License-Identifier: Apache-2.0
"""Checks of arrays from outside before a kernel reads them; kernels do no bounds checking."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError
from caesura.segmentation import MOST_UNITS, Segmentation, is_row_of_integers

Ints = npt.NDArray[np.int64]

_TOGETHER = 32_768  # documents checked per block: few calls, and boundaries that stay in the cache


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
