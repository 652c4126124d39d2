# SPDX-License-Identifier: Apache-2.0
"""Results of `reproduce`: published numbers beside the reproduced ones, released files compared, and what is missing."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = ["Absent", "Cell", "FileCheck", "ReproductionFacts"]


class Cell(Section):
    """One published number.

    ``item`` is the table, such as "Table 3"; ``dataset``, ``row`` and ``column`` say where in it. ``printed`` has the
    digits as printed, None if the paper prints none. ``as_run`` is the value under the conventions of the released code,
    ``paper`` under the definitions of the paper (None if it gives none), and ``reason`` says why the two differ. A value
    is matched if it has every printed digit; the marks are None if there is nothing to compare.

    >>> Cell("T", "d", "r", "c", "0.53", 0.5279).matched, Cell("T", "d", "r", "c", "0.528", 0.5289).matched
    (True, False)
    """

    item: str
    dataset: str
    row: str
    column: str
    printed: str | None
    as_run: Number | str
    paper: Number | str = None
    reason: str = ""
    matched: bool | None = None
    paper_matched: bool | None = None

    def __post_init__(self) -> None:
        """Compare both values with the printed digits."""
        if self.printed is not None:
            self.matched = self.shown(self.as_run) == self.printed
            self.paper_matched = None if self.paper is None else self.shown(self.paper) == self.printed

    def shown(self, value: Number | str) -> str:
        """Return a value with as many decimals as are printed, 3 if none is."""
        if value is None or isinstance(value, str):
            return value or "-"
        digits = 3 if self.printed is None else len(self.printed.partition(".")[2])
        return f"{value:.{digits}f}"


class FileCheck(Section):
    """One column of a released file, reproduced.

    ``compared`` values differ by at most ``largest_difference`` as run; up to ``tolerance`` is rounding of the last bits.
    ``paper_largest_difference`` is the same under the definitions of the paper, and ``reason`` says why the two differ.
    """

    file: str
    column: str
    compared: int
    largest_difference: Number
    tolerance: float
    paper_largest_difference: Number = None
    reason: str = ""
    matched: bool = False

    def __post_init__(self) -> None:
        """Compare the largest difference with the tolerance; no values match nothing."""
        worst = self.largest_difference
        self.matched = self.compared > 0 and worst is not None and worst <= self.tolerance


class Absent(Section):
    """What is not reproduced, and why."""

    item: str
    what: str
    reason: str


class ReproductionFacts(Section):
    """A paper's numbers, reproduced; ``matched`` says whether everything reproduced has every printed digit."""

    paper: str
    title: str
    matched: bool
    cells: list[Cell]
    files: list[FileCheck]
    absent: list[Absent]
