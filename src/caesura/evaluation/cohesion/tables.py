# SPDX-License-Identifier: Apache-2.0
"""The tables of a measurement without a reference, and what must be said below them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from caesura.metrics.base import Floats
from caesura.metrics.cohesion import cautions
from caesura.statistics import Interval
from caesura.table import Column, Table, Value

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = [
    "all_tables",
    "caution_lines",
    "comparison_table",
    "document_table",
    "notes",
    "null_table",
    "score_table",
    "worst_table",
]

_KIND_WORDS: Mapping[str, str] = {"count": "as many boundaries", "lengths": "same lengths"}


def score_table(cohesion: Cohesion) -> Table:
    """Return one row per system: density, one-unit segments, and each score with its interval."""
    rows: list[list[Value]] = []
    for system, row in cohesion.aggregates.items():
        values: list[Value] = [system, cohesion.segments_per_100(system), 100 * cohesion.singletons(system)]
        for name, a in row.items():
            values += [a.score, _interval(cohesion.intervals[system][name])]
        rows.append(values)
    columns = [Column("system"), Column("segments/100", digits=1), Column("1-unit %", digits=1)]
    for name, metric in cohesion.metrics.items():
        facts = metric.facts()
        columns += [Column(name, facts.direction, facts.perfect), Column("95 %")]
    title = f"Cohesion by {cohesion.vectors.name} ({cohesion.vectors.fingerprint})"
    return Table(columns, rows, notes=notes(cohesion), title=title)


def null_table(cohesion: Cohesion) -> Table:
    """Return one row per system, metric and kind of chance."""
    rows: list[list[Value]] = []
    for system, by_metric in cohesion.nulls.items():
        for name, by_kind in by_metric.items():
            for kind, null in by_kind.items():
                rows.append(
                    [
                        system,
                        name,
                        _KIND_WORDS[kind],
                        cohesion.scores[system][name],
                        null.corpus_mean,
                        null.corpus_z,
                        null.mean_z,
                        null.mean_percentile,
                    ]
                )
    columns = [Column(t) for t in ("system", "metric", "chance", "score", "by chance")]
    columns += [Column("z, corpus", digits=1), Column("z, document", digits=2)]
    columns += [Column("percentile", digits=0)]
    note = (
        f"chance: {cohesion.chance.draws} random segmentations, seed {cohesion.chance.seed}; z: standard deviations on the "
        "better side of chance; percentile: the share of random segmentations that a document beats, 50 is chance"
    )
    return Table(columns, rows, notes=[note], title="Against chance")


def comparison_table(cohesion: Cohesion) -> Table:
    """Return one row per metric and pair of systems."""
    rows: list[list[Value]] = [
        [
            c.metric,
            f"{c.first} - {c.second}",
            c.difference,
            _interval(c.interval),
            c.p,
            c.equal_difference,
            _interval(c.equal_interval),
            c.equal_p,
            c.better or "-",
            c.how,
        ]
        for c in cohesion.comparisons
    ]
    titles = ("metric", "first - second", "difference", "95 %", "p", "at equal density", "95 %", "p Holm")
    columns = [*(Column(title) for title in titles), Column("better"), Column("how")]
    notes = [
        "at equal density: 'scores' selects both systems again to the smaller number of boundaries of each document; "
        "'chance' takes from each score what as many boundaries give at random places",
        f"p: paired permutation test; intervals: documents resampled {cohesion.resamples} times, seed {cohesion.chance.seed}; "
        "better: at equal density, p Holm < 0.05",
    ]
    return Table(columns, rows, notes=notes, title="Comparison")


def worst_table(cohesion: Cohesion, number: int = 5) -> Table:
    """Return the worst segments of every system by the first metric, quoted."""
    name = next(iter(cohesion.metrics))
    rows: list[list[Value]] = [
        [system, item.document, f"{item.start}-{item.end}", item.value, item.text]
        for system in cohesion.systems
        for item in cohesion.worst(system, name, number)
    ]
    columns = [
        Column("system"),
        Column("document"),
        Column("units"),
        Column(name),
        Column("text", width=70),
    ]
    return Table(columns, rows, title=f"Worst segments by {name}")


def document_table(cohesion: Cohesion) -> Table:
    """Return one row per system and document: scores, and z and percentile against each kind of chance."""
    columns = [Column("system"), Column("document"), Column("segments")]
    for name in cohesion.metrics:
        columns.append(Column(name))
        for kind in cohesion.chance.kinds:
            columns += [Column(f"z {kind}", digits=2), Column(f"% {kind}", digits=0)]
    rows: list[list[Value]] = []
    for system, batch in cohesion.batches.items():
        segments = np.diff(batch.segmentations.ptr) + 1
        parts: list[Floats] = []
        for name in cohesion.metrics:
            parts.append(cohesion.per_document(system, name))
            for kind in cohesion.chance.kinds:
                null = cohesion.nulls[system][name][kind]
                parts += [null.z, null.percentile]
        rows += [
            [system, key, int(n), *values]
            for key, n, *values in zip(
                cohesion.documents, segments.tolist(), *(part.tolist() for part in parts), strict=True
            )
        ]
    return Table(columns, rows, notes=notes(cohesion))


def all_tables(cohesion: Cohesion, number: int = 3) -> list[Table]:
    """Return every table; the worst segments so many per system."""
    found = [score_table(cohesion)]
    if cohesion.chance.kinds:
        found.append(null_table(cohesion))
    if len(cohesion.systems) > 1:
        found.append(comparison_table(cohesion))
    if number and cohesion.source.corpus[cohesion.documents[0]].units is not None:
        found.append(worst_table(cohesion, number))
    return found


def notes(cohesion: Cohesion) -> list[str]:
    """Return what must be said below the numbers: recipes, cautions, and what was left out."""
    first = next(iter(cohesion.systems))
    notes = [cohesion.signature(name, first, short=True) for name in cohesion.metrics]
    notes += cohesion.remarks
    for system, lacking in cohesion.missing.items():
        if lacking:
            notes.append(f"{system}: {len(lacking)} documents missing, skipped")
    return notes + caution_lines(cohesion) + _left_out(cohesion)


def caution_lines(cohesion: Cohesion) -> list[str]:
    """Return the reasons to mistrust the scores of each system: one-unit segments, equal centroids, equal vectors."""
    return [
        f"{system}: {line}"
        for system, batch in cohesion.batches.items()
        for line in cautions(batch).sentences()
        if not line.endswith("no score")  # said below, by metric
    ]


def _left_out(cohesion: Cohesion) -> list[str]:
    found: dict[str, list[str]] = {}
    for system, row in cohesion.aggregates.items():
        for name, a in row.items():
            if a.undefined:
                why = cohesion.metrics[name].why_undefined()
                line = f"{name}: {a.undefined} of {len(cohesion.documents)} documents undefined ({why})"
                found.setdefault(line, []).append(system)
            if a.dropped:
                line = f"{name}: {a.dropped} documents dropped, undefined for another system"
                found.setdefault(line, []).append(system)
    everyone = len(cohesion.systems)
    return [line if len(who) == everyone else f"{', '.join(who)}, {line}" for line, who in found.items()]


def _interval(interval: Interval | None) -> Value:
    if interval is None or math.isnan(interval.low):
        return ""
    return f"{interval.low:.3f}..{interval.high:.3f}"
