# SPDX-License-Identifier: Apache-2.0
"""What came out of a list of printed numbers that somebody else made, cell by cell.

``python -m caesura_reproductions.expected FILE`` reads a JSON file whose ``entries`` have ``paper``, ``item``, ``cell`` (``row`` and ``column``), ``printed`` and
``exact``: true (can be computed to every digit), "arithmetic" (follows from other printed numbers), "shape" or false. It compares them
with ``reproductions/caesura_reproductions/paper_PAPER/results.json``, prints how many came out, and names each number that should be exact and is not, and why. The
exit code is 1 if there is one.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from caesura.results import read_results
from caesura.results.reproduce.facts import Cell
from caesura_reproductions.pages import stored

CALLED = {
    "T6 base table (released, not printed)": "T6base",
    "AUC (released summary, not printed)": "AUC",
    "Fig 1/4 random sweep (released)": "Fig1",
    "Fig B per-dialogue BOR (released)": "FigB",
    "App. C": "AppC",
    "section 4 table": "section4",
    "chapter 1 (Fig 2)": "Fig2",
    "T2 bounds": "T2",
}
"""Items that are called otherwise here."""
WORDS = ("lemma", "see file")
"""Cells that stand for a statement or a whole file, where the list has no number to compare."""


class Place(msgspec.Struct):
    """Row and column of a number."""

    row: str
    column: str


class Entry(msgspec.Struct):
    """One printed number, and what can be expected of ours."""

    paper: str
    item: str
    cell: Place
    printed: str
    exact: bool | str


class Expected(msgspec.Struct):
    """All of them."""

    entries: list[Entry]


class Found(NamedTuple):
    """An entry and our cell, if there is one."""

    entry: Entry
    cell: Cell | None

    @property
    def required(self) -> bool:
        """Whether every digit must come out."""
        return self.entry.exact in (True, "arithmetic")

    @property
    def status(self) -> str:
        """What came out."""
        if self.cell is None:
            return "missing"
        same = self.entry.printed in WORDS or self.cell.printed == self.entry.printed
        return str(self.cell.status) if same else "printed otherwise"


def walk(file: Path) -> Iterator[Found]:
    """Yield every entry of a file with our cell."""
    cells = {
        (paper, cell.item, cell.row, cell.column): cell
        for paper, path in stored().items()
        for cell in read_results(path).cells or ()
    }
    for entry in msgspec.json.decode(file.read_bytes(), type=Expected).entries:
        item = CALLED.get(entry.item, entry.item.replace("Fig ", "Fig"))
        yield Found(entry, cells.get((entry.paper, item, entry.cell.row, entry.cell.column)))


def main() -> None:
    """Print what came out."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    found = list(walk(Path(sys.argv[1])))
    counts = Counter((one.entry.paper, str(one.entry.exact).lower(), one.status) for one in found)
    for (paper, exact, status), number in sorted(counts.items()):
        print(f"{paper}  {exact:10}  {status:17} {number:4}")
    failed = [one for one in found if one.required and one.status != "exact"]
    for entry, cell in failed:
        place = f"{entry.paper} {entry.item}, {entry.cell.row}, {entry.cell.column}"
        print(f"{place}: printed {entry.printed}, {'no cell' if cell is None else f'{cell.ours}: {cell.note}'}")
    required = sum(one.required for one in found)
    print(f"{required - len(failed)} of {required} numbers that can be exact are.")
    raise SystemExit(bool(failed))


if __name__ == "__main__":
    main()
