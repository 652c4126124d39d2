# SPDX-License-Identifier: Apache-2.0
"""Tables of `reproduce`: published numbers, released files, and what is not reproduced."""

from __future__ import annotations

from collections.abc import Iterable

from caesura.results.base import Number
from caesura.results.reproduction import Cell, FileCheck, ReproductionFacts
from caesura.results.schema import Results
from caesura.results.tables._common import columns_of
from caesura.table import Column, Table, Value

__all__ = ["tables"]


def tables(results: Results) -> list[Table]:
    """Return the published numbers, the released files, and what is not reproduced."""
    facts = results.reproduction
    if facts is None:
        return []
    tables = [_cells(facts, results.notes)]
    if facts.files:
        tables.append(_files(facts.files))
    if facts.absent:
        rows: list[list[Value]] = [[a.item, a.what, a.reason] for a in facts.absent]
        columns = [Column("item"), Column("what", width=44), Column("reason", width=60)]
        tables.append(Table(columns, rows, title="Not reproduced here"))
    return tables


def _cells(facts: ReproductionFacts, notes: list[str]) -> Table:
    rows: list[list[Value]] = [
        [c.item, c.dataset, c.row, c.column, c.printed, c.shown(c.as_run), _mark(c.matched), c.shown(c.paper), _mark(c.paper_matched)]
        for c in facts.cells
    ]  # fmt: skip
    heads = ("item", "dataset", "row", "column", "printed", "as_run", "as_run is", "paper", "paper is")
    title = f"Paper {facts.paper}: {facts.title}"
    return Table(columns_of(*heads), rows, notes=[*_reasons(facts.cells), *notes], title=title)


def _files(files: list[FileCheck]) -> Table:
    rows: list[list[Value]] = [
        [f.file, f.column, f.compared, _small(f.largest_difference), _mark(f.matched), _small(f.paper_largest_difference)]
        for f in files
    ]  # fmt: skip
    as_run, paper = (f"{name}: largest difference" for name in ("as_run", "paper"))
    heads = ("file", "column", "values", as_run, "as_run is", paper)
    notes = _reasons(files)
    tolerance = max(f.tolerance for f in files)
    if tolerance > 0:
        notes.append(f"matched: no difference above {tolerance:g}; counts are equal")
    return Table(columns_of(*heads), rows, notes=notes, title="Released files")


def _small(value: Number) -> str | None:
    return None if value is None else f"{value:.1e}"


def _mark(matched: bool | None) -> str:
    return {True: "matched", False: "not matched", None: ""}[matched]


def _reasons(parts: Iterable[Cell | FileCheck]) -> list[str]:
    """Return each reason once, with the columns it applies to."""
    columns: dict[str, dict[str, None]] = {}
    for part in parts:
        if part.reason:
            columns.setdefault(part.reason, {})[part.column] = None
    return [f"paper, {', '.join(names)}: {reason}" for reason, names in columns.items()]
