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
from array import array
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Literal, cast

import numpy as np
import numpy.typing as npt

from caesura.errors import SegmentationError

__all__ = [
    "CONTINUOUS_UNITS",
    "MOST_UNITS",
    "UNSPECIFIED_UNIT",
    "Segmentation",
    "Spelled",
    "is_spelled",
    "laid_out",
    "not_a_segmentation",
    "segmentation_of",
    "units_agree",
]

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

    __slots__ = ("_boundaries", "_given", "_n_units", "_positions", "_unit")

    # The boundaries as they came: packed as int64, or the array of a reader. Tuple and array are made when asked for.
    _given: bytes | Positions
    _boundaries: tuple[int, ...] | None
    _positions: Positions | None
    _n_units: int
    _unit: str

    def __init__(self, n_units: int, boundaries: Iterable[int] = (), *, unit: str = UNSPECIFIED_UNIT) -> None:
        self._n_units = _checked_n_units(n_units)
        self._boundaries = self._positions = None
        self._given = _checked_boundaries(boundaries, self._n_units)
        self._unit = _checked_unit(unit)

    @classmethod
    def from_positions(cls, n_units: int, positions: Positions, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Wrap positions that are known to be right: increasing, in range, int64; nothing is checked.

        For readers that have checked a whole corpus at once; everybody else calls the constructor.
        """
        self = cls.__new__(cls)
        self._n_units = n_units
        self._given = self._positions = positions
        self._unit = unit
        self._boundaries = None
        return self

    @classmethod
    def _from_known(cls, n_units: int, boundaries: Iterable[int], unit: object) -> Segmentation:
        """Pack boundaries that are right by the way they were made; only the unit is checked."""
        self = cls.__new__(cls)
        self._n_units = n_units
        self._given = array("q", boundaries).tobytes()
        self._boundaries = self._positions = None
        self._unit = _checked_unit(unit)
        return self

    # ------------------------------------------------------------------ from other spellings

    @classmethod
    def from_boundaries(
        cls, n_units: int, boundaries: Iterable[int], *, unit: str = UNSPECIFIED_UNIT
    ) -> Segmentation:
        """Make a segmentation from its length and its boundaries, as the constructor does.

        >>> Segmentation.from_boundaries(13, [6, 9]).masses
        (6, 3, 4)
        """
        return cls(n_units, boundaries, unit=unit)

    @classmethod
    def from_masses(cls, masses: Iterable[int], *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Make a segmentation from the lengths of its segments.

        >>> Segmentation.from_masses([6, 3, 4]).boundaries
        (6, 9)
        """
        values = _whole_numbers(masses, "masses", "mass")
        if not values:
            raise SegmentationError("no masses given; a document has at least one segment")
        if min(values) < 1:
            place, mass = next((p, mass) for p, mass in enumerate(values, start=1) if mass < 1)
            raise SegmentationError(f"mass {place} is {mass}; every segment has at least one unit")
        *ends, n_units = itertools.accumulate(values)
        if n_units > MOST_UNITS:
            raise SegmentationError(
                f"the masses add up to {n_units}; a document has at most {MOST_UNITS} units"
            )
        return cls._from_known(n_units, ends, unit)

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
        return cls._from_known(len(values), gaps, unit)

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
        size, ones = _ones(bits)
        if marks == "gap":
            return cls._from_known(size + 1, ones, unit)
        if marks not in ("first", "last", "last_closed"):
            raise SegmentationError(f"marks is {marks!r}; it must be 'gap', 'first', 'last' or 'last_closed'")
        if not size:
            raise SegmentationError("no bits given; a document has at least one unit")
        if marks == "first":
            return cls._from_known(size, [place - 1 for place in ones if place > 1], unit)
        if marks == "last_closed" and size not in ones[-1:]:
            raise SegmentationError(
                "the last bit is 0, but marks='last_closed' wants the closing 1; try marks='last'"
            )
        return cls._from_known(size, [place for place in ones if place < size], unit)

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
        positions = self._positions
        if positions is None:
            # Bytes cannot be changed, so neither can an array that looks at them.
            self._positions = positions = np.frombuffer(self._given, dtype=np.int64)
        return positions

    @property
    def boundaries(self) -> tuple[int, ...]:
        """The chosen gaps, increasing."""
        boundaries = self._boundaries
        if boundaries is None:
            self._boundaries = boundaries = tuple(self.positions.tolist())
        return boundaries

    @property
    def n_boundaries(self) -> int:
        """How many gaps are boundaries."""
        return len(self.positions)

    @property
    def n_segments(self) -> int:
        """How many segments there are: one more than boundaries."""
        return len(self.positions) + 1

    @property
    def masses(self) -> tuple[int, ...]:
        """The lengths of the segments, in order."""
        edges = (0, *self.boundaries, self._n_units)
        return tuple(map(operator.sub, edges[1:], edges))

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
        marks[self.positions - 1] = ord("1")
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
        return Segmentation.from_positions(self._n_units, self.positions, _checked_unit(unit))

    def mirrored(self) -> Segmentation:
        """Return the segmentation of the document read backwards.

        >>> Segmentation(5, (2,)).mirrored()
        Segmentation(5, (3,))
        """
        return Segmentation.from_positions(
            self._n_units, _frozen(self._n_units - self.positions[::-1]), self._unit
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
        inside = self.positions[(self.positions > start) & (self.positions < stop)]
        return Segmentation.from_positions(stop - start, _frozen(inside - start), self._unit)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        return (
            self._n_units == other._n_units
            and self._unit == other._unit
            and np.array_equal(self.positions, other.positions)
        )

    def __hash__(self) -> int:
        return hash((self._n_units, self._unit, self.positions.tobytes()))

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


Spelled = Segmentation | str | Sequence[bool] | npt.NDArray[np.bool_]
"""What is a segmentation in one way only: a segmentation, or bits as a string of 0 and 1, or as bool."""


def segmentation_of(value: object, name: str) -> Segmentation:
    """Return the segmentation that a value spells in one way only, or say how to spell it.

    Parameters
    ----------
    value : Segmentation, str, list, tuple or array
        A segmentation; a string of 0 and 1; a list or tuple of bool; an array of bool. Bits stand for gaps, as
        `Segmentation.from_bits` takes them. Whole numbers may be masses, labels or bits, and words may be labels or
        texts, so they are refused.
    name : str
        What the value is called in the message.

    Examples
    --------
    >>> segmentation_of("000001001000", "reference").masses
    (6, 3, 4)
    """
    if isinstance(value, Segmentation):
        return value
    if not is_spelled(value):
        raise SegmentationError(f"{name} is {not_a_segmentation(value)}")
    return Segmentation.from_bits(cast("str | Sequence[bool]", value))


def is_spelled(value: object) -> bool:
    """Say whether `segmentation_of` takes a value."""
    if isinstance(value, Segmentation):
        return True
    if isinstance(value, str):
        return bool(value) and not value.strip("01")
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and value.dtype == np.bool_ and bool(len(value))
    return isinstance(value, (list, tuple)) and set(map(type, value)) in ({bool}, {np.bool_})


def not_a_segmentation(value: object) -> str:
    """Say of a value that it is not a segmentation, and how to make one."""
    return (
        f"a {type(value).__name__}; it must be a Segmentation, such as Segmentation.from_masses([6, 3, 4]), "
        "from_bits('000001001000'), from_labels('aaaaaabbbcccc') or from_boundaries(13, [6, 9])"
    )


def laid_out(segmentations: Iterable[Segmentation]) -> tuple[list[str], Positions, Positions, Positions]:
    """Return what each segmentation counts, its units, the number of its boundaries, and the boundaries of all in a row."""
    rows: list[Any] = []
    lengths: list[int] = []
    units: list[str] = []
    for segmentation in segmentations:  # once: a hundred thousand objects do not stay in the cache
        rows.append(segmentation._given)
        lengths.append(segmentation._n_units)
        units.append(segmentation._unit)
    if set(map(type, rows)) <= {bytes}:
        sizes = np.fromiter(map(len, rows), np.int64, len(rows)) // 8
        positions = np.frombuffer(b"".join(rows), dtype=np.int64)
    else:
        arrays = [row if isinstance(row, np.ndarray) else np.frombuffer(row, dtype=np.int64) for row in rows]
        sizes = np.fromiter(map(len, arrays), np.int64, len(rows))
        positions = np.concatenate(arrays)
    return units, np.array(lengths, dtype=np.int64), sizes, positions


_INT = frozenset({int})


def _rebuild(n_units: int, boundaries: tuple[int, ...], unit: str) -> Segmentation:
    return Segmentation(n_units, boundaries, unit=unit)


def _frozen(positions: Positions) -> Positions:
    """Return a copy that cannot be changed."""
    copied = np.array(positions, dtype=np.int64)
    copied.setflags(write=False)
    return copied


def _listed(values: Iterable[Any], what: str) -> list[Any]:
    """Return values as a list, or say what is there instead."""
    try:
        return list(values)
    except TypeError:
        raise SegmentationError(f"{what} is {values!r}; it must be a list") from None


def _whole_numbers(values: Iterable[Any], what: str, each: str) -> list[int]:
    """Return whole numbers as a list, or say which of them is something else."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu":
        return cast("list[int]", values.tolist())
    listed = _listed(values, what)
    if set(map(type, listed)) <= _INT:
        return listed
    return [_whole(value, each, place) for place, value in enumerate(listed, start=1)]


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


def _ones(bits: str | Iterable[object]) -> tuple[int, list[int]]:
    """Return how many bits there are, and the places of those that are 1, counted from 1."""
    if isinstance(bits, np.ndarray) and bits.ndim == 1 and bits.dtype == np.bool_:
        return len(bits), (np.flatnonzero(bits) + 1).tolist()
    listed = _listed(bits, "bits")
    if not isinstance(bits, str) or bits.strip("01"):
        for place, bit in enumerate(listed, start=1):
            _check_bit(bit, place)
    return len(listed), [place for place, bit in enumerate(listed, start=1) if bit == "1" or bit == 1]


def _check_bit(bit: object, place: int) -> None:
    if bit in ("0", "1") or (isinstance(bit, (int, np.integer, np.bool_)) and bit in (0, 1)):
        return
    raise SegmentationError(f"bit {place} is {bit!r}; it must be 0 or 1")


def _checked_boundaries(boundaries: Iterable[int], n_units: int) -> bytes | Positions:
    """Check that boundaries are whole, strictly increasing and inside ``1 .. n_units - 1``."""
    if isinstance(boundaries, (str, bytes)):
        raise SegmentationError(
            f"boundaries is {boundaries!r}; for a string of 0 and 1 use Segmentation.from_bits"
        )
    if isinstance(boundaries, np.ndarray) and boundaries.ndim == 1 and boundaries.dtype.kind in "iu":
        return _checked_positions(boundaries, n_units)
    values = _whole_numbers(boundaries, "boundaries", "boundary")
    if not values or (values[0] > 0 and values[-1] < n_units and all(map(operator.lt, values, values[1:]))):
        return array("q", values).tobytes()
    try:
        return _checked_positions(np.array(values, dtype=np.int64), n_units)
    except OverflowError:
        raise SegmentationError(f"boundary {max(values, key=abs)} is out of range 1..{n_units - 1}") from None


def _checked_positions(boundaries: npt.NDArray[np.integer[Any]], n_units: int) -> Positions:
    """Check an array of whole numbers in the same way, and return a copy that cannot be changed."""
    positions = np.array(boundaries, dtype=np.int64)
    if len(positions):
        _check_order(positions)
        for gap in (int(positions[0]), int(positions[-1])):
            if not 1 <= gap <= n_units - 1:
                raise SegmentationError(_out_of_range(gap, n_units))
    positions.setflags(write=False)
    return positions


def _check_order(positions: Positions) -> None:
    wrong = np.flatnonzero(np.diff(positions) <= 0)
    if len(wrong):
        before, after = int(positions[wrong[0]]), int(positions[wrong[0] + 1])
        kind = "stands twice" if before == after else f"comes after {before}"
        raise SegmentationError(f"boundary {after} {kind}; boundaries must be strictly increasing")


def _out_of_range(gap: int, n_units: int) -> str:
    if n_units == 1:
        return f"boundary {gap} is out of range: a document of one unit has no gap"
    end = "; the end of the document is not a boundary" if gap == n_units else ""
    return f"boundary {gap} is out of range 1..{n_units - 1} for {n_units} units{end}"
