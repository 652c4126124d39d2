# SPDX-License-Identifier: Apache-2.0
"""The one value type of the library: how many units there are, and which gaps between them are boundaries.

Conventions, here and everywhere
--------------------------------
A document has ``n_units`` units. Gap ``i`` lies after unit ``i``, ``1 <= i <= n_units - 1``. A boundary is a chosen
gap; the end of the document is never one. Masses, labels, bits and spans are other ways to write the same thing, and
every conversion between them lives in this file.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError

__all__ = ["CONTINUOUS_UNITS", "MOST_UNITS", "UNSPECIFIED_UNIT", "Segmentation", "units_agree"]

CONTINUOUS_UNITS = frozenset({"ms", "character"})
"""Units so fine that a distance of one of them means nothing."""

UNSPECIFIED_UNIT = "unit"
"""The unit of a segmentation of which nobody said what it counts; it goes with every unit that is not continuous."""

MOST_UNITS = 2**40
"""The longest document: 35 years of milliseconds. With it every product in the kernels fits 64 bits."""

Marks = Literal["gap", "first", "last", "last_closed"]
Positions = npt.NDArray[np.int64]


class Segmentation:
    """A document of ``n_units`` units cut at ``boundaries``; immutable and checked.

    Parameters
    ----------
    n_units : int
        How many units the document has, at least 1.
    boundaries : iterable of int, optional
        The chosen gaps, strictly increasing, each in ``1 .. n_units - 1``.
    unit : str, optional
        What is counted: ``"sentence"``, ``"turn"``, ``"paragraph"``, ``"ms"``, ``"character"`` or any other word.

    Raises
    ------
    SegmentationError
        If the values are not whole numbers, not increasing or out of range.

    Examples
    --------
    >>> s = Segmentation.from_masses([6, 3, 4])
    >>> s
    Segmentation(13, (6, 9))
    >>> s.bits
    '000001001000'
    >>> s[4:8].masses  # units 5 to 8: the boundary after unit 6 falls in their middle
    (2, 2)
    """

    __slots__ = ("_boundaries", "_n_units", "_positions", "_unit")

    _boundaries: tuple[int, ...] | None
    _n_units: int
    _positions: Positions
    _unit: str

    def __init__(self, n_units: int, boundaries: Iterable[int] = (), *, unit: str = UNSPECIFIED_UNIT) -> None:
        self._n_units = _checked_n_units(n_units)
        self._positions = _checked_positions(boundaries, self._n_units)
        self._unit = _checked_unit(unit)
        self._boundaries = None

    @classmethod
    def from_positions(cls, n_units: int, positions: Positions, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Wrap positions that are known to be right: increasing, in range, int64; nothing is checked.

        For readers that have checked a whole corpus at once; everybody else calls the constructor.
        """
        self = cls.__new__(cls)
        self._n_units = n_units
        self._positions = positions
        self._unit = unit
        self._boundaries = None
        return self

    # ------------------------------------------------------------------ from other spellings

    @classmethod
    def from_masses(cls, masses: Iterable[int], *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Make a segmentation from the lengths of its segments.

        >>> Segmentation.from_masses([6, 3, 4]).boundaries
        (6, 9)
        """
        values = [
            _whole(mass, "mass", place) for place, mass in enumerate(_listed(masses, "masses"), start=1)
        ]
        if not values:
            raise SegmentationError("no masses given; a document has at least one segment")
        for place, mass in enumerate(values, start=1):
            if mass < 1:
                raise SegmentationError(f"mass {place} is {mass}; every segment has at least one unit")
        if sum(values) > MOST_UNITS:
            raise SegmentationError(
                f"the masses add up to {sum(values)}; a document has at most {MOST_UNITS} units"
            )
        ends = np.cumsum(np.asarray(values, dtype=np.int64))
        return cls.from_positions(int(ends[-1]), _frozen(ends[:-1]), _checked_unit(unit))

    @classmethod
    def from_labels(cls, labels: Iterable[Hashable], *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Make a segmentation from one label per unit: a boundary where the label changes.

        Labels are compared by equality, so what they are called changes nothing, and a label that is false (0, "")
        is a label like any other.

        >>> Segmentation.from_labels("aaabbc").boundaries
        (3, 5)
        """
        values = _listed(labels, "labels")
        if not values:
            raise SegmentationError("no labels given; a document has at least one unit")
        gaps = [gap for gap in range(1, len(values)) if values[gap] != values[gap - 1]]
        return cls(len(values), gaps, unit=unit)

    @classmethod
    def from_bits(
        cls, bits: str | Iterable[int | bool], *, marks: Marks = "gap", unit: str = UNSPECIFIED_UNIT
    ) -> Segmentation:
        """Make a segmentation from a string or sequence of 0 and 1.

        Parameters
        ----------
        bits : str or iterable of 0 and 1
            Where the boundaries are.
        marks : {"gap", "first", "last", "last_closed"}
            What a bit stands for. ``"gap"``: one bit per gap, so one fewer than units. ``"first"``: one bit per unit,
            1 on the first unit of a new segment (the bit of unit 1 says nothing). ``"last"``: one bit per unit, 1 on
            the last unit of a segment, the closing one optional. ``"last_closed"``: the same, the closing 1 demanded.
        unit : str, optional
            What is counted.

        Examples
        --------
        >>> Segmentation.from_bits("0100")
        Segmentation(5, (2,))
        >>> Segmentation.from_bits("00100", marks="first")
        Segmentation(5, (2,))
        >>> Segmentation.from_bits("01001", marks="last_closed")
        Segmentation(5, (2,))
        """
        values = [_bit(bit, place) for place, bit in enumerate(_listed(bits, "bits"), start=1)]
        if marks == "gap":
            return cls(len(values) + 1, [gap for gap, bit in enumerate(values, start=1) if bit], unit=unit)
        if marks not in ("first", "last", "last_closed"):
            raise SegmentationError(f"marks is {marks!r}; it must be 'gap', 'first', 'last' or 'last_closed'")
        if not values:
            raise SegmentationError("no bits given; a document has at least one unit")
        if marks == "first":
            return cls(len(values), [place for place, bit in enumerate(values) if bit and place], unit=unit)
        if marks == "last_closed" and not values[-1]:
            raise SegmentationError(
                "the last bit is 0, but marks='last_closed' wants the closing 1; try marks='last'"
            )
        return cls(len(values), [place for place, bit in enumerate(values[:-1], start=1) if bit], unit=unit)

    @classmethod
    def from_spans(cls, spans: Iterable[tuple[int, int]], *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Make a segmentation from half-open spans ``(start, end)`` of units counted from 0, without holes.

        >>> Segmentation.from_spans([(0, 6), (6, 9), (9, 13)]).masses
        (6, 3, 4)
        """
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
                    f"span {place} starts at {start} but the one before ends at {end_before}; "
                    "spans must follow each other without hole or overlap, from 0"
                )
            if end <= start:
                raise SegmentationError(f"span {place} is ({start}, {end}); its end must lie after its start")
            masses.append(end - start)
            end_before = end
        if not masses:
            raise SegmentationError("no spans given; a document has at least one segment")
        return cls.from_masses(masses, unit=unit)

    @classmethod
    def from_seconds(cls, boundaries: Iterable[float], duration: float) -> Segmentation:
        """Make a timed segmentation (unit ``ms``) from boundary times and the duration, both in seconds.

        Times are rounded to the nearest millisecond.

        >>> Segmentation.from_seconds([61.5, 90], duration=120.0)
        Segmentation(120000, (61500, 90000), unit='ms')
        """
        return cls(
            _milliseconds(duration, "duration"),
            [
                _milliseconds(time, f"boundary {place}")
                for place, time in enumerate(_listed(boundaries, "boundaries"), start=1)
            ],
            unit="ms",
        )

    # ------------------------------------------------------------------ what it is

    @property
    def n_units(self) -> int:
        """How many units the document has."""
        return self._n_units

    @property
    def unit(self) -> str:
        """What is counted."""
        return self._unit

    @property
    def positions(self) -> Positions:
        """The boundaries as a read-only int64 array, for arithmetic."""
        return self._positions

    @property
    def boundaries(self) -> tuple[int, ...]:
        """The chosen gaps, increasing."""
        if self._boundaries is None:
            self._boundaries = tuple(self._positions.tolist())
        return self._boundaries

    @property
    def n_boundaries(self) -> int:
        """How many gaps are boundaries."""
        return len(self._positions)

    @property
    def n_segments(self) -> int:
        """How many segments there are: one more than boundaries."""
        return len(self._positions) + 1

    @property
    def masses(self) -> tuple[int, ...]:
        """The lengths of the segments, in order."""
        edges = np.concatenate(([0], self._positions, [self._n_units]))
        return tuple(np.diff(edges).tolist())

    @property
    def labels(self) -> tuple[int, ...]:
        """The number of its segment for each unit, from 0.

        >>> Segmentation(5, (2,)).labels
        (0, 0, 1, 1, 1)
        """
        return tuple(np.repeat(np.arange(self.n_segments), self.masses).tolist())

    @property
    def bits(self) -> str:
        """One ``0`` or ``1`` per gap."""
        marks = np.full(self._n_units - 1, ord("0"), dtype=np.uint8)
        marks[self._positions - 1] = ord("1")
        return marks.tobytes().decode("ascii")

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The segments as half-open spans of units counted from 0.

        >>> Segmentation(5, (2,)).spans
        ((0, 2), (2, 5))
        """
        edges = (0, *self.boundaries, self._n_units)
        return tuple(itertools.pairwise(edges))

    def with_unit(self, unit: str) -> Segmentation:
        """Return the same boundaries, counted in units of another name; nothing is converted."""
        return Segmentation.from_positions(self._n_units, self._positions, _checked_unit(unit))

    def mirrored(self) -> Segmentation:
        """Return the segmentation of the document read backwards.

        >>> Segmentation(5, (2,)).mirrored()
        Segmentation(5, (3,))
        """
        return Segmentation.from_positions(
            self._n_units, _frozen(self._n_units - self._positions[::-1]), self._unit
        )

    # ------------------------------------------------------------------ the Python protocols

    def __len__(self) -> int:
        return self._n_units

    def __getitem__(self, units: slice) -> Segmentation:
        """Return the part over a slice of units, which keeps the boundaries inside it."""
        if not isinstance(units, slice):
            raise SegmentationError(
                f"a segmentation is cut by a slice of units such as [2:7], not by {units!r}"
            )
        start, stop, step = units.indices(self._n_units)
        if step != 1:
            raise SegmentationError(f"a slice of units has no step, got {step}")
        if stop <= start:
            raise SegmentationError(f"the slice [{start}:{stop}] holds no unit of the {self._n_units}")
        inside = self._positions[(self._positions > start) & (self._positions < stop)]
        return Segmentation.from_positions(stop - start, _frozen(inside - start), self._unit)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        return (
            self._n_units == other._n_units
            and self._unit == other._unit
            and np.array_equal(self._positions, other._positions)
        )

    def __hash__(self) -> int:
        return hash((self._n_units, self._unit, self._positions.tobytes()))

    def __repr__(self) -> str:
        unit = "" if self._unit == UNSPECIFIED_UNIT else f", unit={self._unit!r}"
        return f"Segmentation({self._n_units}, {self.boundaries!r}{unit})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._n_units, self.boundaries, self._unit)


def units_agree(first: str, second: str) -> bool:
    """Say whether two segmentations in these units may be compared.

    Equal names agree; a unit nobody named agrees with every unit that is not continuous.
    """
    if first == second:
        return True
    named = {first, second} - {UNSPECIFIED_UNIT}
    return len(named) == 1 and not named & CONTINUOUS_UNITS


def _rebuild(n_units: int, boundaries: tuple[int, ...], unit: str) -> Segmentation:
    return Segmentation(n_units, boundaries, unit=unit)


def _frozen(positions: Positions) -> Positions:
    array = np.ascontiguousarray(positions, dtype=np.int64)
    if array is positions or array.base is not None:
        array = array.copy()
    array.setflags(write=False)
    return array


def _listed(values: Iterable[Any], what: str) -> list[Any]:
    """Return values as a list, or say what is there instead."""
    try:
        return list(values)
    except TypeError:
        raise SegmentationError(f"{what} is {values!r}; it must be a list") from None


def _whole(value: object, what: str, place: int | None = None) -> int:
    """Return a whole number or say what is there instead; 3.0 and True are not whole numbers here."""
    name = what if place is None else f"{what} {place}"
    if isinstance(value, (bool, np.bool_)):
        raise SegmentationError(f"{name} is {value!r}; it must be a whole number")
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        hint = "; for times in seconds use Segmentation.from_seconds" if isinstance(value, float) else ""
        raise SegmentationError(f"{name} is {value!r}; it must be a whole number{hint}") from None


def _milliseconds(seconds: object, name: str) -> int:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float, np.integer, np.floating)):
        raise SegmentationError(f"{name} is {seconds!r}; it must be a time in seconds")
    if not np.isfinite(seconds):
        raise SegmentationError(f"{name} is {seconds!r}; it must be a finite time in seconds")
    return round(float(seconds) * 1000)


