# SPDX-License-Identifier: Apache-2.0
"""Tables of tuned parameters."""

from __future__ import annotations

from caesura.results.schema import Results
from caesura.table import Column, Table, Value, badness, columns_of

__all__ = ["csv_table", "tables"]

_SHOWN = 10


def csv_table(results: Results) -> Table:
    """Return every setting that was tried."""
    return tables(results)[-1]


def tables(results: Results) -> list[Table]:
    """Return the best settings, and all of them."""
    facts = results.tuning
    if facts is None:
        return []
    about = results.metrics[facts.metric]
    target = 1.0 if about.perfect is None else about.perfect
    ordered = sorted(
        facts.tried,
        key=lambda one: (one.score is None, 0 if one.score is None else badness(one.score, about.direction, target)),
    )
    rows: list[list[Value]] = [[one.method, one.score, one.folds] for one in ordered]
    columns = [Column("setting"), Column(facts.metric, about.direction, target), *columns_of("folds won")]
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
