# SPDX-License-Identifier: Apache-2.0
"""Plain text of a given width, for pipes and files: wide tables in several pieces, long notes in several lines."""

from __future__ import annotations

import itertools

from caesura.table import Column, Table, as_lines

__all__ = ["heading", "pieces", "render"]

_BETWEEN = 2  # spaces after a column, but the last
_MARK = 1  # the asterisk of a best value


def render(table: Table, width: int) -> str:
    """Return a table as plain text that fits a width, as far as its first columns leave room.

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
    parts = []
    for places in pieces(table, width + _BETWEEN, _BETWEEN):
        after = {
            (row, places.index(place)): text for (row, place), text in table.after.items() if place in places
        }
        marked = frozenset((row, places.index(place)) for row, place in table.best() if place in places)
        rows = [[row[place] for place in places] for row in table.rows]
        parts.append(Table([table.columns[place] for place in places], rows, after=after, marked=marked))
    whole = "\n\n".join(map(str, parts))
    return "\n".join(filter(None, [table.title, whole, as_lines(table.notes, width)])) + "\n"


def pieces(table: Table, width: int, frame: int) -> list[list[int]]:
    """Return the columns of each piece of a table that fits a width, the leading text columns in every piece.

    ``frame`` is what a column takes beside its text.

    >>> wide = Table([Column("system"), Column("first metric"), Column("second metric")], [["a", 0.5, 0.25]])
    >>> pieces(wide, 80, 3), pieces(wide, 35, 3)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """
    widths, places = [each + frame for each in _widths(table)], list(range(len(table.columns)))
    leading = list(itertools.takewhile(lambda place: not table.is_numeric(place), places))
    rest = places[len(leading) :]
    if sum(widths) <= width or not rest or not leading:
        return [places]
    room = width - sum(widths[place] for place in leading)
    parts: list[list[int]] = [[]]
    for place in rest:
        if parts[-1] and sum(widths[p] for p in [*parts[-1], place]) > room:
            parts.append([])
        parts[-1].append(place)
    return [leading + part for part in parts]


def heading(column: Column) -> str:
    """Return the title of a column with its arrow."""
    return f"{column.title} {column.arrow}".strip()


def _widths(table: Table) -> list[int]:
    texts, widths = table.texts(), []
    for place, column in enumerate(table.columns):
        mark = _MARK if column.direction else 0
        longest = max(len(heading(column)), *(len(row[place]) + mark for row in texts), 0)
        widths.append(min(longest, column.width or longest))
    return widths
