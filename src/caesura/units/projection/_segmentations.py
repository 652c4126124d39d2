# SPDX-License-Identifier: Apache-2.0
"""Projection of one segmentation, and its cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from caesura.errors import ComparabilityError, SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation, milliseconds
from caesura.units.align import Alignment, faults_of

Ints = npt.NDArray[np.int64]
Times = Sequence[tuple[float, float]]
Rule = Literal["nearest", "next", "previous"]


@dataclasses.dataclass(frozen=True)
class Projection:
    """A segmentation projected onto another unit, and the cost."""

    segmentation: Segmentation  # the projected segmentation
    # Maximum and mean displacement of the boundaries that were not dropped; 0 if there are none.
    max_displacement: float
    mean_displacement: float
    measured_in: str  # the unit of the displacements
    merged: int = 0  # number of boundaries that fell on the gap of another one
    dropped: int = 0  # number of boundaries that fell on the start or the end of the document
    # For the output of a chunker, the alignment of its chunks with the text.
    alignment: Alignment | None = None
    moved: tuple[float, ...] = ()  # the displacement of every boundary that was not dropped

    def __str__(self) -> str:
        return summary([self])


def summary(projections: Sequence[Projection]) -> str:
    """Return the total cost of the projections of a corpus in words."""
    farthest = max(value.max_displacement for value in projections)
    parts = [
        f"boundaries moved by {_plain(farthest)} {_units(projections[0].measured_in, farthest)} at most, "
        f"{_plain(mean_displacement(projections))} on average",
        f"{sum(value.merged for value in projections)} merged, {sum(value.dropped for value in projections)} dropped",
    ]
    return "; ".join([*parts, *faults_of([value.alignment for value in projections if value.alignment is not None])])


def distances(projections: Sequence[Projection]) -> str:
    """Return how far the boundaries of a corpus were moved, in the median and at most, in seconds or characters."""
    moved = [each for value in projections for each in value.moved]
    scale, unit = (1000, "s") if projections[0].measured_in == "ms" else (1, "characters")
    median, most = (_plain(float(each) / scale) for each in ((np.median(moved), max(moved)) if moved else (0, 0)))
    lost = [(sum(value.merged for value in projections), "merged"), (sum(v.dropped for v in projections), "dropped")]
    told = "".join(f", {number} {what}" for number, what in lost if number)
    many = "1 boundary" if len(moved) == 1 else f"{len(moved)} boundaries"
    return f"{many} moved by {median} {unit} in the median, {most} {unit} at most{told}"


def mean_displacement(projections: Sequence[Projection]) -> float:
    """Return the mean displacement over all boundaries that were not dropped."""
    counts = [value.segmentation.n_boundaries + value.merged for value in projections]
    total = sum(count * value.mean_displacement for count, value in zip(counts, projections, strict=True))
    return total / sum(counts) if sum(counts) else 0.0


def _units(unit: str, number: float) -> str:
    return unit if unit == "ms" or number == 1 else f"{unit}s"


def _plain(number: float) -> str:
    """Return a number with at most two decimals, never in exponential notation."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def project_to_units(
    segmentation: Segmentation, places: Times | Sequence[int], *, rule: Rule = "nearest", unit: str = UNSPECIFIED_UNIT
) -> Projection:
    """Project boundaries in time or characters onto the gaps between units; ``unit`` names these.

    ``places`` are the positions of the units, increasing: (start, end) in seconds for ``ms``, start offsets for ``character``.

    >>> chapters = Segmentation(10_000, (4_200,), unit="ms")
    >>> made = project_to_units(chapters, [(0, 2), (2, 4), (4, 7), (7, 10)])
    >>> made.segmentation, made.max_displacement
    (Segmentation(4, (2,)), 200.0)
    """
    if segmentation.unit == "ms":
        times = cast("Times", places)
        starts, end = starts_in_ms(times), max(milliseconds(last, "") for _, last in times)
    elif segmentation.unit == "character":
        starts, end = checked_offsets(cast("Sequence[int]", places)), segmentation.n_units
    else:
        raise ComparabilityError(
            f"the unit of the segmentation is {segmentation.unit!r}; only 'ms' and 'character' can be projected onto units"
        )
    gaps = starts[1:]
    indices = _choose(segmentation.positions, gaps, rule, int(starts[0]), end)
    moved = np.abs(gaps[indices[indices >= 0]] - segmentation.positions[indices >= 0])
    return _projection(indices + 1, len(starts), unit, moved, segmentation.unit)


