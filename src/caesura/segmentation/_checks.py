# SPDX-License-Identifier: Apache-2.0
"""Checks of the input of a segmentation: units, boundaries, masses, labels, bits, spans, times."""

from __future__ import annotations

import itertools
import operator
from array import array
from collections.abc import Hashable, Iterable
from typing import Any, Literal, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError
from caesura.kernels.packing import packed_ends

CONTINUOUS_UNITS = frozenset({"ms", "character"})
"""Units so fine that a distance of one unit is meaningless."""

UNSPECIFIED_UNIT = "unit"
"""The unit of a segmentation without a named unit; it is compatible with every unit that is not continuous."""

MOST_UNITS = 2**40
"""The maximum length of a document: 35 years of milliseconds, so that every product in the kernels fits 64 bits."""

Marks = Literal["gap", "first", "last", "last_closed"]
Positions = npt.NDArray[np.int64]
_INT = frozenset({int})


def units_agree(first: str, second: str) -> bool:
    """Return whether two segmentations in these units may be compared.

    Equal names agree; the unspecified unit agrees with every unit that is not continuous.
    """
    if first == second:
        return True
    named = {first, second} - {UNSPECIFIED_UNIT}
    return len(named) == 1 and not named & CONTINUOUS_UNITS


def is_row_of_integers(values: object) -> TypeGuard[npt.NDArray[np.integer]]:
    """Return whether a value is a one-dimensional integer array without masked entries."""
    # A plain array has no masked entries; this avoids importing `numpy.ma`.
    if type(values) is not np.ndarray and (not isinstance(values, np.ndarray) or isinstance(values, np.ma.MaskedArray)):
        return False
    return values.ndim == 1 and values.dtype.kind in "iu"


def checked_unit(unit: object) -> str:
    """Return the name of a unit, or raise if it is invalid."""
    if not isinstance(unit, str) or not unit:
        raise SegmentationError(f"unit is {unit!r}; it must be a word such as 'sentence', 'turn' or 'ms'")
    return unit


def checked_n_units(n_units: object) -> int:
    """Return a number of units, or raise if it is invalid."""
    value = _whole(n_units, "n_units")
    if value < 1:
        raise SegmentationError(f"n_units is {value}; a document has at least one unit")
    if value > MOST_UNITS:
        raise SegmentationError(f"n_units is {value}; a document has at most {MOST_UNITS} units")
    return value


def checked_boundaries(boundaries: Iterable[int], n_units: int) -> array[int]:
    """Return boundaries packed as int64; they must be whole, strictly increasing and inside ``1 .. n_units - 1``."""
    if isinstance(boundaries, (str, bytes)):
        raise SegmentationError(f"boundaries is {boundaries!r}; for a string of 0 and 1 use Segmentation.from_bits")
    if is_row_of_integers(boundaries):
        return _checked_positions(boundaries, n_units)
    values = _whole_numbers(boundaries, "boundaries", "boundary")
    if not values or (values[0] > 0 and values[-1] < n_units and all(map(operator.lt, values, values[1:]))):
        return array("q", values)
    try:
        return _checked_positions(np.array(values, dtype=np.int64), n_units)
    except OverflowError:
        raise SegmentationError(f"boundary {max(values, key=abs)} is out of range 1..{n_units - 1}") from None


def _checked_positions(positions: npt.NDArray[np.integer], n_units: int) -> array[int]:
    """Check and pack an integer array in the same way."""
    # Compared, not subtracted: the difference of two 64-bit numbers may wrap around.
    wrong = np.flatnonzero(positions[1:] <= positions[:-1])
    if len(wrong):
        before, after = int(positions[wrong[0]]), int(positions[wrong[0] + 1])
        kind = "is given twice" if before == after else f"comes after {before}"
        raise SegmentationError(f"boundary {after} {kind}; boundaries must be strictly increasing")
    for gap in positions[[0, -1]].tolist() if len(positions) else ():
        if not 1 <= gap <= n_units - 1:
            raise SegmentationError(_out_of_range(gap, n_units))
    return array("q", positions.astype(np.int64, copy=False).tobytes())


def _out_of_range(gap: int, n_units: int) -> str:
    if n_units == 1:
        return f"boundary {gap} is out of range: a document of one unit has no gap"
    edge = {0: "start", n_units: "end"}.get(gap)
    why = f"the {edge} of the document is not a boundary" if edge else "boundary 1 is behind the first unit"
    return f"boundary {gap} is out of range 1..{n_units - 1} for {n_units} units; {why}"


def ends_of_masses(masses: Iterable[int]) -> array[int]:
    """Return the last unit of each segment, the end of the document included."""
    packed = packed_ends(masses, MOST_UNITS)
    if packed is not None:
        return packed
    values = _whole_numbers(masses, "masses", "mass")
    if not values:
        raise SegmentationError("no masses given; a document has at least one segment")
    if min(values) < 1:
        place, mass = next((p, mass) for p, mass in enumerate(values, start=1) if mass < 1)
        raise SegmentationError(f"mass {place} is {mass}; every segment has at least one unit")
    try:
        ends = array("q", itertools.accumulate(values))
    except OverflowError:
        ends = array("q", [sum(values) if sum(values) < 2**63 else 2**63 - 1])
    if ends[-1] > MOST_UNITS:
        raise SegmentationError(f"the masses add up to {sum(values)}; a document has at most {MOST_UNITS} units")
    return ends


