# SPDX-License-Identifier: Apache-2.0
"""The answer of spans: the share that each chunker leaves whole, chance, better chunkers, and the role of length."""

from __future__ import annotations

from caesura.results._scores import best_on, few_sentence, ranked, systems_of
from caesura.results._sentences import beats, is_are, joined, number_of, p_text, percent
from caesura.results.base import FEW, as_float, required
from caesura.results.compare.facts import Comparison
from caesura.results.schema import Results
from caesura.results.spans.facts import RetrievalFacts, SpanFacts

__all__ = ["answer", "cutoff_text"]

_LONGER = 1.1
_NAMED = 6  # systems whose shares stand in a sentence


def answer(results: Results) -> tuple[str, ...]:
    """Return what is retrieved at the budget, or the shares left whole, each beside the clock; and a caveat for few documents."""
    facts = required(results.spans)
    if not results.systems:
        return ()
    compared = [c for c in results.comparisons or [] if c.metric == "Inside"]
    if facts.retrieval is not None:
        sentences = [*_retrieved(results, facts, facts.retrieval), _whole(results, facts)]
    else:
        best = max(systems_of(results), key=lambda system: as_float(results.systems[system]["Inside"].score))
        clocks = facts.clocks.values()
        own = [c for c in compared if best in (c.first, c.second) and c.second not in clocks]
        equal = [_other(c, best) for c in own if c.better is None]
        sentences = [_whole(results, facts), *_compared(own, best)]
        if equal and facts.health:
            sentences[-1] = f"{sentences[-1][:-1]}; {_cheapest(facts, [best, *equal])}."
        sentences += [*_against_clocks(compared, facts, systems_of(results)), *_lengths(facts)]
    sentences += _unusable(facts)
    if facts.questions is not None and facts.texts < min(FEW, facts.questions):
        sentences.append(
            f"The {facts.questions:,} questions are about {number_of(facts.texts, 'text')}: those about one text depend on each "
            "other, so intervals may be too narrow."
        )
    elif compared:
        sentences += few_sentence(compared[0].documents, compared[0].family)
    return tuple(sentences)


def _retrieved(results: Results, facts: SpanFacts, found: RetrievalFacts) -> list[str]:
    """Return the best chunker beside its clock, which chunkers beat theirs, what others cost, and how many questions would tell."""
    own = systems_of(results)
    best = best_on(results, found.measure)[0]
    score = results.systems[best][found.measure].score
    clock = facts.clocks.get(best)
    beside = (
        ""
        if clock is None
        else f"; its clock, blind chunks of the same mean length: {percent(results.systems[clock][found.measure].score)}"
    )
    by = found.by.partition("(")[0].replace("bm25", "BM25")
    sentences = [
        f"{cutoff_text(found.measure, facts.measured_in)}, {best} retrieves the most: {percent(score)} of the answers' text by {by}{beside}."
    ]
    sentences += _unequal(found.measure, facts, own)
    compared = [c for c in results.comparisons or [] if c.metric == found.measure]
    sentences += _against_clocks(compared, facts, own)
    among = [c for c in compared if c.second not in facts.clocks.values() and best in (c.first, c.second)]
    equal = [_other(c, best) for c in among if c.better is None]
    if equal:
        sentences.append(
            f"{joined(equal)} {is_are(equal)} not shown to be worse than {best}; {_cheapest(facts, [best, *equal])}."
        )
    lead = next((c for c in compared if (c.first, c.second) == (best, clock)), None)
    if lead is not None and lead.better is None and found.questions_needed is not None:
        sentences.append(
            f"About {found.questions_needed:,} questions would show a lead of {best} over its clock as large as this one."
        )
    return sentences


def _unequal(measure: str, facts: SpanFacts, own: list[str]) -> list[str]:
    """Return how much text equally many chunks have: the longest chunks retrieve the most."""
    number = int(measure.rpartition("=")[2].rstrip(")")) if "(k=" in measure else 0
    means = {name: facts.chunkers[name].all_tokens / max(facts.chunkers[name].all_chunks, 1) for name in own}
    longest, shortest = max(own, key=means.__getitem__), min(own, key=means.__getitem__)
    if number <= 0 or means[longest] <= _LONGER * means[shortest]:
        return []
    words = number_of(round(number * means[longest]), _token(facts.measured_in))
    return [
        f"But {number_of(number, 'chunk')} hold {number * means[shortest]:,.0f} ({shortest}) to {words} ({longest}), and more text holds "
        "more answers: --budget retrieves equally much."
    ]


def _cheapest(facts: SpanFacts, names: list[str]) -> str:
    """Return which of some chunkers has the least to embed, then the fewest chunks."""
    of = {name: facts.chunkers[name] for name in names}
    cheapest = min(names, key=lambda name: (of[name].all_tokens, of[name].all_chunks))
    tokens = number_of(of[cheapest].all_tokens, _token(facts.measured_in))
    return f"the cheapest of them is {cheapest} ({tokens} in {number_of(of[cheapest].all_chunks, 'chunk')})"


