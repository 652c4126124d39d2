# SPDX-License-Identifier: Apache-2.0
"""The numbers behind a figure, as one table."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.reports.figures._panel import Spec
from caesura.table import Column, Table

__all__ = ["figure_data"]


def figure_data(specification: Spec) -> Table:
    """Return one row per point, line or bar of a figure, with the title of its panel.

    >>> figure_data({"title": "a", "data": {"values": [{"x": 1}, {"y": 2}]}, "mark": "point"}).rows
    [['a', 1, None], ['a', None, 2]]
    """
    rows = list(_rows(specification, "", set()))
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    columns = [Column("panel"), *map(Column, names)]
    return Table(columns, [[panel, *(row.get(name) for name in names)] for panel, row in rows])


def _rows(part: Spec, panel: str, seen: set[int]) -> Iterator[tuple[str, Spec]]:
    """Yield the rows of a view and of the views inside it, each list of rows once."""
    title = part.get("title")
    panel = title["text"] if isinstance(title, dict) else title or panel
    values = part.get("data", {}).get("values", [])
    if id(values) not in seen:
        seen.add(id(values))
        yield from ((str(panel), row) for row in values)
    for kind in ("concat", "hconcat", "vconcat", "layer"):
        for inner in part.get(kind, []):
            yield from _rows(inner, panel, seen)
