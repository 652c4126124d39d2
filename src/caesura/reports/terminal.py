# SPDX-License-Identifier: Apache-2.0
"""The terminal: rich tables, the best values bold, recipes dimmed below."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from caesura.table import Table

__all__ = ["print_table"]


def print_table(table: Table) -> None:
    """Print a table to the terminal."""
    best = table.best()
    grid = RichTable(title=Text(table.title) if table.title else None, title_justify="left")
    for column in table.columns:
        heading = Text(f"{column.title} {column.arrow}".strip())
        grid.add_column(heading, justify="right" if column.direction else "left", overflow="fold")
    for r, row in enumerate(table.texts()):
        # Text objects, not markup: names and ids come from outside and may hold brackets.
        grid.add_row(
            *(Text(text, style="bold green" if (r, c) in best else "") for c, text in enumerate(row))
        )
    console = Console()
    console.print(grid)
    for note in table.notes:
        console.print(Text(note, style="dim"))
