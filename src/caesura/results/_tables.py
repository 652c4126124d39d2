# SPDX-License-Identifier: Apache-2.0
"""Columns and cells shared by several questions."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping

from caesura.errors import ComparabilityError
from caesura.results.base import FEW, Ends, Score
from caesura.results.compare.facts import DIFFERENT
from caesura.results.schema import Results
from caesura.table import BETWEEN, Column, Table, Value, columns_of

__all__ = [
    "document_table", "drawn_notes", "ends", "every_score", "few_note", "fitted", "interval_table", "joined", "metric_columns", "resampling_note",
    "score_table", "test_name", "with_marks", "with_winners",
]  # fmt: skip

WINNER = f"marked: better than every other system (adjusted p < {DIFFERENT})"
_WIDTH = 80


def every_score(results: Results) -> list[tuple[str, str, Score]]:
    """Return every score with its system and metric."""
    return [(system, name, score) for system, row in results.systems.items() for name, score in row.items()]


def metric_columns(results: Results, *, ranked: bool = True) -> list[Column]:
    """Return one column per metric; the best is marked only if the rows are ``ranked``."""
    return [Column(name, facts.direction if ranked else None, facts.target) for name, facts in results.metrics.items()]


def score_table(results: Results, title: str = "") -> Table:
    """Return one row per system and one column per metric, marked where a system is shown to be better than all others."""
    rows: list[list[Value]] = [
        [system, *(score.score for score in row.values())] for system, row in results.systems.items()
    ]
    columns = [Column("system"), *metric_columns(results)]
    return with_winners(Table(columns, rows, notes=results.notes, title=title), results)


def with_winners(table: Table, results: Results) -> Table:
    """Mark the scores of systems that are significantly better than every other, not scores that are merely best.

    The first column holds the systems; the titles of the others are metrics. A column without a direction is not marked.
    """
    winners: dict[tuple[str, str], bool] = {}
    for c in results.comparisons or ():
        significant = c.p_corrected is not None and c.p_corrected < DIFFERENT
        for of in ((c.first, c.metric), (c.second, c.metric)):
            winners[of] = winners.get(of, True) and significant and c.better == of[0]
    marked = frozenset(
        (row, place)
        for row, values in enumerate(table.rows)
        for place, column in enumerate(table.columns)
        if column.direction is not None and winners.get((str(values[0]), column.title))
    )
    return dataclasses.replace(table, marked=marked, notes=[*([WINNER] if marked else []), *table.notes])


def document_table(results: Results) -> Table:
    """Return one row per system and document."""
    rows: list[list[Value]] = []
    for system, scores in (results.per_document or {}).items():
        rows += [[system, key, *values] for key, *values in zip(results.documents or [], *scores.values(), strict=True)]
    columns = [*columns_of("system", "document"), *metric_columns(results, ranked=False)]
    return Table(columns, rows, notes=results.notes)


def interval_table(results: Results, *, documents: bool = False) -> Table:
    """Return one row per system and metric: the score, the ends of its interval, and its documents if asked for."""
    rows: list[list[Value]] = [
        [system, name, score.score, *(score.interval or (None, None)), *([score.documents] if documents else [])]
        for system, name, score in every_score(results)
        if documents or score.interval is not None
    ]
    columns = columns_of("system", "metric", "score", "low", "high", *(["documents"] if documents else []))
    return Table(columns, rows, notes=resampling_note(results), title="Intervals")


def resampling_note(results: Results) -> list[str]:
    """Return how intervals were computed, if it is recorded, and whether the documents are few for them."""
    drawn = results.resampling
    return [*drawn_notes(results), *(few_note(results) if drawn is not None and drawn.resamples else [])]


def drawn_notes(results: Results) -> list[str]:
    """Return how intervals were computed, which a command says with --full only."""
    r = results.resampling
    if r is None:
        return []
    how = f"{r.unit} resampled {r.resamples} times, seed {r.seed}"
    return [
        f"{100 * r.level:g} % intervals: {how if r.resamples else 'normal theory, from the moments of the ' + r.unit}"
    ]


def test_name(results: Results) -> str:
    """Return the name of the test: permutations, or normal theory if nothing was drawn."""
    r = results.resampling
    return "paired permutation test" if r is None or r.resamples else "paired normal test"


def few_note(results: Results) -> list[str]:
    """Return the note on intervals of few documents."""
    if min((item.documents for item in results.inputs), default=FEW) >= FEW:
        return []
    return ["fewer than ten documents: the intervals are rough, and tend to be too narrow"]


def ends(interval: Ends | None) -> Value:
    """Return an interval in one cell, None if an end is not known."""
    return None if interval is None or not interval.defined else (interval[0], interval[1])


def fitted(table: Table, stays: Collection[int] = (0,), most: int | None = None) -> Table:
    """Return a table whose columns beyond 80 characters, or beyond ``most`` of them, are marked as detail."""
    widths = [width + BETWEEN for width in table.widths()]
    visible = {place for place in stays if not table.columns[place].detail}
    for place, column in enumerate(table.columns):
        fits = sum(widths[each] for each in {*visible, place}) <= _WIDTH + BETWEEN
        if fits and not column.detail and (place in visible or len(visible) < (most or len(widths))):
            visible.add(place)
    columns = [dataclasses.replace(c, detail=place not in visible) for place, c in enumerate(table.columns)]
    seen = any(place in visible for _, place in table.best())
    return dataclasses.replace(table, columns=columns, notes=[note for note in table.notes if note != WINNER or seen])


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
        if score.interval is not None and score.interval.defined:
            text += f" [{score.interval.low:.3f}, {score.interval.high:.3f}]"
        if text:
            after[place] = text
    drawn = resampling_note(results) if any("[" in text for text in after.values()) else []
    return dataclasses.replace(table, after=after, notes=[*drawn, *table.notes])


def joined(tables: Mapping[str, Table]) -> Table:
    """Return tables with the same columns concatenated, the name of each before its rows; raise if columns differ."""
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
    shown = [dataclasses.replace(c, direction=None, title=c.heading) for c in tables[first].columns]
    return Table([Column("corpus"), *shown], rows, notes=list(texts), title=tables[first].title, after=after)
