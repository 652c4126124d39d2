# SPDX-License-Identifier: Apache-2.0
"""What a reproduction is: printed numbers beside those made again, files compared, and what could not be made."""

from __future__ import annotations

import dataclasses
from typing import Any

from caesura._version import __version__
from caesura.results import as_number
from caesura.table import Column, Table, Value

__all__ = ["Absent", "Cell", "FileCheck", "Reproduction"]


@dataclasses.dataclass(frozen=True)
class Cell:
    """One printed number.

    Attributes
    ----------
    item : str
        The table it stands in, such as "Table 3".
    dataset, row, column : str
        Where in the table.
    printed : str or None
        Its digits as printed; None where the paper prints none.
    as_run : float or str
        The value under the conventions of the released code.
    paper : float or None
        The value under the definitions that the paper prints; None where they say nothing of it.
    reason : str
        Why the two differ.
    """

    item: str
    dataset: str
    row: str
    column: str
    printed: str | None
    as_run: float | str
    paper: float | str | None = None
    reason: str = ""

    @property
    def digits(self) -> int:
        """How many decimals are printed; 3 where nothing is."""
        return 3 if self.printed is None else len(self.printed.partition(".")[2])

    @property
    def matched(self) -> bool | None:
        """Whether the value as run has every printed digit; None where nothing is printed.

        >>> Cell("T", "d", "r", "c", "0.53", 0.5279).matched, Cell("T", "d", "r", "c", "0.528", 0.5289).matched
        (True, False)
        """
        return None if self.printed is None else self.shown(self.as_run) == self.printed

    @property
    def paper_matched(self) -> bool | None:
        """Whether the value by the printed definitions has every printed digit."""
        if self.printed is None or self.paper is None:
            return None
        return self.shown(self.paper) == self.printed

    def shown(self, value: float | str | None) -> str:
        """Return a value with as many digits as are printed."""
        if value is None or isinstance(value, str):
            return value or "-"
        return f"{value:.{self.digits}f}"

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            **{name: getattr(self, name) for name in ("item", "dataset", "row", "column", "printed")},
            "as_run": _plain(self.as_run),
            "matched": self.matched,
            "paper": _plain(self.paper),
            "paper_matched": self.paper_matched,
            "reason": self.reason,
        }


@dataclasses.dataclass(frozen=True)
class FileCheck:
    """A column of a released file, made again.

    Attributes
    ----------
    file, column : str
        Which.
    compared : int
        How many values.
    worst : float
        The largest absolute difference as run.
    tolerance : float
        The largest that counts as none: rounding of the last bits.
    paper_worst : float or None
        The largest difference under the definitions that the paper prints.
    reason : str
        Why the two differ.
    """

    file: str
    column: str
    compared: int
    worst: float
    tolerance: float
    paper_worst: float | None = None
    reason: str = ""

    @property
    def matched(self) -> bool:
        """Whether every value is there, to the tolerance."""
        return self.compared > 0 and self.worst <= self.tolerance

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "file": self.file,
            "column": self.column,
            "compared": self.compared,
            "largest_difference": as_number(self.worst),
            "tolerance": self.tolerance,
            "matched": self.matched,
            "paper_largest_difference": None if self.paper_worst is None else as_number(self.paper_worst),
            "reason": self.reason,
        }


@dataclasses.dataclass(frozen=True)
class Absent:
    """What is not made again, and why."""

    item: str
    what: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Reproduction:
    """The numbers of a paper, made again.

    Attributes
    ----------
    number, title : str
        Which paper.
    cells : tuple of Cell
        Printed numbers.
    files : tuple of FileCheck
        Released files.
    absent : tuple of Absent
        What is not made again.
    """

    number: str
    title: str
    cells: tuple[Cell, ...]
    files: tuple[FileCheck, ...] = ()
    absent: tuple[Absent, ...] = ()

    @property
    def matched(self) -> bool:
        """Whether everything that was made again has every printed digit."""
        return all(cell.matched is not False for cell in self.cells) and all(f.matched for f in self.files)

    def unmatched(self) -> Reproduction:
        """Return only what does not come out."""
        cells = tuple(cell for cell in self.cells if cell.matched is False)
        return dataclasses.replace(self, cells=cells, files=tuple(f for f in self.files if not f.matched))

    def summary(self) -> str:
        """Return the outcome in one line."""
        printed = [cell for cell in self.cells if cell.printed is not None]
        hits, by_paper = sum(bool(c.matched) for c in printed), sum(bool(c.paper_matched) for c in printed)
        values = sum(f.compared for f in self.files)
        same = sum(f.compared for f in self.files if f.matched)
        return (
            f"paper {self.number}: {hits} of {len(printed)} printed numbers have every digit under as_run, {by_paper} under "
            f"paper; {same} of {values} values of released files in columns that agree"
        )

    def tables(self) -> list[Table]:
        """Return the printed numbers, the released files, and what is not made again."""
        rows: list[list[Value]] = [
            [c.item, c.dataset, c.row, c.column, c.printed, c.shown(c.as_run), _mark(c.matched), c.shown(c.paper), _mark(c.paper_matched)]
            for c in self.cells
        ]  # fmt: skip
        titles = ("item", "dataset", "row", "column", "printed", "as_run", "as_run is", "paper", "paper is")
        found = [
            Table(
                [Column(title) for title in titles],
                rows,
                notes=[*_reasons(self.cells), self.summary()],
                title=f"Paper {self.number}: {self.title}",
            )
        ]
        if self.files:
            found.append(self._file_table())
        if self.absent:
            left: list[list[Value]] = [[a.item, a.what, a.reason] for a in self.absent]
            columns = [Column("item"), Column("what", width=44), Column("reason", width=60)]
            found.append(Table(columns, left, title="Not made again here"))
        return found

    def _file_table(self) -> Table:
        rows: list[list[Value]] = [
            [f.file, f.column, f.compared, f"{f.worst:.1e}", _mark(f.matched), None if f.paper_worst is None else f"{f.paper_worst:.1e}"]
            for f in self.files
        ]  # fmt: skip
        titles = (
            "file",
            "column",
            "values",
            "as_run: largest difference",
            "as_run is",
            "paper: largest difference",
        )
        notes = _reasons(self.files)
        tolerances = sorted({f.tolerance for f in self.files if f.tolerance > 0})
        if tolerances:
            notes.append(f"matched: no difference above {max(tolerances):g}; counts are equal")
        return Table([Column(t) for t in titles], rows, notes=notes, title="Released files")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "schema": "caesura.reproduction/1",
            "caesura": __version__,
            "paper": self.number,
            "title": self.title,
            "matched": self.matched,
            "cells": [cell.as_dict() for cell in self.cells],
            "files": [check.as_dict() for check in self.files],
            "absent": [dataclasses.asdict(a) for a in self.absent],
        }


def _plain(value: float | str | None) -> float | str | None:
    return value if value is None or isinstance(value, str) else as_number(value)


def _mark(matched: bool | None) -> str:
    return {True: "matched", False: "not matched", None: ""}[matched]


def _reasons(things: tuple[Cell, ...] | tuple[FileCheck, ...]) -> list[str]:
    """Return each reason once, with the columns it holds for."""
    found: dict[str, dict[str, None]] = {}
    for thing in things:
        if thing.reason:
            found.setdefault(thing.reason, {})[thing.column] = None
    return [f"paper, {', '.join(columns)}: {reason}" for reason, columns in found.items()]
