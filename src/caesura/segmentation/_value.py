# SPDX-License-Identifier: Apache-2.0
"""The value type itself."""

from __future__ import annotations

import itertools
import operator
from array import array
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from caesura.errors import SegmentationError
from caesura.limits import check_units
from caesura.segmentation._checks import (
    UNSPECIFIED_UNIT,
    Marks,
    Positions,
    checked_boundaries,
    checked_n_units,
    checked_unit,
    ends_of_masses,
    gaps_of_bits,
    gaps_of_labels,
    in_milliseconds,
    masses_of_spans,
    milliseconds,
)


class Segmentation:
    """A document of ``n_units`` units cut at ``boundaries``; immutable and checked.

    Parameters
    ----------
    n_units : int
        The number of units, at least 1.
    boundaries : iterable of int, optional
        The chosen gaps, strictly increasing, each in ``1 .. n_units - 1``.
    unit : str, optional
        The name of the unit: ``"sentence"``, ``"turn"``, ``"paragraph"``, ``"ms"``, ``"character"`` or any other word.

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

    __slots__ = ("_boundaries", "_n_units", "_packed", "_positions", "_unit")

    _n_units: int
    _packed: array[int]  # the boundaries as int64; never returned, so that callers cannot change them
    _unit: str
    _boundaries: tuple[int, ...]  # created on access
    _positions: Positions  # likewise

    def __init__(self, n_units: int, boundaries: Iterable[int] = (), *, unit: str = UNSPECIFIED_UNIT) -> None:
        self._n_units = checked_n_units(n_units)
        self._packed = checked_boundaries(boundaries, self._n_units)
        self._unit = checked_unit(unit)

    @classmethod
    def from_positions(cls, n_units: int, positions: Positions, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Make a segmentation from an array of boundaries, as the constructor does."""
        return cls(n_units, positions, unit=unit)

    @classmethod
    def _known(cls, n_units: int, packed: array[int], unit: str) -> Segmentation:
        """Wrap packed boundaries that are valid by construction; only the unit is checked."""
        self = cls.__new__(cls)
        self._n_units = n_units
        self._packed = packed
        self._unit = unit if type(unit) is str and unit else checked_unit(unit)
        return self

    @classmethod
    def from_boundaries(cls, n_units: int, boundaries: Iterable[int], *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
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
        self = cls.__new__(cls)
        self._packed = ends = ends_of_masses(masses)
        self._n_units = ends.pop()
        self._unit = unit if type(unit) is str and unit else checked_unit(unit)
        return self

    @classmethod
    def from_labels(cls, labels: Iterable[Hashable], *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Make a segmentation from one label per unit: a boundary where the label changes.

        Labels are compared by equality, so their names do not matter, and a false value (0, "") is a label like any
        other.

        >>> Segmentation.from_labels("aaabbc").boundaries
        (3, 5)
        """
        n_units, gaps = gaps_of_labels(labels)
        return cls._known(n_units, array("q", gaps), unit)

    @classmethod
    def from_bits(
        cls, bits: str | Iterable[int | bool], *, marks: Marks | None = None, unit: str = UNSPECIFIED_UNIT
    ) -> Segmentation:
        """Make a segmentation from a string or sequence of 0 and 1.

        Parameters
        ----------
        bits : str or iterable of 0 and 1
            Where the boundaries are.
        marks : {"gap", "first", "last", "last_closed"}
            The meaning of a bit. ``"gap"``: one bit per gap, so one fewer than units. ``"first"``: one bit per unit,
            1 on the first unit of a new segment (the bit of unit 1 is ignored). ``"last"``: one bit per unit, 1 on
            the last unit of a segment, the closing one optional. ``"last_closed"``: the same, the closing 1 required.
            A string has one digit per gap unless said otherwise. Of a list or array it must be said, since flags in
            lists mostly have one entry per unit.
        unit : str, optional
            The name of the unit.

        Examples
        --------
        >>> Segmentation.from_bits("0100")
        Segmentation(5, (2,))
        >>> Segmentation.from_bits("00100", marks="first")
        Segmentation(5, (2,))
        >>> Segmentation.from_bits("01001", marks="last_closed")
        Segmentation(5, (2,))
        >>> Segmentation.from_bits([True, False, True, False, False], marks="first")
        Segmentation(5, (2,))
        """
        n_units, gaps = gaps_of_bits(bits, marks)
        return cls._known(n_units, array("q", gaps), unit)

    @classmethod
    def from_spans(cls, spans: Iterable[tuple[int, int]], *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
        """Make a segmentation from half-open spans ``(start, end)`` of units counted from 0, without holes.

        >>> Segmentation.from_spans([(0, 6), (6, 9), (9, 13)]).masses
        (6, 3, 4)
        """
        return cls.from_masses(masses_of_spans(spans), unit=unit)

    @classmethod
    def from_seconds(cls, boundaries: Iterable[float], duration: float) -> Segmentation:
        """Make a timed segmentation (unit ``ms``) from boundary times and the duration, both in seconds.

        Times are rounded to the nearest millisecond.

        >>> Segmentation.from_seconds([61.5, 90], duration=120.0)
        Segmentation(120000, (61500, 90000), unit='ms')
        """
        return cls(milliseconds(duration, "duration"), in_milliseconds(boundaries), unit="ms")

    @property
    def n_units(self) -> int:
        """The number of units."""
        return self._n_units

    @property
    def unit(self) -> str:
        """The name of the unit."""
        return self._unit

    @property
    def positions(self) -> Positions:
        """The boundaries as a read-only int64 array, for arithmetic."""
        try:
            return self._positions
        except AttributeError:
            # Bytes are immutable, and so is an array that views them.
            self._positions = positions = np.frombuffer(self._packed.tobytes(), dtype=np.int64)
            return positions

    @property
    def boundaries(self) -> tuple[int, ...]:
        """The chosen gaps, increasing."""
        try:
            return self._boundaries
        except AttributeError:
            self._boundaries = boundaries = tuple(self._packed)
            return boundaries

    @property
    def n_boundaries(self) -> int:
        """The number of boundaries."""
        return len(self._packed)

    @property
    def n_segments(self) -> int:
        """The number of segments: one more than boundaries."""
        return len(self._packed) + 1

    @property
    def masses(self) -> tuple[int, ...]:
        """The lengths of the segments, in order."""
        edges = (0, *self.boundaries, self._n_units)
        return tuple(map(operator.sub, edges[1:], edges))

    @property
    def labels(self) -> tuple[int, ...]:
        """The segment number of each unit, from 0.

        >>> Segmentation(5, (2,)).labels
        (0, 0, 1, 1, 1)
        """
        check_units(self._n_units, 1, "a label for each unit")
        return tuple(np.repeat(np.arange(self.n_segments), self.masses).tolist())

    @property
    def bits(self) -> str:
        """One ``0`` or ``1`` per gap."""
        check_units(self._n_units, 1, "a bit for each gap")
        marks = np.full(self._n_units - 1, ord("0"), dtype=np.uint8)
        marks[self.positions - 1] = ord("1")
        return marks.tobytes().decode("ascii")

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The segments as half-open spans of units counted from 0.

        >>> Segmentation(5, (2,)).spans
        ((0, 2), (2, 5))
        """
        return tuple(itertools.pairwise((0, *self.boundaries, self._n_units)))

    def with_unit(self, unit: str) -> Segmentation:
        """Return the same boundaries with another unit name; nothing is converted."""
        return Segmentation._known(self._n_units, self._packed, unit)

    def mirrored(self) -> Segmentation:
        """Return the segmentation of the document read backwards.

        >>> Segmentation(5, (2,)).mirrored()
        Segmentation(5, (3,))
        """
        gaps = self._n_units - self.positions[::-1]
        return Segmentation._known(self._n_units, array("q", gaps.tobytes()), self._unit)

    def __len__(self) -> int:
        return self._n_units

    def __getitem__(self, units: slice) -> Segmentation:
        """Return the segmentation of a slice of units, with the boundaries inside it."""
        if not isinstance(units, slice):
            raise SegmentationError(f"a segmentation is indexed by a slice of units such as [2:7], not by {units!r}")
        start, stop, step = units.indices(self._n_units)
        if step != 1:
            raise SegmentationError(f"a slice of units has no step, got {step}")
        if stop <= start:
            raise SegmentationError(f"the slice [{start}:{stop}] holds no unit of the {self._n_units}")
        inside = self.positions[(self.positions > start) & (self.positions < stop)]
        return Segmentation._known(stop - start, array("q", (inside - start).tobytes()), self._unit)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Segmentation):
            return NotImplemented
        return self._n_units == other._n_units and self._unit == other._unit and self._packed == other._packed

    def __hash__(self) -> int:
        return hash((self._n_units, self._unit, self._packed.tobytes()))

    def __repr__(self) -> str:
        unit = "" if self._unit == UNSPECIFIED_UNIT else f", unit={self._unit!r}"
        return f"Segmentation({self._n_units}, {self.boundaries!r}{unit})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._n_units, self.boundaries, self._unit)


def _rebuild(n_units: int, boundaries: tuple[int, ...], unit: str) -> Segmentation:
    return Segmentation(n_units, boundaries, unit=unit)


def laid_out(segmentations: Iterable[Segmentation]) -> tuple[list[str], Positions, Positions, Positions]:
    """Return the unit, length and number of boundaries of each segmentation, and all boundaries concatenated."""
    rows: list[array[int]] = []
    lengths: list[int] = []
    units: list[str] = []
    for segmentation in segmentations:  # a single pass, since many objects do not stay in the cache
        rows.append(segmentation._packed)
        lengths.append(segmentation._n_units)
        units.append(segmentation._unit)
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    positions = np.frombuffer(b"".join(rows), dtype=np.int64)
    return units, np.array(lengths, dtype=np.int64), sizes, positions
