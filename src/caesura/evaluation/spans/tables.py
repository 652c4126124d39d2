# SPDX-License-Identifier: Apache-2.0
"""The tables of spans against chunks, and what must be said below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.evaluation.spans.measures import MEASURES
from caesura.table import Column, Table, Value
from caesura.units.align import faults_of

if TYPE_CHECKING:
    from caesura.evaluation.spans.report import SpanReport

__all__ = ["comparison_table", "notes", "score_table", "worst_table"]

_SHOWN = ("Inside", "InsideByChance", "Chunks", "PaddingTokens", "PaddingUnits")


def score_table(report: SpanReport) -> Table:
    """Return one row per system, the best marked; what is lost in gaps is shown where anything is."""
    shown = [name for name in _SHOWN if name in report.measures]
    if report.loses:
        shown.append("Lost")
    columns = [Column("system"), Column("spans"), Column("cut")]
    for name in shown:
        # Who loses spans may need fewer chunks and pad less for it; that is not better.
        unmarked = name == "InsideByChance" or (report.loses and name.startswith(("Chunks", "Padding")))
        direction = None if unmarked else MEASURES[name].direction
        columns.append(Column(name, direction, digits=MEASURES[name].digits))
        if name == "Inside":
            columns += [Column("low"), Column("high")]
    rows: list[list[Value]] = []
    for system, outcome in report.systems.items():
        row: list[Value] = [system, len(outcome.rows), sum(not each.inside for each in outcome.rows)]
        for name in shown:
            row.append(report.scores[system][name])
            if name == "Inside":
                row += [report.intervals[system][name].low, report.intervals[system][name].high]
        rows.append([*row, report.length_of_chunks(system)])
    length = "tokens a chunk" if report.has_text else "units a chunk"
    return Table([*columns, Column(length, digits=1)], rows, notes=notes(report))


def comparison_table(report: SpanReport) -> Table:
    """Return one row per pair of systems."""
    rows: list[list[Value]] = [
        [
            f"{c.first} - {c.second}",
            c.difference,
            c.interval.low,
            c.interval.high,
            c.p,
            c.p_corrected,
            c.better or "-",
            c.by_chance,
        ]
        for c in report.comparisons
    ]
    titles = ["first - second", "difference", "low", "high", "p", "p Holm", "better", "by chance"]
    said = [
        "Inside, the share of spans left whole, of the first less the second; by chance: what their numbers of boundaries "
        "alone make of it",
        f"p: paired permutation test, documents with all their spans change sides; low and high: 95 %, documents resampled "
        f"{report.resamples} times, seed {report.seed}; better: p Holm < 0.05",
    ]
    # With d documents the two ways that are as extreme as any are 2 of 2 ** d.
    least = min(1.0, 2.0 ** (1 - len(report.documents)))
    if least >= 0.05:
        many = "1 document" if len(report.documents) == 1 else f"{len(report.documents)} documents"
        said.append(f"With {many} no p can be below {least:g}: too few to tell chunkers apart")
    return Table([Column(title) for title in titles], rows, notes=said, title="Comparison")


def worst_table(report: SpanReport, number: int = 3) -> Table:
    """Return the worst spans of each system, quoted."""
    heads = ["system", "document", "chunks", "padding", "span"]
    if report.loses:
        heads.insert(4, "lost")
    rows: list[list[Value]] = [
        [system, *(_quote(entry[head]) if head == "span" else entry[head] for head in heads[1:])]
        for system, entries in report.worst(number).items()
        for entry in entries
    ]
    return Table([Column(head) for head in heads], rows, title="Worst spans")


def notes(report: SpanReport) -> list[str]:
    """Return what must be said below the numbers."""
    many = "1 document" if len(report.documents) == 1 else f"{len(report.documents)} documents"
    said = [
        f"Means over {report.n_spans} spans of {many}; low and high: 95 %, documents resampled {report.resamples} times, "
        f"seed {report.seed}; a token is what stands between white space"
    ]
    sizes = [report.length_of_chunks(system) for system in report.systems]
    if len(sizes) > 1 and max(sizes) > 1.1 * min(sizes):
        said.append(
            f"Chunks are {min(sizes):.1f} to {max(sizes):.1f} long on average: longer ones cut fewer "
            "spans wherever they end, and pad more; read Inside beside InsideByChance, or compare at equal length"
        )
    for system in report.systems:
        said += [f"{system}: {line}" for line in _of_system(report, system)]
    for where in ("units", "tokens"):
        who = [
            system
            for system, outcome in report.systems.items()
            if not outcome.overlap and outcome.at_units == (where == "units")
        ]
        if who:
            said.append(
                f"InsideByChance of {', '.join(who)}: as many boundaries, each place between {where} equally likely"
            )
    if report.repeated:
        said.append(
            f"{report.repeated} spans given by words that occur several times: the first place was taken"
        )
    return said


def _of_system(report: SpanReport, system: str) -> list[str]:
    outcome = report.systems[system]
    said = faults_of(outcome.alignments)
    if outcome.overlap:
        said.append("chunks overlap, so a span counts by the chunk that holds it best; no chance level")
    if report.missing.get(system):
        said.append(f"{report.missing[system]} documents with spans missing, skipped for all")
    partly = sum(row.lost > 0 and row.chunks > 0 for row in outcome.rows)
    wholly = sum(row.chunks == 0 for row in outcome.rows)
    if partly or wholly:
        line = f"{partly} spans stand partly and {wholly} wholly in no chunk: they count as cut, by Lost for what is missing"
        said.append(
            line + ("; Chunks and padding are means over spans with a part in some chunk" if wholly else "")
        )
    return said


def _quote(words: str) -> str:
    text = " ".join(words.split())
    return text if len(text) <= 70 else text[:67] + "..."
