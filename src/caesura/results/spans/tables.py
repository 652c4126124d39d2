# SPDX-License-Identifier: Apache-2.0
"""Tables of spans against chunks: scores, comparison, and the worst spans."""

from __future__ import annotations

import dataclasses

from caesura.results._sentences import number_of
from caesura.results._tables import document_table, every_score, resampling_note, test_name, with_winners
from caesura.results.base import required
from caesura.results.schema import Results
from caesura.results.spans.facts import RetrievalFacts, SpanFacts, WorstSpan
from caesura.table import Column, Table, Value, columns_of

__all__ = ["brief_tables", "tables"]

_SHOWN = ("Inside", "InsideByChance", "Chunks", "PaddingTokens", "PaddingUnits")
_DIGITS = {"Chunks": 2, "PaddingTokens": 1, "PaddingUnits": 1}
_PLAIN = ("words", "units")
_LONGER = 1.1  # a note names chunkers whose chunks are this many times as long


def tables(results: Results) -> list[Table]:
    """Return the scores, the comparison if there are several systems, and the worst spans if there are any."""
    facts = required(results.spans)
    tables = [
        document_table(results) if results.per_document is not None else _scores(results, facts, _notes(results, facts))
    ]
    if facts.retrieval is not None:
        tables = [_retrieved(results, facts, facts.retrieval), dataclasses.replace(tables[0], detail=True)]
        tables += [
            _curve(facts.retrieval, facts.measured_in),
            *([_tags(facts.retrieval)] if facts.retrieval.tags else []),
        ]
    if results.comparisons:
        tables += [_comparisons(results, metric) for metric in dict.fromkeys(c.metric for c in results.comparisons)]
    if facts.health:
        tables.append(_health(facts))
    if facts.retrieval is not None or facts.max_tokens is not None or facts.health:
        tables.append(_costs(facts))
    if any((facts.worst or {}).values()):
        tables.append(_worst(results, facts.worst or {}))
    return tables


def brief_tables(results: Results) -> list[Table]:
    """Return the same with the notes that a first reader needs."""
    first, *others = tables(results)
    if results.per_document is None and required(results.spans).retrieval is None:
        facts = required(results.spans)
        first = _scores(results, facts, [*results.notes, *_losses(facts)])
    return [first, *others]


def _retrieved(results: Results, facts: SpanFacts, found: RetrievalFacts) -> Table:
    """Return recall of every chunker at the cutoff, and its difference to a clock of equal length."""
    others = [name for name in results.metrics if name in _companions(found.measure)]
    columns = [
        *columns_of("system"), Column("recall"), *columns_of("low", "high", "- clock", "low", "high"),
        Column(f"{facts.measured_in if facts.measured_in in _PLAIN else 'tokens'} per chunk", digits=0),
        *(Column(name.partition("(")[0].removeprefix("Span")) for name in others),
    ]  # fmt: skip
    clocks = {
        c.first: c
        for c in results.comparisons or ()
        if c.metric == found.measure and facts.clocks.get(c.first) == c.second
    }
    rows: list[list[Value]] = []
    for system, scores in results.systems.items():
        main, of, c = scores[found.measure], facts.chunkers[system], clocks.get(system)
        row: list[Value] = [system, main.score, *(main.interval or (None, None))]
        row += [None, None, None] if c is None else [c.difference, *c.interval]
        rows.append([*row, of.all_tokens / max(of.all_chunks, 1), *(scores[name].score for name in others)])
    notes = [
        f"recall: share of the answers' characters in the chunks that {found.by} ranks first, "
        + ("while they fit the budget" if "budget" in found.measure else "as many as k"),
        "- clock: difference to chunks of the same mean length that ignore the text",
        f"{number_of(facts.questions or facts.spans, 'question' if facts.questions else 'span')} about "
        f"{number_of(facts.texts, 'text')}; {_counted(facts)}",
        *resampling_note(results),
        *results.notes,
        *_losses(facts),
    ]
    return Table(columns, rows, notes=notes)


def _counted(facts: SpanFacts) -> str:
    if facts.measured_in == "words":
        return "words are counted as tokens (--tokenizer counts those of a model)"
    return f"counted: {facts.measured_in if facts.measured_in in _PLAIN else 'tokens of ' + facts.measured_in}"


def _companions(measure: str) -> list[str]:
    inside = measure.partition("(")[2]
    return [f"{name}({inside}" for name in ("SpanPrecision", "SpanIoU", "Hit", "MRR", "NDCG")]


