# SPDX-License-Identifier: Apache-2.0
"""Tables that would be misread: several documents without a name, and labels on the first rows of segments only."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from caesura.errors import FormatError
from caesura.formats._tables import Cells

__all__ = ["blank_labels", "check_one_document"]


def blank_labels(cells: Cells, roles: Mapping[str, list[int]]) -> int:
    """Return the number of rows without a label; labels on single rows only, with none between, are refused."""
    blank = 0
    for place in (place for role in ("label", "boundary") for place in roles.get(role, ())):
        column = cells.column(place)
        blank += column.count("")
        alone = all(not before or before != after for before, after in itertools.pairwise(column))
        if "label" in roles and 2 * column.count("") > len(column) and alone and any(column):
            raise FormatError(
                f"only single rows have a {cells.header[place]!r}; write it on every row of its segment",
                line=cells.rows[column.index("")][0],
            )
    return blank


def check_one_document(cells: Cells, roles: Mapping[str, list[int]], ignored: Sequence[str]) -> None:
    """Refuse a table without a document column that seems to hold several documents."""
    way = "--columns doc={} (columns='doc={}'), or doc= if the file is one document"
    coded = [cells.column(place) for role in ("label", "boundary") for place in roles.get(role, ())]
    turns = [_changes(column) for column in coded]
    for name in ignored:
        column = cells.column(cells.header.index(name))
        changes = _changes(column)
        if changes and len(changes) + 1 == len(set(column)) < len(column) and changes not in turns:
            raise FormatError(
                f"no column names the documents, but {name!r} has {len(set(column))} values, each in adjacent rows; "
                f"say what it is: {way.format(name, name)}",
                line=1,
            )
    if "annotator" in roles:
        return
    if cells.apart is not None:
        raise FormatError(
            f"no column names the documents, but an empty row precedes this one; name the documents: "
            f"{way.format('NAME', 'NAME')}",
            line=cells.apart,
        )
    for place in roles.get("order", ()):
        for (_, before), (line, after) in itertools.pairwise(cells.rows):
            if int(after[place]) <= int(before[place]):
                raise FormatError(
                    f"no column names the documents, but {cells.header[place]!r} goes back from {before[place].strip()} "
                    f"to {after[place].strip()} here; name the documents: {way.format('NAME', 'NAME')}",
                    line=line,
                )


def _changes(column: Sequence[str]) -> list[int]:
    return [place for place, (before, after) in enumerate(itertools.pairwise(column)) if before != after]
