# SPDX-License-Identifier: Apache-2.0
"""Text of a given width: plain for pipes and files, by rich on a terminal; wide tables are split, long notes wrapped."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING

from caesura.table import BETWEEN, Table, as_lines

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_table", "render"]


def render(table: Table, width: int) -> str:
    """Return a table as plain text that fits a width, if its leading columns allow it.

    >>> from caesura.table import Column
    >>> wide = Table([Column("system"), Column("first metric"), Column("second metric")], [["a", 0.5, 0.25]])
    >>> print(render(wide, 24), end="")
    system  first metric
    ------  ------------
    a              0.500
    <BLANKLINE>
    system  second metric
    ------  -------------
    a               0.250
    """
    bare = dataclasses.replace(table, title="", notes=())
    parts = (bare.at(places) for places in _pieces(table, width))
    whole = "\n\n".join(map(str, parts))
    return "\n".join(filter(None, [table.title, whole, as_lines(table.notes, width)])) + "\n"


def _pieces(table: Table, width: int) -> list[list[int]]:
    """Return the columns of each piece of a table that fits a width; the leading text columns repeat in every piece."""
    widths, places = [each + BETWEEN for each in table.widths()], list(range(len(table.columns)))
    leading = list(itertools.takewhile(lambda place: not table.is_numeric(place), places))
    leading = leading or places[:1]
    rest = places[len(leading) :]
    if sum(widths) <= width + BETWEEN or not rest:
        return [places]
    room = width + BETWEEN - sum(widths[place] for place in leading)
    parts: list[list[int]] = [[]]
    for place in rest:
        if parts[-1] and sum(widths[p] for p in [*parts[-1], place]) > room:
            parts.append([])
        parts[-1].append(place)
    return [leading + part for part in parts]


def print_table(table: Table, console: Console) -> None:
    """Print a table to the terminal, with the best values in bold and dimmed recipes below it."""
    # Only a terminal needs rich.
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    best, texts = table.best(), table.texts()
    if table.title:
        console.print(Text(table.title, style="bold"))
    for places in _pieces(table, console.width):
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