def _curve(found: RetrievalFacts, measured_in: str) -> Table:
    """Return recall over budgets."""
    rows: list[list[Value]] = [[system, *row] for system, row in found.curve.items()]
    columns = [*columns_of("system"), *(Column(f"{budget:,}") for budget in found.budgets)]
    what = measured_in if measured_in in _PLAIN else "tokens"
    return Table(columns, rows, notes=[f"mean recall at so many {what}"], title="Recall over budgets")


def _tags(found: RetrievalFacts) -> Table:
    rows: list[list[Value]] = [[tag, of.questions, *of.scores.values()] for tag, of in found.tags.items()]
    return Table(columns_of("tag", "questions", *found.curve), rows, title="By tag", notes=[f"mean {found.measure}"])


def _costs(facts: SpanFacts) -> Table:
    """Return what is to be embedded, and how much of it is too long for the model."""
    limited = facts.max_tokens is not None
    titles = ("system", "chunks", "tokens to embed", "longest", *([f"over {facts.max_tokens}"] if limited else []))
    rows: list[list[Value]] = [
        [system, of.all_chunks, of.all_tokens, of.most_tokens, *([of.over_limit] if limited else [])]
        for system, of in facts.chunkers.items()
    ]
    brief = limited or facts.structure
    return Table(columns_of(*titles), rows, title="Costs", notes=[_counted(facts)], detail=not brief)


def _health(facts: SpanFacts) -> Table:
    """Return which rules the chunks of each chunker break, without a reference, as shares; rules that all keep are a note."""
    every = next(iter(facts.health.values()))
    broken = {rule.name for own in facts.health.values() for rule in own if rule.count}
    rules = [rule for rule in every if rule.name in broken]
    columns = [Column("system"), *(Column(rule.short, digits=3) for rule in rules)]
    rows: list[list[Value]] = [
        [system, *(rule.share for rule in own if rule.name in broken)] for system, own in facts.health.items()
    ]
    of = {what: [rule.short for rule in rules if rule.of == what] for what in dict.fromkeys(rule.of for rule in rules)}
    shares = ", ".join(f"{what} ({', '.join(names)})" for what, names in of.items())
    kept = [rule.name for rule in every if rule.name not in broken]
    notes = [f"shares of {shares} that break a rule of caesura check, which lists the places"] if rules else []
    notes += [f"all chunkers: {', '.join(kept)}"] if kept else []
    if facts.placement:
        columns.insert(1, Column("Placement", digits=3))
        rows = [[row[0], facts.placement.get(str(row[0])), *row[1:]] for row in rows]
        notes.append("Placement: how much more the text changes at the boundaries than at equally many random ones")
    return Table(columns, rows, notes=notes, title="Health", detail=not facts.structure)


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
        f"means over {number_of(facts.spans, 'span')} of {number_of(facts.texts, 'document')}{token}",
        *resampling_note(results),
    ]
    blind = set(facts.clocks.values())
    sizes = [chunker.length for system, chunker in facts.chunkers.items() if system not in blind]
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


def _comparisons(results: Results, metric: str) -> Table:
    rows: list[list[Value]] = [
        [f"{c.first} - {c.second}", c.difference, *c.interval, c.p, c.p_corrected, c.better or "-", c.density]
        for c in results.comparisons or []
        if c.metric == metric
    ]
    chance = "; by chance: the same difference of InsideByChance, which the numbers of boundaries alone produce"
    rows_of = "questions" if results.resampling is not None and results.resampling.unit == "questions" else "documents"
    notes = [
        f"difference: {metric} of the first minus {metric} of the second{chance if metric == 'Inside' else ''}",
        f"p: {test_name(results)} of {rows_of} with all their spans; adjusted by Holm's method; better: adjusted p < 0.05",
        *resampling_note(results),
    ]
    n = every_score(results)[0][2].documents
    # With n documents the two assignments as extreme as any other are 2 of 2 ** n.
    least = min(1.0, 2.0 ** (1 - n))
    if least >= 0.05:
        notes.append(f"with {number_of(n, rows_of[:-1])} no p can be below {least:g}: too few to tell chunkers apart")
    titles = ("first - second", "difference", "low", "high", "p", "p (adjusted)", "better", "by chance")
    title, most = ("Comparison", len(titles)) if metric == "Inside" else (f"Comparison on {metric}", len(titles) - 1)
    return Table(columns_of(*titles[:most]), [row[:most] for row in rows], notes=notes, title=title, detail=True)


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
