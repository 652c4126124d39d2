# SPDX-License-Identifier: Apache-2.0
"""The terminal: rich tables, the best values bold, recipes dimmed below; wide tables in several pieces."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from caesura.table import Table

__all__ = ["pieces", "print_table"]

_FRAME = 3
"""Cells that a column takes beside its text."""


def print_table(table: Table, console: Console | None = None) -> None:
    """Print a table to the terminal."""
    console = console or Console()
    best, texts = table.best(), table.texts()
    if table.title:
        console.print(Text(table.title, style="bold"))
    for places in pieces(table, console.width):
        grid = RichTable()
        for place in places:
            column = table.columns[place]
            heading = Text(f"{column.title} {column.arrow}".strip())
            numeric = table.is_numeric(place)
            grid.add_column(heading, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
        for r, row in enumerate(texts):
            # Text objects, not markup: names and ids come from outside and may hold brackets.
            grid.add_row(*(Text(row[c], style="bold green" if (r, c) in best else "") for c in places))
        console.print(grid)
    for note in table.notes:
        console.print(Text(note, style="dim"))


def pieces(table: Table, width: int) -> list[list[int]]:
    """Return the columns of each piece of a table that fits a width, the leading text columns in every piece.

    >>> from caesura.table import Column
    >>> wide = Table([Column("system"), Column("first metric"), Column("second metric")], [["a", 0.5, 0.25]])
    >>> pieces(wide, 80), pieces(wide, 36)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """
    widths = _widths(table)
    if sum(widths) + 1 <= width:
        return [list(range(len(widths)))]
    leading: list[int] = []
    for place in range(len(widths)):
        if table.is_numeric(place):
            break
        leading.append(place)
    rest = [place for place in range(len(widths)) if place not in leading]
    if not rest or not leading:
        return [list(range(len(widths)))]
    room = width - 1 - sum(widths[place] for place in leading)
    found: list[list[int]] = []
    current: list[int] = []
    for place in rest:
        if current and sum(widths[p] for p in [*current, place]) > room:
            found.append([*leading, *current])
            current = []
        current.append(place)
    return [*found, [*leading, *current]]


def _widths(table: Table) -> list[int]:
    texts = table.texts()
    found = []
    for place, column in enumerate(table.columns):
        heading = f"{column.title} {column.arrow}".strip()
        cells: Sequence[str] = [row[place] for row in texts]
        longest = max([len(heading), *(len(cell) for cell in cells)])
        found.append(min(longest, column.width or longest) + _FRAME)
    return found
