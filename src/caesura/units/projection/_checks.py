# SPDX-License-Identifier: Apache-2.0
"""Checks of the positions of units: times, offsets, members."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError
from caesura.segmentation import Segmentation, milliseconds

Ints = npt.NDArray[np.int64]
Times = Sequence[tuple[float, float]]


def checked_members(members: Iterable[int] | Iterable[bool], n_units: int) -> Ints:
    """Return the indices of the units to keep."""
    values = list(members)
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        if len(values) != n_units:
            raise SegmentationError(f"there are {len(values)} truth values for {n_units} units; give one per unit")
        values = [place for place, is_member in enumerate(values) if is_member]
    try:
        kept = np.array(values, dtype=np.int64) if values else np.empty(0, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        raise SegmentationError("members must be indices of units, or one truth value per unit") from None
    if not len(kept):
        raise SegmentationError("members is empty; keep at least one unit")
    if kept[0] < 0 or kept[-1] >= n_units or (np.diff(kept) <= 0).any():
        raise SegmentationError(f"members must be increasing indices of units, from 0 to {n_units - 1}")
    return kept


def starts_in_ms(unit_times: Times) -> Ints:
    """Return the start of each unit in milliseconds."""
    if not len(unit_times):
        raise SegmentationError("unit_times is empty; give the times of at least one unit")
    starts: list[int] = []
    for place, times in enumerate(unit_times, start=1):
        try:
            start, end = times
        except (TypeError, ValueError):
            raise SegmentationError(f"the time of unit {place} is {times!r}; it must be (start, end)") from None
        starts.append(milliseconds(start, f"the start of unit {place}"))
        if milliseconds(end, f"the end of unit {place}") < starts[-1]:
            raise SegmentationError(f"unit {place} ends at {end} s, before it starts at {start} s; correct its times")
        if place > 1 and starts[-1] < starts[-2]:
            raise SegmentationError(f"unit {place} starts at {start} s, before unit {place - 1}; sort them by start")
    return np.array(starts, dtype=np.int64)


def checked_offsets(offsets: Sequence[int]) -> Ints:
    """Return the start of each unit in characters."""
    array = np.asarray(offsets)
    if array.ndim != 1 or not len(array) or array.dtype.kind not in "iu":
        raise SegmentationError("offsets must be integers, the start of each unit")
    if array[0] < 0 or (np.diff(array) <= 0).any():
        raise SegmentationError("offsets must be increasing, from 0")
    return array.astype(np.int64)


def check_count(segmentation: Segmentation, places: Sequence[Any] | Ints, name: str) -> None:
    """Raise unless there is one position per unit."""
    if len(places) != segmentation.n_units:
        raise SegmentationError(f"{name} has {len(places)} entries for {segmentation.n_units} units; give one per unit")