def _checked_n_units(n_units: object) -> int:
    value = _whole(n_units, "n_units")
    if value < 1:
        raise SegmentationError(f"n_units is {value}; a document has at least one unit")
    if value > MOST_UNITS:
        raise SegmentationError(f"n_units is {value}; a document has at most {MOST_UNITS} units")
    return value


def _checked_unit(unit: object) -> str:
    if not isinstance(unit, str) or not unit:
        raise SegmentationError(f"unit is {unit!r}; it must be a word such as 'sentence', 'turn' or 'ms'")
    return unit


def _bit(bit: object, place: int) -> bool:
    if bit in ("0", "1"):
        return bit == "1"
    if isinstance(bit, (int, np.integer, np.bool_)) and bit in (0, 1):
        return bool(bit)
    raise SegmentationError(f"bit {place} is {bit!r}; it must be 0 or 1")


def _checked_positions(boundaries: Iterable[int], n_units: int) -> Positions:
    """Check that boundaries are whole, strictly increasing and inside ``1 .. n_units - 1``."""
    if isinstance(boundaries, (str, bytes)):
        raise SegmentationError(
            f"boundaries is {boundaries!r}; for a string of 0 and 1 use Segmentation.from_bits"
        )
    if isinstance(boundaries, np.ndarray) and boundaries.ndim == 1 and boundaries.dtype.kind in "iu":
        array = np.array(boundaries, dtype=np.int64)
    else:
        values: Sequence[int] = [
            _whole(gap, "boundary", place)
            for place, gap in enumerate(_listed(boundaries, "boundaries"), start=1)
        ]
        try:
            array = np.array(values, dtype=np.int64)
        except OverflowError:
            raise SegmentationError(
                f"boundary {max(values, key=abs)} is out of range 1..{n_units - 1}"
            ) from None
    if len(array):
        _check_order(array)
        for gap in (int(array[0]), int(array[-1])):
            if not 1 <= gap <= n_units - 1:
                raise SegmentationError(_out_of_range(gap, n_units))
    array.setflags(write=False)
    return array


def _check_order(array: Positions) -> None:
    wrong = np.flatnonzero(np.diff(array) <= 0)
    if len(wrong):
        before, after = int(array[wrong[0]]), int(array[wrong[0] + 1])
        kind = "stands twice" if before == after else f"comes after {before}"
        raise SegmentationError(f"boundary {after} {kind}; boundaries must be strictly increasing")


def _out_of_range(gap: int, n_units: int) -> str:
    if n_units == 1:
        return f"boundary {gap} is out of range: a document of one unit has no gap"
    end = "; the end of the document is not a boundary" if gap == n_units else ""
    return f"boundary {gap} is out of range 1..{n_units - 1} for {n_units} units{end}"