def _unusable(facts: SpanFacts) -> list[str]:
    """Return which chunkers lose text or make chunks that a model does not read to the end."""
    broken = {system: [rule for rule in rules if rule.must and rule.count] for system, rules in facts.health.items()}
    parts = [
        f"{system} ({joined(f'{percent(rule.share)} of the {rule.of} are {rule.short}' for rule in some)})"
        for system, some in broken.items()
        if some
    ]
    return [f"Not to be used as {'it is' if len(parts) == 1 else 'they are'}: {joined(parts)}."] if parts else []


def _against_clocks(compared: list[Comparison], facts: SpanFacts, own: list[str]) -> list[str]:
    """Return which chunkers are better or worse than a clock of their own length."""
    clocks = {c.first: c for c in compared if facts.clocks.get(c.first) == c.second}
    above = [name for name, c in clocks.items() if c.better == name]
    below = [name for name, c in clocks.items() if c.better == c.second]
    sentences = [f"Better than a clock of equal length: {joined(above)} (adjusted p < 0.05)."] if above else []
    if clocks and not above and len(below) < len(own):
        which = f"{own[0]} is not" if len(own) == 1 else f"None of the {len(own)} chunkers is"
        sentences.append(f"{which} shown to be better than a clock of equal length.")
    return sentences + ([f"Worse than a clock of equal length: {joined(below)} (adjusted p < 0.05)."] if below else [])


def cutoff_text(measure: str, measured_in: str) -> str:
    """Return how much was retrieved, in words.

    >>> cutoff_text("SpanRecall(budget=1000)", "words"), cutoff_text("SpanRecall(k=5)", "words")
    ('At 1,000 words per question', 'At 5 chunks per question')
    """
    key, _, value = measure.rpartition("(")[2].rstrip(")").partition("=")
    what = number_of(int(value), _token(measured_in)) if key == "budget" else number_of(int(value), "chunk")
    return f"At {what} per question" if int(value) > 0 else "With as many chunks as touch the answer"


def _token(measured_in: str) -> str:
    return {"words": "word", "units": "unit"}.get(measured_in, "token")


def _whole(results: Results, facts: SpanFacts) -> str:
    parts, systems = [], systems_of(results)
    for system in ranked(results, "Inside", systems)[:_NAMED] if len(systems) > _NAMED else systems:
        row = results.systems[system]
        chance, clock = row["InsideByChance"].score, facts.clocks.get(system)
        beside = [] if chance is None else [f"random boundaries: {percent(chance)}"]
        beside += [] if clock is None else [f"{clock}: {percent(results.systems[clock]['Inside'].score)}"]
        parts.append(f"{system} {percent(row['Inside'].score)}" + (f" ({', '.join(beside)})" if beside else ""))
    parts += [number_of(len(systems) - len(parts), "other")] if len(parts) < len(systems) else []
    spans = f"{facts.spans:,} headings, blocks of code, tables and list items"
    spans = spans if facts.structure else number_of(facts.spans, "span")
    return f"Share of {spans} that lie whole in one chunk: {joined(parts)}."


def _compared(own: list[Comparison], best: str) -> list[str]:
    beaten = [c for c in own if c.better == best]
    open_ = [c for c in own if c.better is None]
    sentences = []
    if beaten:
        worst = max(as_float(c.p_corrected) for c in beaten)
        claim = beats(best, joined(_other(c, best) for c in beaten), worst, first_better=True)
        sentences.append(
            f"{claim} ({p_text(worst, beaten[0].family)}{' at most' if len(beaten) > 1 and worst >= 0.001 else ''})."
        )
    if open_:
        names = joined((f"{_other(c, best)} ({p_text(c.p_corrected, c.family)})" for c in open_), "or")
        sentences.append(f"{best} is not significantly better than {names}.")
    for c in beaten[:1]:
        sign = 1 if c.first == best else -1
        if c.density is not None:
            sentences.append(
                f"Of the difference to {_other(c, best)}, {100 * sign * as_float(c.difference):+.0f} percentage points, the "
                f"number of boundaries alone gives {100 * sign * as_float(c.density):+.0f}."
            )
    return sentences


def _other(c: Comparison, best: str) -> str:
    return c.second if c.first == best else c.first


def _lengths(facts: SpanFacts) -> list[str]:
    blind = set(facts.clocks.values())
    lengths = {system: chunker.length for system, chunker in facts.chunkers.items() if system not in blind}
    longest, shortest = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
    if lengths[longest] <= _LONGER * lengths[shortest]:
        return []
    return [
        f"Chunks have {lengths[shortest]:.0f} ({shortest}) to {lengths[longest]:.0f} {facts.length_in} ({longest}): longer "
        "ones cut fewer spans wherever they end."
    ]
