# SPDX-License-Identifier: Apache-2.0
"""Tables of a correlation over systems."""

from __future__ import annotations

import dataclasses

from caesura.results.correlation import Coefficient, CorrelationFacts
from caesura.results.schema import Results
from caesura.results.tables._common import resampling_note, score_table
from caesura.table import Column, Table, Value, format_number

__all__ = ["csv_table", "tables"]

_READINGS = {"all": "all", "without baselines": "no baselines", "density removed": "+ log BOR held"}


def tables(results: Results) -> list[Table]:
    """Return the correlations, and the scores that were correlated."""
    facts = results.correlation or CorrelationFacts(ranked={}, rows=[], encoders=[], same_vectors={})
    several = len(facts.same_vectors) > 1
    first = facts.rows[0].reference if facts.rows else ""
    rows: list[list[Value]] = [
        [
            *([row.encoder] if several else []), f"{row.metric} ~ {row.reference}", _READINGS[row.reading], row.systems,
            _text(row.pearson), _text(row.spearman), _text(row.kendall),
        ]
        for row in sorted(facts.rows, key=lambda row: row.reference != first)
    ]  # fmt: skip
    shown = [row for row in rows if str(row[int(several)]).endswith(f" ~ {first}")]
    titles = [*(["encoder"] if several else []), "metrics", "reading", "n", "Pearson", "Spearman", "Kendall"]
    notes = [
        "n: number of systems; both metrics are turned so that higher is better, so 1 is agreement",
        "+ log BOR held: no baselines, and the logarithm of boundaries per reference boundary held constant",
        "intervals resample documents, not systems: they say nothing about other systems",
        *resampling_note(results),
    ]
    for spec, systems in facts.same_vectors.items():
        if systems:
            notes.append(
                f"made with the judging vectors of {spec}, which overrate them: {', '.join(systems)}"
            )
    if facts.left_out:
        notes.append(
            f"left out, since they cannot be scored without a reference (no boundaries?): {', '.join(facts.left_out)}"
        )
    columns = [Column(title) for title in titles]
    result = [Table(columns, shown, notes=notes)]
    if len(shown) < len(rows):
        result.append(Table(columns, rows, notes=notes, title="All pairs of metrics", detail=True))
    # Raw scores without a reference depend on the density: none of them is marked as best.
    judged = {row.reference for row in facts.rows}
    scores = score_table(results, "Scores")
    columns = [c if c.title in judged else dataclasses.replace(c, direction=None) for c in scores.columns]
    marks = {name: " *" if system.baseline else "" for name, system in facts.ranked.items()}
    marked = [[f"{row[0]}{marks.get(str(row[0]), '')}", *row[1:]] for row in scores.rows]
    below = [*scores.notes, "* baseline"] if any(marks.values()) else scores.notes
    return [*result, Table(columns, marked, notes=below, title="Scores", detail=True)]


def csv_table(results: Results) -> Table:
    """Return one row per encoder, pair of metrics and reading: every coefficient with its interval."""
    rows: list[list[Value]] = []
    for row in [] if results.correlation is None else results.correlation.rows:
        cells: list[Value] = [row.encoder, row.metric, row.reference, row.reading, row.systems]
        for found in (row.pearson, row.spearman, row.kendall):
            cells += [found.value, found.interval]
        rows.append(cells)
    columns = [Column(title) for title in ("encoder", "metric", "reference", "reading", "systems")]
    for name in ("Pearson", "Spearman", "Kendall"):
        columns += [Column(name), Column(name, style="interval")]
    return Table(columns, rows)


def _text(found: Coefficient) -> str:
    if found.value is None:
        return "-"
    low, high = found.interval
    ends = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{format_number(found.value, 2)}{ends}"
