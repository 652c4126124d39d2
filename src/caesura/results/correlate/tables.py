# SPDX-License-Identifier: Apache-2.0
"""Tables of a correlation over systems."""

from __future__ import annotations

import dataclasses

from caesura.results._tables import resampling_note, score_table
from caesura.results.base import required
from caesura.results.correlate.facts import CorrelationCoefficient, CorrelationFacts
from caesura.results.schema import Results
from caesura.table import Column, Table, Value, columns_of

__all__ = ["csv_table", "tables"]

_READINGS = {"without baselines": "no baselines", "density removed": "+ log BOR held"}


def tables(results: Results) -> list[Table]:
    """Return the correlations, and the scores that were correlated."""
    facts = required(results.correlation)
    several = len(facts.same_vectors) > 1
    first = facts.rows[0].reference if facts.rows else ""
    rows: list[list[Value]] = [
        [
            *([row.encoder] if several else []), f"{row.metric} ~ {row.reference}", _READINGS.get(row.reading, row.reading), row.systems,
            _text(row.pearson), _text(row.spearman), _text(row.kendall), _text(row.ordered, 100, 0, " %"),
        ]
        for row in sorted(facts.rows, key=lambda row: row.reference != first)
    ]  # fmt: skip
    shown = [row for row in rows if str(row[int(several)]).endswith(f" ~ {first}")]
    titles = [*(["encoder"] if several else []), "metrics", "reading", "n", "Pearson", "Spearman", "Kendall", "ordered"]
    notes = [
        "n: number of systems; both metrics are turned so that higher is better, so 1 is agreement",
        "+ log BOR held: no baselines, and the logarithm of boundaries per reference boundary held constant",
        "systems only: no baselines, and no system that equals the reference, which any metric tells from systems",
        "ordered: share of pairs of systems ordered as by the reference metric; equal scores by the metric count half, pairs with equal "
        "scores by the reference metric are left out",
        "intervals resample documents, not systems: they say nothing about other systems",
        *resampling_note(results),
    ]
    for spec, systems in facts.same_vectors.items():
        if systems:
            notes.append(f"made with the judging vectors of {spec}, which overrate them: {', '.join(systems)}")
    if facts.left_out:
        notes.append(
            f"left out, since they cannot be scored without a reference (no boundaries?): {', '.join(facts.left_out)}"
        )
    columns = columns_of(*titles)
    result = [Table(columns, shown, notes=notes)]
    if len(shown) < len(rows):
        result.append(Table(columns, rows, notes=notes, title="All pairs of metrics", detail=True))
    if facts.differences:
        result.append(_differences(results, facts, several))
    # Raw scores without a reference depend on the density: none of them is marked as best.
    judged = {row.reference for row in facts.rows}
    scores = score_table(results, "Scores")
    columns = [c if c.title in judged else dataclasses.replace(c, direction=None) for c in scores.columns]
    marks = {
        name: " *" if system.baseline else " =" if system.reference else "" for name, system in facts.ranked.items()
    }
    marked = [[f"{row[0]}{marks.get(str(row[0]), '')}", *row[1:]] for row in scores.rows]
    legend = {" *": "* baseline", " =": "= equals the reference"}
    below = [*scores.notes, *(text for mark, text in legend.items() if mark in marks.values())]
    return [*result, Table(columns, marked, notes=below, title="Scores", detail=True)]


def csv_table(results: Results) -> Table:
    """Return one row per encoder, pair of metrics and reading: every coefficient with its interval."""
    rows: list[list[Value]] = []
    for row in required(results.correlation).rows:
        cells: list[Value] = [row.encoder, row.metric, row.reference, row.reading, row.systems]
        for found in (row.pearson, row.spearman, row.kendall, row.ordered):
            cells += [None, None] if found is None else [found.value, found.interval]
        rows.append(cells)
    columns = columns_of("encoder", "metric", "reference", "reading", "systems")
    for name in ("Pearson", "Spearman", "Kendall", "ordered"):
        columns += [Column(name), Column(name, style="interval")]
    return Table(columns, rows)


def _differences(results: Results, facts: CorrelationFacts, several: bool) -> Table:
    rows: list[list[Value]] = [
        [
            *([each.encoder] if several else []), f"{each.first} - {each.second}", each.reference,
            _READINGS.get(each.reading, each.reading), each.systems, _text(each.pearson), _text(each.spearman), _text(each.kendall),
        ]
        for each in facts.differences
    ]  # fmt: skip
    titles = [*(["encoder"] if several else []), "first - second", "reference", "reading", "n"]
    columns = columns_of(*titles, "Pearson", "Spearman", "Kendall")
    notes = [
        "correlation of the first metric with the reference metric, minus that of the second, on the same resamples of documents",
        *resampling_note(results),
    ]
    return Table(columns, rows, notes=notes, title="Differences between metrics", detail=True)


def _text(found: CorrelationCoefficient | None, times: int = 1, digits: int = 2, unit: str = "") -> str:
    """Return a coefficient, or as many times of it, with its interval."""
    if found is None or found.value is None:
        return "-"
    low, high = found.interval
    ends = "" if low is None or high is None else f" [{times * low:.{digits}f}, {times * high:.{digits}f}]"
    return f"{times * found.value:.{digits}f}{unit}{ends}"
