# SPDX-License-Identifier: Apache-2.0
"""The score table for a paper: intervals after the scores, and marks for significant differences only."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from caesura.errors import ComparabilityError
from caesura.results._tables import every_score, resampling_note
from caesura.results.schema import Results
from caesura.table import Column, Table, Value

__all__ = ["joined", "with_marks"]


def with_marks(table: Table, results: Results) -> Table:
    """Return a table of systems and metrics with intervals and marks after its scores, explained below it."""
    columns = {column.title: place for place, column in enumerate(table.columns)}
    rows = {str(values[0]): place for place, values in enumerate(table.rows)}
    after: dict[tuple[int, int], str] = {}
    for system, name, score in every_score(results):
        if name not in columns or system not in rows:
            continue
        place = rows[system], columns[name]
        text = "*" if place in table.best() else ""
        if score.interval is not None and None not in score.interval:
            text += f" [{score.interval.low:.3f}, {score.interval.high:.3f}]"
        if text:
            after[place] = text
    notes = [*table.notes]
    if any("[" in text for text in after.values()):
        notes = [*resampling_note(results), *notes]
    return dataclasses.replace(table, after=after, notes=notes)


def joined(tables: Mapping[str, Table]) -> Table:
    """Return tables with the same columns concatenated, the name of each before its rows.

    Raises
    ------
    ComparabilityError
        If the columns of two tables differ.
    """
    first, *others = tables
    titles = [column.title for column in tables[first].columns]
    for name in others:
        theirs = [column.title for column in tables[name].columns]
        if theirs != titles:
            only = [t for t in titles if t not in theirs] + [t for t in theirs if t not in titles]
            what = f"only one has {', '.join(only)}" if only else "they are in another order"
            raise ComparabilityError(
                f"the tables of {first} and {name} have different columns: {what}; measure both with the same metrics"
            )
    rows: list[list[Value]] = []
    after: dict[tuple[int, int], str] = {}
    notes: list[tuple[str, str]] = []
    for name, table in tables.items():
        after |= {(row + len(rows), column + 1): text for (row, column), text in table.after.items()}
        rows += [[name, *values] for values in table.rows]
        notes += [(name, note) for note in table.notes]
    shared = {note for _, note in notes if all(note in table.notes for table in tables.values())}
    texts = dict.fromkeys(note if note in shared else f"{name}: {note}" for name, note in notes)
    # A best value is the best of its corpus; over several corpora, none is marked.
    plain = [dataclasses.replace(column, direction=None) for column in tables[first].columns]
    shown = [
        dataclasses.replace(column, title=old.heading)
        for column, old in zip(plain, tables[first].columns, strict=True)
    ]
    return Table([Column("corpus"), *shown], rows, notes=list(texts), title=tables[first].title, after=after)
