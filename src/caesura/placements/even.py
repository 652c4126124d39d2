# SPDX-License-Identifier: Apache-2.0
"""Evenly spaced boundaries, none, and all: of one document, and of many at once."""

from __future__ import annotations

import numpy as np

from caesura.batches.flat import Flat, Ints, starts_of
from caesura.errors import SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation

__all__ = ["all_gaps", "even", "even_of_each", "every", "every_of_each", "none"]


def none(n_units: int, *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
    """Set no boundary.

    >>> none(5).masses
    (5,)
    """
    return Segmentation(n_units, unit=unit)


def all_gaps(n_units: int, *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
    """Set a boundary at every gap.

    >>> all_gaps(4).masses
    (1, 1, 1, 1)
    """
    return Segmentation(n_units, range(1, n_units), unit=unit)


def every(n_units: int, length: int, *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
    """Set a boundary after every ``length`` units.

    >>> every(10, 4).masses
    (4, 4, 2)
    """
    if length < 1:
        raise SegmentationError(f"length is {length}; it must be at least 1")
    return Segmentation(n_units, range(length, n_units, length), unit=unit)


def even(n_units: int, count: int, *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
    """Set ``count`` boundaries at equal distances: at floor(i s), s = n_units / (count + 1).

    s is a floating-point number, as in the code of the granularity paper, whose tables depend on it; if i s is a whole
    number, rounding may place a boundary one unit earlier. Boundaries that do not fit are left out.

    >>> even(10, 2).masses
    (3, 3, 4)
    """
    if count < 0:
        raise SegmentationError(f"count is {count}; it must be at least 0")
    step = n_units / (count + 1)
    if step < 1:
        return all_gaps(n_units, unit=unit)
    gaps = np.unique(np.floor(np.arange(1, count + 1) * step).astype(np.int64))
    return Segmentation(n_units, gaps[(gaps >= 1) & (gaps < n_units)], unit=unit)


def every_of_each(n_units: Ints, length: int) -> Flat:
    """Set a boundary after every ``length`` units of each document, as `every` does.

    >>> every_of_each(np.array([10, 3]), 4).pos.tolist()
    [4, 8]
    """
    counts = (n_units - 1) // length
    ptr = starts_of(counts)
    places = np.arange(ptr[-1]) - np.repeat(ptr[:-1], counts)
    return Flat._known(n_units, ptr, (places + 1) * length)


def even_of_each(n_units: Ints, counts: Ints) -> Flat:
    """Set boundaries at equal distances in each document, as `even` does.

    >>> even_of_each(np.array([10, 3]), np.array([2, 5])).pos.tolist()
    [3, 6, 1, 2]
    """
    steps = n_units / (counts + 1)
    full = steps < 1
    counts = np.where(full, n_units - 1, counts)
    ptr = starts_of(counts)
    places = np.arange(ptr[-1]) - np.repeat(ptr[:-1], counts) + 1
    pos = np.floor(places * np.repeat(np.where(full, 1.0, steps), counts)).astype(np.int64)
    # Rounding may set two of them at one gap, or one at the end.
    kept = (pos >= 1) & (pos < np.repeat(n_units, counts))
    kept[1:] &= (pos[1:] != pos[:-1]) | (places[1:] == 1)
    return Flat(n_units, np.concatenate(([0], np.cumsum(kept)))[ptr], pos[kept])
