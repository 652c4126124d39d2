# SPDX-License-Identifier: Apache-2.0
"""The counts of many documents, kept small.

A table of 64-bit numbers for each kernel is the largest thing an evaluation of many documents holds, and memory that was
never used before costs more to get than most counts cost to make. Nearly all counts are small whole numbers, so each
stretch of documents is kept in the narrowest unsigned integers that hold all of it, and read as float64 again, exactly,
when it is scored.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["Counts", "Piece", "Table"]

Table = npt.NDArray[np.float64]

_WHOLE = float(1 << 24)  # up to this every whole number is a float32
_SIDE_BY_SIDE = 64
_NARROW = tuple((np.dtype(kind), float(np.iinfo(kind).max)) for kind in (np.uint8, np.uint16, np.uint32))


@dataclasses.dataclass(frozen=True)
class Piece:
    """The counts of some neighbouring documents."""

    whole: npt.NDArray[np.generic]  # [documents, columns], unsigned or float64; 0 in the columns that hold fractions
    fractions: npt.NDArray[np.floating] | None  # those columns, in 32 bits if that is exact; None if all are 0
    extremes: Table  # [2, columns]: least and greatest; they choose the width, and the signatures name some of them

    @classmethod
    def of(cls, rows: Table, fractional: slice) -> Piece:
        """Keep some rows; ``rows`` is changed."""
        fractions = None
        extremes = np.array([_column_wise(np.minimum, rows), _column_wise(np.maximum, rows)])
        ends = extremes
        if fractional.stop > fractional.start:
            ends = extremes.copy()
            if ends[:, fractional].any():
                fractions = _narrow(rows[:, fractional])
            ends[:, fractional] = rows[:, fractional] = 0.0
        least, most = float(ends.min(initial=0.0)), float(ends.max(initial=0.0))
        for kind, limit in _NARROW:
            if least >= 0.0 and most <= limit:
                return cls(rows.astype(kind), fractions, extremes)
        return cls(rows.copy(), fractions, extremes)



def _narrow(fractions: Table) -> npt.NDArray[np.floating]:
    """Return a copy in 32 bits if that is exact, such as of halves, and otherwise in 64."""
    with np.errstate(over="ignore"):
        half = fractions.astype(np.float32)
    return half if np.array_equal(half, fractions) else fractions.copy()


def _column_wise(ufunc: np.ufunc, rows: Table) -> Table:
    """Reduce over the first axis, many rows side by side: one short row at a time takes ten times as long."""
    whole = len(rows) // _SIDE_BY_SIDE * _SIDE_BY_SIDE
    if not whole:
        return np.asarray(ufunc.reduce(rows, axis=0))
    side_by_side = rows[:whole].reshape(-1, _SIDE_BY_SIDE * rows.shape[1])
    partial = ufunc.reduce(side_by_side, axis=0).reshape(_SIDE_BY_SIDE, -1)
    return np.asarray(ufunc.reduce(np.concatenate([partial, rows[whole:]]), axis=0))


class Counts:
    """A table (documents, columns) of counts, in pieces; those of the columns ``fractional`` may hold fractions.

    >>> table = Counts([Piece.of(np.array([[3.0, 0.5], [300.0, 0.25]]), slice(1, 2))], ("n", "share"), slice(1, 2))
    >>> table.array().tolist(), table.nbytes
    ([[3.0, 0.5], [300.0, 0.25]], 16)
    """

    def __init__(self, pieces: Sequence[Piece], columns: Sequence[str], fractional: slice) -> None:
        self._pieces = list(pieces)
        self._fractional = fractional
        self.columns = tuple(columns)
        self.starts = [0]
        for piece in self._pieces:
            self.starts.append(self.starts[-1] + len(piece.whole))

    @classmethod
    def of(cls, table: Table, columns: Sequence[str]) -> Counts:
        """Keep a whole table as it is, whatever numbers it holds."""
        everything = slice(0, len(columns))
        return cls([Piece.of(np.array(table, dtype=np.float64), everything)], columns, everything)

    def __len__(self) -> int:
        return self.starts[-1]

    @property
    def nbytes(self) -> int:
        """How much memory the counts take."""
        return sum(
            piece.whole.nbytes + (0 if piece.fractions is None else piece.fractions.nbytes)
            for piece in self._pieces
        )

    @functools.cached_property
    def extremes(self) -> Table:
        """The least and the greatest count of each column, as two rows; none if there is no document."""
        if not len(self):
            return np.empty((0, len(self.columns)))
        each = np.array([piece.extremes for piece in self._pieces])
        return np.array([each[:, 0].min(axis=0), each[:, 1].max(axis=0)])

    def array(self, kind: type[np.floating[Any]] = np.float64) -> npt.NDArray[Any]:
        """Return the whole table."""
        table = np.empty((len(self), len(self.columns)), dtype=kind)
        for start, piece in zip(self.starts, self._pieces, strict=False):
            rows = table[start : start + len(piece.whole)]
            rows[:] = piece.whole
            if piece.fractions is not None:
                rows[:, self._fractional] = piece.fractions
        return table

    def packed(self) -> npt.NDArray[np.generic]:
        """Return the whole table, narrow where it is kept so; fractions in 32 bits, if these hold every number."""
        fractions = [piece.fractions for piece in self._pieces if piece.fractions is not None]
        if not fractions and self._pieces:
            return np.concatenate([piece.whole for piece in self._pieces])
        most = max((float(np.abs(piece.extremes).max(initial=0.0)) for piece in self._pieces), default=np.inf)
        if most > _WHOLE or any(each.dtype != np.float32 for each in fractions):
            return self.array()
        return self.array(np.float32)

    def taken(self, places: Sequence[int], size: int) -> Iterator[Table]:
        """Yield some columns, each in one piece, of at least ``size`` rows at a time, and at last of those that are left."""
        first = 0
        for last in range(1, len(self._pieces)):
            if self.starts[last] - self.starts[first] >= size:
                yield self.take(places, first, last, "F")
                first = last
        yield self.take(places, first, order="F")

    def take(
        self, places: Sequence[int], first: int = 0, last: int | None = None, order: Literal["C", "F"] = "C"
    ) -> Table:
        """Return some columns, of all pieces or of those from ``first`` to ``last``."""
        last = len(self._pieces) if last is None else last
        begin = self.starts[first]
        table: Table = np.empty((self.starts[last] - begin, len(places)), order=order)
        for start, piece in zip(self.starts[first:last], self._pieces[first:last], strict=True):
            rows = slice(start - begin, start - begin + len(piece.whole))
            for column, place in enumerate(places):
                inside = self._fractional.start <= place < self._fractional.stop
                if piece.fractions is not None and inside:
                    table[rows, column] = piece.fractions[:, place - self._fractional.start]
                else:
                    table[rows, column] = piece.whole[:, place]
        return table
