# SPDX-License-Identifier: Apache-2.0
"""Plain text of a given width, for pipes and files: wide tables are split, long notes wrapped."""

from __future__ import annotations

import dataclasses
import itertools

from caesura.table import BETWEEN, Table, as_lines

__all__ = ["pieces", "render"]


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
    parts = (bare.at(places) for places in pieces(table, width))
    whole = "\n\n".join(map(str, parts))
    return "\n".join(filter(None, [table.title, whole, as_lines(table.notes, width)])) + "\n"


def pieces(table: Table, width: int) -> list[list[int]]:
    """Return the columns of each piece of a table that fits a width; the leading text columns repeat in every piece.

    >>> from caesura.table import Column
    >>> wide = Table([Column("system"), Column("first metric"), Column("second metric")], [["a", 0.5, 0.25]])
    >>> pieces(wide, 80), pieces(wide, 24)
    ([[0, 1, 2]], [[0, 1], [0, 2]])
    """
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
