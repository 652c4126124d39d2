# SPDX-License-Identifier: Apache-2.0
"""The terminal: rich tables, the best values bold, recipes dimmed below; wide tables in several pieces."""

from __future__ import annotations

import itertools

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from caesura.table import Column, Table

__all__ = ["pieces", "print_table"]

_FRAME = 3  # cells that a column takes beside its text


def print_table(table: Table, console: Console | None = None) -> None:
    """Print a table to the terminal."""
    console = console or Console()
    best, texts = table.best(), table.texts()
    if table.title:
        console.print(Text(table.title, style="bold"))
    for places in pieces(table, console.width):
        grid = RichTable()
        for place in places:
            heading, numeric = Text(_heading(table.columns[place])), table.is_numeric(place)
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
    widths, places = _widths(table), list(range(len(table.columns)))
    leading = list(itertools.takewhile(lambda place: not table.is_numeric(place), places))
    rest = places[len(leading) :]
    if sum(widths) + 1 <= width or not rest or not leading:
        return [places]
    room = width - 1 - sum(widths[place] for place in leading)
    parts: list[list[int]] = [[]]
    for place in rest:
        if parts[-1] and sum(widths[p] for p in [*parts[-1], place]) > room:
            parts.append([])
        parts[-1].append(place)
    return [leading + part for part in parts]


def _widths(table: Table) -> list[int]:
    texts, widths = table.texts(), []
    for place, column in enumerate(table.columns):
        longest = max(len(_heading(column)), *(len(row[place]) for row in texts), 0)
        widths.append(min(longest, column.width or longest) + _FRAME)
    return widths


def _heading(column: Column) -> str:
    return f"{column.title} {column.arrow}".strip()