def project_to_time(segmentation: Segmentation, unit_times: Times, *, duration: float | None = None) -> Projection:
    """Project boundaries between units onto time (unit ``ms``).

    ``unit_times`` has the start and end of each unit in seconds; starts must not decrease. ``duration`` is the length of the
    recording in seconds, by default the end of the last unit.

    >>> project_to_time(Segmentation(3, (1,)), [(0, 2.5), (2.75, 4), (4, 6)]).segmentation
    Segmentation(6000, (2750,), unit='ms')
    """
    check_count(segmentation, unit_times, "unit_times")
    starts = starts_in_ms(unit_times)
    last = max(end for _, end in unit_times)
    length = milliseconds(last if duration is None else duration, "the duration")
    if duration is not None and length <= int(starts[-1]):
        raise SegmentationError(
            f"the duration is {duration} s, but the last unit starts at {unit_times[-1][0]} s; give a longer duration"
        )
    exact = np.array([start for start, _ in unit_times], dtype=float)[segmentation.positions] * 1000
    ends = starts[segmentation.positions]
    inside = (ends > 0) & (ends < length)
    return _projection(np.where(inside, ends, 0), max(length, 1), "ms", np.abs(exact - ends)[inside].round(6), "ms")


def project_to_characters(
    segmentation: Segmentation, offsets: Sequence[int], *, n_characters: int | None = None
) -> Projection:
    """Project boundaries between units onto characters.

    ``offsets`` has the start of each unit, increasing; a further entry is the length of the text, unless ``n_characters`` is.

    >>> project_to_characters(Segmentation(3, (2,)), [0, 10, 25, 40]).segmentation
    Segmentation(40, (25,), unit='character')
    """
    starts = checked_offsets(offsets)
    if len(starts) == segmentation.n_units + 1:
        n_characters, starts = int(starts[-1]) if n_characters is None else n_characters, starts[:-1]
    check_count(segmentation, starts, "offsets")
    if n_characters is None:
        raise SegmentationError("the length of the text is unknown; give n_characters, or one more offset")
    if n_characters <= int(starts[-1]):
        raise SegmentationError(
            f"the text has {n_characters} characters, but the last unit starts at {starts[-1]}; correct the offsets"
        )
    ends = starts[segmentation.positions]
    return _projection(ends, n_characters, "character", np.zeros(np.count_nonzero(ends)), "character")


def project_to_subset(
    segmentation: Segmentation, members: Iterable[int] | Iterable[bool], *, rule: Rule = "next"
) -> Projection:
    """Project boundaries onto some of the units, such as the turns of one speaker.

    ``members`` are the units to keep: their indices from 0, increasing; or one truth value per unit. The ``rule`` chooses the kept
    unit for a boundary before a unit that is not kept.

    >>> made = project_to_subset(Segmentation(6, (1, 2, 5)), range(0, 6, 2))  # 1 is merged with 2; 5 has no next member
    >>> made.segmentation, made.merged, made.dropped
    (Segmentation(3, (1,)), 1, 1)
    """
    units = checked_members(members, segmentation.n_units)
    # A boundary before a member becomes the gap before that member; the first member has no gap before it.
    indices = _choose(segmentation.positions, units, rule, int(units[0]), segmentation.n_units)
    inside = indices > 0
    moved = np.abs(units[indices[inside]] - segmentation.positions[inside])
    return _projection(np.where(inside, indices, 0), len(units), segmentation.unit, moved, segmentation.unit)


def _choose(positions: Ints, gaps: Ints, rule: Rule, start: int, end: int) -> Ints:
    """Return for each position the index of the gap that takes it, or -1 if none does.

    None does where there is no gap on that side, or where the start or end of the document is nearer than any gap.
    """
    after = np.searchsorted(gaps, positions, side="left")
    if rule == "next":
        return np.where(after < len(gaps), after, -1)
    before = np.searchsorted(gaps, positions, side="right") - 1
    if rule == "previous":
        return before
    if rule != "nearest":
        raise ComparabilityError(f"rule is {rule!r}; it must be 'nearest', 'next' or 'previous'")
    if not len(gaps):
        return np.full(len(positions), -1)
    ahead = np.abs(gaps[np.minimum(after, len(gaps) - 1)] - positions)
    behind = np.abs(gaps[np.maximum(before, 0)] - positions)
    indices = np.where(behind < ahead, np.maximum(before, 0), np.minimum(after, len(gaps) - 1))
    to_ends = np.minimum(np.abs(positions - start), np.abs(positions - end))
    return np.where(to_ends < np.minimum(ahead, behind), -1, indices)


def _projection(gaps: Ints, n_units: int, unit: str, moved: npt.NDArray[Any], measured_in: str) -> Projection:
    """Return the projection onto gaps, where 0 marks a dropped boundary."""
    kept = gaps[gaps > 0]
    distinct = np.unique(kept)
    return Projection(
        segmentation=Segmentation(n_units, distinct.astype(np.int64), unit=unit),
        max_displacement=float(moved.max()) if len(moved) else 0.0,
        mean_displacement=float(moved.mean()) if len(moved) else 0.0,
        measured_in=measured_in,
        merged=len(kept) - len(distinct),
        dropped=len(gaps) - len(kept),
        moved=tuple(moved.tolist()),
    )


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