def gaps_of_labels(labels: Iterable[Hashable]) -> tuple[int, list[int]]:
    """Return the number of units, and the gaps where the label changes."""
    values = _listed(labels, "labels")
    if not values:
        raise SegmentationError("no labels given; a document has at least one unit")
    return len(values), [gap for gap in range(1, len(values)) if values[gap] != values[gap - 1]]


def gaps_of_bits(bits: str | Iterable[object], marks: Marks | None) -> tuple[int, list[int]]:
    """Return the number of units, and the gaps that the bits mark; a string has one for each gap unless said otherwise."""
    size, ones = _ones(bits)
    if marks is None and not isinstance(bits, str):
        raise SegmentationError(
            f"bits are a {type(bits).__name__}; say what they mark: marks='gap' (one for each gap), 'first' or 'last' "
            "(one for each unit, a 1 on the first or last unit of a segment)"
        )
    if marks in (None, "gap"):
        return size + 1, ones
    if marks not in ("first", "last", "last_closed"):
        raise SegmentationError(f"marks is {marks!r}; it must be 'gap', 'first', 'last' or 'last_closed'")
    if not size:
        raise SegmentationError("no bits given; a document has at least one unit")
    if marks == "first":
        return size, [place - 1 for place in ones if place > 1]
    if marks == "last_closed" and size not in ones[-1:]:
        raise SegmentationError("the last bit is 0, but marks='last_closed' requires the closing 1; try marks='last'")
    return size, [place for place in ones if place < size]


def _ones(bits: str | Iterable[object]) -> tuple[int, list[int]]:
    """Return the number of bits, and the positions of the ones, counted from 1."""
    if isinstance(bits, np.ndarray) and bits.ndim == 1 and bits.dtype == np.bool_:
        return len(bits), (np.flatnonzero(bits) + 1).tolist()
    listed = _listed(bits, "bits")
    if not isinstance(bits, str) or bits.strip("01"):
        for place, bit in enumerate(listed, start=1):
            if not (isinstance(bit, (str, int, np.integer, np.bool_)) and bit in ("0", "1", 0, 1)):
                raise SegmentationError(f"bit {place} is {bit!r}; it must be 0 or 1")
    return len(listed), [place for place, bit in enumerate(listed, start=1) if bit == "1" or bit == 1]


def masses_of_spans(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Return the lengths of consecutive spans from 0, without gaps or overlaps."""
    masses: list[int] = []
    end_before = 0
    for place, span in enumerate(_listed(spans, "spans"), start=1):
        try:
            start, end = span
        except (TypeError, ValueError):
            raise SegmentationError(f"span {place} is {span!r}; it must be a pair (start, end)") from None
        start, end = _whole(start, "start of span", place), _whole(end, "end of span", place)
        if start != end_before:
            raise SegmentationError(
                f"span {place} starts at {start}, but the previous span ends at {end_before}; "
                "spans must be consecutive from 0, without gaps or overlaps"
            )
        if end <= start:
            raise SegmentationError(f"span {place} is ({start}, {end}); its end must be after its start")
        masses.append(end - start)
        end_before = end
    if not masses:
        raise SegmentationError("no spans given; a document has at least one segment")
    return masses


def in_milliseconds(times: Iterable[float]) -> list[int]:
    """Return boundary times in seconds as milliseconds."""
    return [milliseconds(time, f"boundary {place}") for place, time in enumerate(_listed(times, "boundaries"), start=1)]


def milliseconds(seconds: object, name: str) -> int:
    """Return a time in seconds as milliseconds, or raise if it is invalid."""
    if isinstance(seconds, (bool, np.timedelta64)) or not isinstance(seconds, (int, float, np.integer, np.floating)):
        raise SegmentationError(f"{name} is {seconds!r}; it must be a time in seconds")
    if not np.isfinite(seconds):
        raise SegmentationError(f"{name} is {seconds!r}; it must be a finite time in seconds")
    if seconds < 0:
        raise SegmentationError(f"{name} is {seconds!r}; it must be a time in seconds, at least 0")
    return round(float(seconds) * 1000)


def _listed(values: Iterable[Any], what: str) -> list[Any]:
    """Return values as a list, or raise if they are not iterable."""
    try:
        return list(values)
    except TypeError:
        raise SegmentationError(f"{what} is {values!r}; it must be a list") from None


def _whole_numbers(values: Iterable[Any], what: str, each: str) -> list[int]:
    """Return whole numbers as a list, or raise an error that names the first other value."""
    if is_row_of_integers(values):
        return cast("list[int]", values.tolist())
    listed = _listed(values, what)
    if set(map(type, listed)) <= _INT:
        return listed
    return [_whole(value, each, place) for place, value in enumerate(listed, start=1)]


def _whole(value: object, what: str, place: int | None = None) -> int:
    """Return a whole number, or raise; 3.0 and True are not whole numbers here."""
    name = what if place is None else f"{what} {place}"
    if isinstance(value, (bool, np.bool_)):
        raise SegmentationError(f"{name} is {value!r}; it must be a whole number")
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        hint = "; for times in seconds use Segmentation.from_seconds" if isinstance(value, float) else ""
        raise SegmentationError(f"{name} is {value!r}; it must be a whole number{hint}") from None
