# SPDX-License-Identifier: Apache-2.0
"""The terminal: rich tables, the best values bold, recipes dimmed below; wide tables in several pieces."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from caesura.reports.plain import heading, pieces
from caesura.table import Table

__all__ = ["print_table"]

_FRAME = 3  # cells that a column takes beside its text
_EDGE = 1  # the last line of the frame


def print_table(table: Table, console: Console | None = None) -> None:
    """Print a table to the terminal."""
    console = console or Console()
    best, texts = table.best(), table.texts()
    if table.title:
        console.print(Text(table.title, style="bold"))
    for places in pieces(table, console.width - _EDGE, _FRAME):
        grid = RichTable()
        for place in places:
            title, numeric = Text(heading(table.columns[place])), table.is_numeric(place)
            grid.add_column(title, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
        for r, row in enumerate(texts):
            # Text objects, not markup: names and ids come from outside and may hold brackets.
            grid.add_row(*(Text(row[c], style="bold green" if (r, c) in best else "") for c in places))
        console.print(grid)
    for note in table.notes:
        console.print(Text(note, style="dim"))
