# SPDX-License-Identifier: Apache-2.0
"""Tables of `reproduce`: the statuses of the numbers of each item, every number, and the errors found."""

from __future__ import annotations

from caesura.results.base import required
from caesura.results.reproduce.facts import STATUSES, Cell, ReproductionFacts, Status
from caesura.results.schema import Results
from caesura.table import Column, Table, Value, columns_of

__all__ = ["cell_table", "csv_table", "noted", "tables"]

_HEADS: dict[Status, str] = {"within sampling": "sampling", "different": "differ", "unavailable": "no value"}
# So that tables fit 80 columns; those of a single item have room for more.
_WIDTH = {"row": 18, "column": 12, "printed": 12, "ours": 10, "status": 11, "number": 26, "note": 42}
_ROOM = {"row": 30, "column": 16}


def tables(results: Results) -> list[Table]:
    """Return the summary of a paper, or the numbers of a single item; the rest is detail."""
    facts, cells = required(results.reproduction), results.cells or []
    single = len(facts.items) == 1
    found = [] if single else [_summary(facts)]
    printed = sum(cell.printed is not None for cell in cells)
    picked = printed < sum(sum(item.counts.values()) for item in facts.items)
    only = facts.items[0]
    title = (
        f"Paper {facts.paper}, {only.name}: {only.title}"
        if single
        else "Numbers that differ"
        if picked
        else "Every number"
    )
    found.append(cell_table(cells, detail=not (single or picked), title=title))
    notes = noted(cells)
    if notes:
        columns = [Column(name, width=_WIDTH.get(name)) for name in ("item", "number", "note")]
        found.append(Table(columns, notes, title="Notes", detail=True))
    if facts.errata:
        rows: list[list[Value]] = [[e.item, e.where, e.said, e.shown] for e in facts.errata]
        columns = [Column("item"), Column("where", width=14), Column("said", width=22), Column("shown", width=32)]
        found.append(Table(columns, rows, title="Errors found", detail=True))
    return found


def csv_table(results: Results) -> Table:
    """Return one row per number, with everything that is known of it."""
    names = (
        "item", "row", "column", "printed", "ours", "difference", "profile", "status", "note", "definition", "corrected",
    )  # fmt: skip
    rows: list[list[Value]] = [[getattr(cell, name) for name in names] for cell in results.cells or []]
    return Table(columns_of(*names), rows)


def cell_table(cells: list[Cell], *, detail: bool = False, title: str = "") -> Table:
    """Return the printed numbers with ours, one row each."""
    several = len({cell.item for cell in cells}) > 1
    by_definition = not several and any(cell.definition is not None for cell in cells)
    names = (*(("item",) if several else ()), "row", "column", "printed", "ours")
    names = (*names, *(("definition",) if by_definition else ()), "status")
    rows: list[list[Value]] = []
    for c in cells:
        row: list[Value] = [c.item] if several else []
        row += [c.row, c.column, c.printed, c.shown(c.ours)]
        rows.append([*row, *([c.shown(c.definition)] if by_definition else []), _status(c)])
    notes = ["definition: the value under the definitions in the paper"] if by_definition else []
    if any(cell.by_rounding for cell in cells):
        notes.append("by rounding: exact within the rounding of the printed numbers behind it")
    widths = _WIDTH if several else _ROOM
    columns = [Column(name, width=widths.get(name)) for name in names]
    return Table(columns, rows, title=title, detail=detail, notes=notes)


def noted(cells: list[Cell]) -> list[tuple[str, str, str]]:
    """Return each note of an item once: item, the numbers it belongs to, and the note."""
    places: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        if cell.note:
            places.setdefault((cell.item, cell.note), []).append(f"{cell.row}, {cell.column}")
    return [
        (item, first if not more else f"{first} and {len(more)} more", note)
        for (item, note), (first, *more) in places.items()
    ]


def _status(cell: Cell) -> str:
    if cell.misprint and not cell.failed:
        return "misprint"
    if cell.status is None:
        return "not printed"
    return "by rounding" if cell.by_rounding else cell.status


def _summary(facts: ReproductionFacts) -> Table:
    found = [status for status in STATUSES if any(status in item.counts for item in facts.items)]
    rows: list[list[Value]] = [
        [item.name, item.title, *(item.counts.get(status, 0) for status in found)] for item in facts.items
    ]
    columns = [Column("item"), Column("what", width=30), *columns_of(*(_HEADS.get(status, status) for status in found))]
    return Table(columns, rows, title=f"Paper {facts.paper}, {facts.alias}")
