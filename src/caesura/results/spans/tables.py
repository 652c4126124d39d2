# SPDX-License-Identifier: Apache-2.0
"""Tables of spans against chunks: scores, comparison, and the worst spans."""

from __future__ import annotations

from caesura.results._sentences import number_of
from caesura.results._tables import document_table, every_score, resampling_note, test_name, with_winners
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.results.spans.facts import SpanFacts, WorstSpan
from caesura.table import Column, Table, Value, columns_of

__all__ = ["brief_tables", "tables"]

_SHOWN = ("Inside", "InsideByChance", "Chunks", "PaddingTokens", "PaddingUnits")
_DIGITS = {"Chunks": 2, "PaddingTokens": 1, "PaddingUnits": 1}
_LONGER = 1.1  # a note names chunkers whose chunks are this many times as long


def tables(results: Results) -> list[Table]:
    """Return the scores, the comparison if there are several systems, and the worst spans if there are any."""
    facts = required(results.spans)
    tables = [
        document_table(results) if results.per_document is not None else _scores(results, facts, _notes(results, facts))
    ]
    if results.comparisons is not None:
        tables.append(_comparisons(results))
    if any((facts.worst or {}).values()):
        tables.append(_worst(results, facts.worst or {}))
    return tables


def brief_tables(results: Results) -> list[Table]:
    """Return the same with the notes that a first reader needs."""
    first, *others = tables(results)
    if results.per_document is None:
        facts = required(results.spans)
        first = _scores(results, facts, [*results.notes, *_losses(facts)])
    return [first, *others]


def _loses(results: Results) -> bool:
    return any("Lost" in row and (row["Lost"].score or 0) > 0 for row in results.systems.values())


def _scores(results: Results, facts: SpanFacts, notes: list[str]) -> Table:
    """Return one row per system, marked if it is better than all others; lost text is shown only if there is any."""
    loses = _loses(results)
    shown = [name for name in (*_SHOWN, *(["Lost"] if loses else [])) if name in results.metrics]
    columns = columns_of("system", "spans", "cut")
    for name in shown:
        # A system that loses spans may need fewer chunks and less padding; that is not better.
        unmarked = name == "InsideByChance" or (loses and name.startswith(("Chunks", "Padding")))
        direction = None if unmarked else results.metrics[name].direction
        columns.append(Column(name, direction, digits=_DIGITS.get(name, 3)))
        if name == "Inside":
            columns += columns_of("low", "high")
    columns.append(Column(f"{facts.length_in} per chunk", digits=1))
    rows: list[list[Value]] = []
    for system, scores in results.systems.items():
        chunker = facts.chunkers[system]
        row: list[Value] = [system, facts.spans, chunker.cut]
        for name in shown:
            row.append(scores[name].score)
            if name == "Inside":
                row += scores[name].interval or (None, None)
        rows.append([*row, chunker.length])
    return with_winners(Table(columns, rows, notes=notes), results)


def _notes(results: Results, facts: SpanFacts) -> list[str]:
    token = "; a token is a run of characters without white space" if facts.length_in == "tokens" else ""
    notes = [
        f"means over {number_of(facts.spans, 'span')} of {number_of(every_score(results)[0][2].documents, 'document')}{token}",
        *resampling_note(results),
    ]
    sizes = [chunker.length for chunker in facts.chunkers.values()]
    if len(sizes) > 1 and max(sizes) > _LONGER * min(sizes):
        notes.append(
            f"mean chunk length ranges from {min(sizes):.1f} to {max(sizes):.1f}: longer chunks cut fewer spans wherever they "
            "end, and pad more; compare Inside with InsideByChance, or compare at equal length"
        )
    notes += [*results.notes, *_losses(facts)]
    for where in ("units", "tokens"):
        systems = [name for name, chunker in facts.chunkers.items() if chunker.chance_places == where]
        if systems:
            notes.append(
                f"InsideByChance of {', '.join(systems)}: as many boundaries, every set of places between {where} equally likely"
            )
    return notes


def _losses(facts: SpanFacts) -> list[str]:
    notes = []
    for system, chunker in facts.chunkers.items():
        if chunker.chance_places is None:
            notes.append(f"{system}: chunks overlap, so a span counts by the chunk that holds it best; no chance level")
        if chunker.partly_lost or chunker.wholly_lost:
            notes.append(
                f"{system}: {number_of(chunker.partly_lost, 'span lies', 'spans lie')} partly and {chunker.wholly_lost} "
                "wholly in no chunk: such a span counts as cut, and Lost is the share that is missing"
            )
        if chunker.wholly_lost:
            notes.append(f"{system}: Chunks and padding are means over the spans with a part in some chunk")
    return notes


def _comparisons(results: Results) -> Table:
    rows: list[list[Value]] = [
        [f"{c.first} - {c.second}", c.difference, *c.interval, c.p, c.p_corrected, c.better or "-", c.density]
        for c in results.comparisons or []
    ]
    notes = [
        "difference: Inside of the first minus Inside of the second; by chance: the same difference of InsideByChance, which "
        "the numbers of boundaries alone produce",
        f"p: {test_name(results)} of documents with all their spans; adjusted by Holm's method; better: adjusted p < 0.05",
        *resampling_note(results),
    ]
    n = every_score(results)[0][2].documents
    # With n documents the two assignments as extreme as any other are 2 of 2 ** n.
    least = min(1.0, 2.0 ** (1 - n))
    if least >= 0.05:
        notes.append(f"with {number_of(n, 'document')} no p can be below {least:g}: too few to tell chunkers apart")
    titles = ("first - second", "difference", "low", "high", "p", "p (adjusted)", "better", "by chance")
    return Table(columns_of(*titles), rows, notes=notes, title="Comparison", detail=True)


def _worst(results: Results, worst: dict[str, list[WorstSpan]]) -> Table:
    loses = _loses(results)
    rows: list[list[Value]] = []
    for system, entries in worst.items():
        for each in entries:
            words = " ".join(each.span.split())
            quoted = words if len(words) <= 70 else words[:67] + "..."
            rows.append([system, each.document, each.chunks, each.padding, *([each.lost] if loses else []), quoted])
    titles = ("system", "document", "chunks", "padding", *(["lost"] if loses else []))
    columns = [*columns_of(*titles), Column("span", width=44)]
    return Table(columns, rows, title="Worst spans", detail=True)
