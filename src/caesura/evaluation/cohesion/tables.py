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
    "has_texts",
    "interval_table",
    "long_table",
    "notes",
    "null_table",
    "score_table",
    "worst_table",
]

_KIND_WORDS: Mapping[str, str] = {"count": "as many boundaries", "lengths": "same lengths"}


def score_table(cohesion: Cohesion) -> Table:
    """Return one row per system: density, one-unit segments, and each score."""
    rows: list[list[Value]] = [
        [
            system,
            cohesion.segments_per_100(system),
            100 * cohesion.singletons(system),
            *(a.score for a in row.values()),
        ]
        for system, row in cohesion.aggregates.items()
    ]
    columns = [Column("system"), Column("segments/100", digits=1), Column("1-unit %", digits=1)]
    for name, metric in cohesion.metrics.items():
        facts = metric.facts()
        columns.append(Column(name, facts.direction, facts.perfect))
    title = f"Cohesion by {cohesion.vectors.name} ({cohesion.vectors.fingerprint})"
    return Table(columns, rows, notes=notes(cohesion), title=title)


def interval_table(cohesion: Cohesion) -> Table:
    """Return one row per system and metric: score, and the ends of its interval."""
    rows: list[list[Value]] = [
        [system, name, a.score, *_ends(cohesion.intervals[system][name]), a.documents]
        for system, row in cohesion.aggregates.items()
        for name, a in row.items()
    ]
    columns = [Column(title) for title in ("system", "metric", "score", "low", "high", "documents")]
    note = f"95 % intervals: documents resampled {cohesion.resamples} times, seed {cohesion.chance.seed}"
    return Table(columns, rows, notes=[note], title="Intervals")


def null_table(cohesion: Cohesion) -> Table:
    """Return one row per system, metric and kind of chance."""
    rows: list[list[Value]] = [
        [
            system,
            name,
            _KIND_WORDS[kind],
            null.score,
            null.corpus_mean,
            null.corpus_z,
            null.mean_z,
            null.mean_percentile,
            null.documents,
        ]
        for system, by_metric in cohesion.nulls.items()
        for name, by_kind in by_metric.items()
        for kind, null in by_kind.items()
    ]
    columns = [Column(t) for t in ("system", "metric", "chance", "score", "by chance")]
    columns += [Column("z, corpus", digits=1), Column("z, document", digits=2)]
    columns += [Column("percentile", digits=0), Column("documents")]
    found = [
        f"chance: {cohesion.chance.draws} random segmentations, seed {cohesion.chance.seed}; z: standard deviations on the better "
        "side of chance; percentile: the share of random segmentations that a document beats, 50 is chance",
        "score, by chance and z, corpus are of the documents of each system that are finite in every draw",
    ]
    return Table(columns, rows, notes=found, title="Against chance")


def long_table(cohesion: Cohesion) -> Table:
    """Return one row per system and metric: density, score, interval, and its place among each kind of chance."""
    titles = ["system", "metric", "segments_per_100", "score", "low", "high", "documents"]
    for kind in cohesion.chance.kinds:
        titles += [f"{kind}_{what}" for what in ("chance", "corpus_z", "z", "percentile")]
    rows: list[list[Value]] = []
    for system, row in cohesion.aggregates.items():
        for name, a in row.items():
            ends = _ends(cohesion.intervals[system][name])
            values: list[Value] = [
                system,
                name,
                cohesion.segments_per_100(system),
                a.score,
                *ends,
                a.documents,
            ]
            for kind in cohesion.chance.kinds:
                null = cohesion.nulls[system][name][kind]
                values += [null.corpus_mean, null.corpus_z, null.mean_z, null.mean_percentile]
            rows.append(values)
    return Table([Column(title) for title in titles], rows)


def comparison_table(cohesion: Cohesion) -> Table:
    """Return one row per metric and pair of systems."""
    rows: list[list[Value]] = [
        [
            c.metric,
            f"{c.first} - {c.second}",
            c.difference,
            *_ends(c.interval),
            c.p,
            c.equal_difference,
            *_ends(c.equal_interval),
            c.equal_p,
            c.better or "-",
            c.how,
            c.documents,
        ]
        for c in cohesion.comparisons
    ]
    titles = ["metric", "first - second", "difference", "low", "high", "p"]
    titles += ["equal density", "equal low", "equal high", "p Holm", "better", "how", "documents"]
    found = [
        "equal density, 'equal': it was already; 'scores': the denser system of each document keeps its best-scored boundaries, as many as the other has; "
        "'chance': each score above what as many boundaries give at random places",
        f"means over documents; p: paired permutation test; 95 % intervals: documents resampled {cohesion.resamples} times, seed "
        f"{cohesion.chance.seed}; better: at equal density, p Holm < 0.05",
    ]
    dropped = {
        f"{c.metric}, {c.first} - {c.second}: {c.dropped} documents left out, undefined or infinite": None
        for c in cohesion.comparisons
        if c.dropped
    }
    return Table([Column(t) for t in titles], rows, notes=[*found, *dropped], title="Comparison")


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
            columns += [Column(f"{name} z {kind}", digits=2), Column(f"{name} % {kind}", digits=0)]
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
    found = [score_table(cohesion), interval_table(cohesion)]
    if cohesion.chance.kinds:
        found.append(null_table(cohesion))
    if len(cohesion.systems) > 1:
        found.append(comparison_table(cohesion))
    if number and has_texts(cohesion):
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


def has_texts(cohesion: Cohesion) -> bool:
    """Say whether any document has texts that can be quoted."""
    return any(document.units is not None for document in cohesion.source.corpus)


def _left_out(cohesion: Cohesion) -> list[str]:
    """Return one line per reason for which documents were left out, with the systems it holds for."""
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
            infinite = int(np.isinf(cohesion.per_document(system, name)).sum())
            if infinite:
                line = (
                    f"{name}: {infinite} of {len(cohesion.documents)} documents infinite (neighbours with one centroid), "
                    "left out of z and of comparisons; degenerate='zero' takes them for perfect, as the notebook does"
                )
                found.setdefault(line, []).append(system)
    everyone = len(cohesion.systems)
    return [line if len(who) == everyone else f"{', '.join(who)}, {line}" for line, who in found.items()]


def _ends(interval: Interval) -> tuple[Value, Value]:
    return (None, None) if math.isnan(interval.low) else (interval.low, interval.high)
