# SPDX-License-Identifier: Apache-2.0
"""Tables of a measurement without a reference: scores, intervals, chance, comparisons, worst segments."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from caesura.results._tables import (
    every_score,
    interval_table,
    metric_columns,
    resampling_note,
    test_name,
    with_winners,
)
from caesura.results.base import as_float, required
from caesura.results.cohesion.facts import CohesionFacts, GapValue
from caesura.results.schema import Results
from caesura.results.validate.facts import BLIND, DAMAGES, Limits, MetricCheck, damage_names, may_be_used, reads_words
from caesura.table import BETWEEN, Column, Table, Value, columns_of

__all__ = ["csv_table", "null_table", "tables"]

_HUGE = 1000
"""As `caesura.metrics.cohesion.HUGE`: usual values are below 10."""
_TERMINAL, _SYSTEM, _DOCUMENT, _QUOTE = 80, 14, 20, 20
"""The width of a table with quotations, the most that names may take of it, and the least of a quotation."""
_NOT_KNOWN = (
    "WHAT CANNOT BE KNOWN WITHOUT A REFERENCE: whether readers cut here too; the best gaps of a metric always score "
    "better than readers' boundaries"
)
_KINDS: Mapping[str, str] = {"count": "as many boundaries", "lengths": "same lengths"}


def tables(results: Results) -> list[Table]:
    """Return every table, or only the scores per document if they were requested."""
    facts = required(results.cohesion)
    if results.per_document is not None:
        return [_document_table(results, facts)]
    detail = [interval_table(results, documents=True)]
    if _kinds(results):
        detail.append(null_table(results))
    if results.comparisons is not None:
        detail.append(_comparison_table(results))
    if facts.checks is not None:
        detail.append(_check_table(facts.checks))
    if facts.worst is not None:
        detail.append(_worst_table(results, facts))
    if facts.weakest is not None:
        detail.append(_gap_table(f"Weakest boundaries by {facts.gaps_by}", facts.weakest))
    if facts.missing is not None:
        detail.append(_gap_table(f"Strongest gaps left out by {facts.gaps_by}", facts.missing, _NOT_KNOWN))
    return [_score_table(results, facts), *(dataclasses.replace(table, detail=True) for table in detail)]


def null_table(results: Results) -> Table:
    """Return one row per system, metric and kind of chance."""
    rows: list[list[Value]] = []
    notes: dict[str, None] = {}
    for system, name, score in every_score(results):
        for kind, null in (score.nulls or {}).items():
            numbers = (null.score, null.mean, null.z, null.mean_z, null.mean_percentile)
            rows.append([system, name, _KINDS[kind], *map(as_float, numbers), null.documents])
            notes[f"chance: {null.draws} random segmentations, seed {null.seed}"] = None
    columns = columns_of("system", "metric", "chance", "score", "by chance")
    columns += [Column("z, corpus", digits=1), Column("z, document", digits=2)]
    columns += [Column("percentile", digits=0), Column("documents")]
    explained = [
        "z: standard deviations on the better side of chance; percentile: share of random segmentations that a document "
        "beats, 50 is chance",
        "the columns 'score', 'by chance' and 'z, corpus' use the documents whose score is finite in every draw",
    ]
    return Table(columns, rows, notes=[*notes, *explained], title="Against chance")


def csv_table(results: Results) -> Table:
    """Return one row per system and metric: density, score, interval, each kind of chance; or one per system and document."""
    if results.per_document is not None:
        return tables(results)[0]
    titles = ["system", "metric", "segments_per_100", "score", "low", "high", "documents"]
    for kind in _kinds(results):
        titles += [f"{kind}_{what}" for what in ("chance", "corpus_z", "z", "percentile")]
    density = required(results.cohesion).density
    rows: list[list[Value]] = []
    for system, name, score in every_score(results):
        row: list[Value] = [system, name, density[system].segments_per_100, score.score]
        row += [*(score.interval or (None, None)), score.documents]
        for null in (score.nulls or {}).values():
            row += [null.mean, null.z, null.mean_z, null.mean_percentile]
        rows.append(row)
    return Table(columns_of(*titles), rows)


def _score_table(results: Results, facts: CohesionFacts) -> Table:
    rows: list[list[Value]] = []
    for system, row in results.systems.items():
        density = facts.density[system]
        scores = (as_float(score.score) for score in row.values())
        rows.append([system, density.segments_per_100, 100 * density.one_unit_share, *scores])
    columns = [Column("system"), Column("per 100", digits=1), Column("1-unit %", digits=1)]
    title = f"Cohesion by {facts.encoder.name} ({facts.encoder.fingerprint})"
    ranked = _comparable(results, facts)
    metrics = [
        dataclasses.replace(column, direction=None, title=column.heading) if column.title not in ranked else column
        for column in metric_columns(results)
    ]
    notes = ["per 100: segments per 100 units", *results.notes]
    return with_winners(Table([*columns, *metrics], rows, notes=notes, title=title), results)


def _comparable(results: Results, facts: CohesionFacts) -> set[str]:
    """Return the metrics that may be used and whose raw scores are comparable between these systems.

    A metric without a worst value favours segments of one unit, and two nearly equal centroids dominate it: it is left out
    if many segments have one unit, or if a score is beyond the usual range.
    """
    pairs = results.comparisons or []
    single = max((density.one_unit_share for density in facts.density.values()), default=0.0)
    neutral = {c.metric for c in pairs if c.equal is not None and c.equal.how in ("equal", "neutral")}
    neutral -= {c.metric for c in pairs if c.equal is None or c.equal.how not in ("equal", "neutral")}
    for name in [name for name in neutral if results.metrics[name].bounds[1] is None]:
        scores = (as_float(row[name].score) for row in results.systems.values())
        if single >= Limits().singletons or any(score > _HUGE for score in scores):
            neutral.discard(name)
    if facts.same_vectors:
        neutral = {name for name in neutral if reads_words(name)}
    if facts.checks is None:
        return neutral
    return {name for name in neutral if any(may_be_used(of[name].verdict) for of in facts.checks.values())}


def _check_table(checks: Mapping[str, Mapping[str, MetricCheck]]) -> Table:
    """Return one row per metric, and per system if its output was damaged: the share of documents in which each damage is noticed."""
    own = any(check.reference for of in checks.values() for check in of.values())
    shown = {"documents": next(iter(checks.values()))} if own else checks
    rows: list[list[Value]] = [
        [
            what, f"{name} (blind)" if name == BLIND else name,
            *(check.damages.get(kind) for kind in DAMAGES),
            check.documents, check.verdict,
        ]
        for what, of in shown.items()
        for name, check in of.items()
    ]  # fmt: skip
    names = list(damage_names(Limits()).values())
    notes = [
        f"share of documents in which {'their own boundaries score' if own else 'what the system gave scores'} better than the same "
        f"damaged by {', '.join(names[:-1])} and {names[-1]}",
        "a metric names a better system only if it is usable here, by the test and the limits of caesura validate",
    ]
    columns = columns_of("boundaries of" if own else "system", "metric")
    columns += [*(Column(kind, style="percent") for kind in DAMAGES), *columns_of("documents", "verdict")]
    return Table(columns, rows, notes=notes, title="Whether metrics may be used")


def _comparison_table(results: Results) -> Table:
    rows: list[list[Value]] = []
    left_out: list[str] = []
    for c in results.comparisons or []:
        pair = f"{c.first} - {c.second}"
        if c.equal is not None:
            row: list[Value] = [c.metric, pair, as_float(c.difference), as_float(c.equal.difference), *c.equal.interval]
            rows.append([*row, c.equal.p_corrected, c.better or "-", c.equal.how, c.documents])
        if c.dropped:
            left_out.append(f"{c.metric}, {pair}: {c.dropped} documents left out, undefined or infinite")
    titles = ("metric", "first - second", "difference", "equal density", "low", "high", "p (adjusted)", "better", "how")
    notes = [
        "equal density by 'equal': both have as many boundaries already; 'neutral': the metric compares with the same boundaries "
        "elsewhere; 'scores': in each document the denser system keeps its best-scored boundaries, as many as the other has; "
        "'chance': each score minus what as many random boundaries give",
        f"means over documents; interval and p are of the difference at equal density: {test_name(results)}, adjusted by "
        "Holm's method; better: adjusted p < 0.05, and the metric is usable here",
        *resampling_note(results),
        *left_out,
    ]
    return Table(columns_of(*titles, "documents"), rows, notes=notes, title="Comparison")


def _worst_table(results: Results, facts: CohesionFacts) -> Table:
    name = next(iter(results.metrics))
    rows: list[list[Value]] = [
        [system, item.document, f"{item.start}-{item.end}", item.value, item.text]
        for system, items in (facts.worst or {}).items()
        for item in items
    ]
    return _quoting(columns_of("units", "value"), rows, [], f"Worst segments by {name}")


def _gap_table(title: str, gaps: Mapping[str, Sequence[GapValue]], *more: str) -> Table:
    rows: list[list[Value]] = [
        [system, item.document, item.gap, item.value, f"{item.before} | {item.after}"]
        for system, items in gaps.items()
        for item in items
    ]
    notes = [
        "after: the unit before the gap, counted from 1",
        "value of the gap in standard deviations among the gaps of its document; 0 is their mean",
        *more,
    ]
    return _quoting([Column("after"), Column("value", digits=2)], rows, notes, title)


def _quoting(middle: list[Column], rows: list[list[Value]], notes: list[str], title: str) -> Table:
    """Return a table of systems, documents and quotations that is as wide as a terminal: long names and texts wrap."""
    columns = [Column("system", width=_SYSTEM), Column("document", width=_DOCUMENT), *middle]
    taken = sum(width + BETWEEN for width in Table(columns, [row[:-1] for row in rows]).widths())
    return Table([*columns, Column("text", width=max(_QUOTE, _TERMINAL - taken))], rows, notes=notes, title=title)


def _document_table(results: Results, facts: CohesionFacts) -> Table:
    """Return one row per system and document: scores, and z and percentile against each kind of chance."""
    documents = results.documents or []
    columns = columns_of("system", "document", "segments")
    for name in results.metrics:
        columns.append(Column(name))
        for kind in _kinds(results):
            columns += [Column(f"{name} z {kind}", digits=2), Column(f"{name} % {kind}", digits=0)]
    rows: list[list[Value]] = []
    for system, scores in (results.per_document or {}).items():
        parts: list[list[float]] = []
        for name, values in scores.items():
            parts.append([as_float(value) for value in values])
            for null in (results.systems[system][name].nulls or {}).values():
                for of in (null.per_document_z, null.per_document_percentile):
                    parts.append([as_float(value) for value in of or [None] * len(documents)])
        segments: Sequence[int | None] = facts.density[system].segments or [None] * len(documents)
        rows += [[system, key, n, *values] for key, n, *values in zip(documents, segments, *parts, strict=True)]
    return Table(columns, rows, notes=results.notes)


def _kinds(results: Results) -> list[str]:
    return next(([*score.nulls] for _, _, score in every_score(results) if score.nulls), [])
