# SPDX-License-Identifier: Apache-2.0
"""Tables of tuned parameters."""

from __future__ import annotations

from caesura.results.base import required
from caesura.results.schema import Results
from caesura.table import Column, Table, Value, columns_of

__all__ = ["csv_table", "tables"]

_SHOWN = 10


def csv_table(results: Results) -> Table:
    """Return every setting that was tried."""
    return tables(results)[-1]


def tables(results: Results) -> list[Table]:
    """Return the best settings, and all of them."""
    facts = required(results.tuning)
    about = results.metrics[facts.metric]
    ordered = sorted(facts.tried, key=lambda one: (one.score is None, about.badness(one.score)))
    rows: list[list[Value]] = [[one.method, one.score, one.folds] for one in ordered]
    columns = [Column("setting"), Column(facts.metric, about.direction, about.target), *columns_of("folds won")]
    notes = [
        f"{facts.metric} on the {facts.documents} development documents, which chose, so the score of the best is too good",
        f"folds won: in how many of {facts.folds} folds the setting is best on the other folds",
    ]
    if facts.possible > len(rows):
        notes.append(f"{len(rows)} of {facts.possible} combinations, drawn at random, seed {results.seed}")
    found = [Table(columns, rows[:_SHOWN], notes=notes, marked=frozenset())]
    if len(rows) > _SHOWN:
        found.append(Table(columns, rows, notes=notes, title="All settings", detail=True, marked=frozenset()))
    return found
