# SPDX-License-Identifier: Apache-2.0
"""The answer of spans: the share that each chunker leaves whole, chance, better chunkers, and the role of length."""

from __future__ import annotations

from caesura.results._scores import few_sentence, ranked
from caesura.results._sentences import beats, joined, number_of, p_text, percent
from caesura.results.base import as_float, required
from caesura.results.compare.facts import Comparison
from caesura.results.schema import Results
from caesura.results.spans.facts import SpanFacts

__all__ = ["answer"]

_LONGER = 1.1
_NAMED = 6  # systems whose shares stand in a sentence


def answer(results: Results) -> tuple[str, ...]:
    """Return the shares left whole with chance, the comparison, the chunk lengths, and a caveat for few documents."""
    facts = required(results.spans)
    if not results.systems:
        return ()
    sentences = [_whole(results, facts)]
    compared = results.comparisons or []
    best = max(results.systems, key=lambda system: as_float(results.systems[system]["Inside"].score))
    own = [c for c in compared if best in (c.first, c.second)]
    sentences += _compared(own, best)
    sentences += _lengths(facts)
    if compared:
        sentences += few_sentence(compared[0].documents, compared[0].family)
    return tuple(sentences)


def _whole(results: Results, facts: SpanFacts) -> str:
    parts, systems = [], list(results.systems)
    for system in ranked(results, "Inside", systems)[:_NAMED] if len(systems) > _NAMED else systems:
        row = results.systems[system]
        chance = row["InsideByChance"].score
        by_chance = "" if chance is None else f" (random boundaries: {percent(chance)})"
        parts.append(f"{system} {percent(row['Inside'].score)}{by_chance}")
    parts += [number_of(len(systems) - len(parts), "other")] if len(parts) < len(systems) else []
    return f"Share of {number_of(facts.spans, 'span')} that lie whole in one chunk: {joined(parts)}."


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
    lengths = {system: chunker.length for system, chunker in facts.chunkers.items()}
    longest, shortest = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
    if lengths[longest] <= _LONGER * lengths[shortest]:
        return []
    return [
        f"Chunks have {lengths[shortest]:.0f} ({shortest}) to {lengths[longest]:.0f} {facts.length_in} ({longest}): longer "
        "ones cut fewer spans wherever they end."
    ]
