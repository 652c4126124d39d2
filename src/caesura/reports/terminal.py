# SPDX-License-Identifier: Apache-2.0
"""The terminal: rich tables, with the best values in bold and dimmed recipes below; wide tables are split."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from caesura.reports.plain import pieces
from caesura.table import Table

__all__ = ["print_table"]


def print_table(table: Table, console: Console | None = None) -> None:
    """Print a table to the terminal."""
    console = console or Console()
    best, texts = table.best(), table.texts()
    if table.title:
        console.print(Text(table.title, style="bold"))
    for places in pieces(table, console.width):
        # The same width as plain text, so that a terminal and a pipe show the same pieces.
        grid = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for place in places:
            title, numeric = Text(table.columns[place].heading), table.is_numeric(place)
            grid.add_column(title, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold")
        for r, row in enumerate(texts):
            # Text objects, not markup: names and ids come from outside and may hold brackets.
            grid.add_row(*(Text(row[c], style="bold green" if (r, c) in best else "") for c in places))
        console.print(grid)
    for note in table.notes:
        console.print(Text(note, style="dim"))
