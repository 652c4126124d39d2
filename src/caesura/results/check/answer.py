# SPDX-License-Identifier: Apache-2.0
"""The answer of a check: how many documents break no rule, and what is wrong with the others."""

from __future__ import annotations

from caesura.results._sentences import joined, number_of, percent
from caesura.results.base import required
from caesura.results.check.facts import CheckedRule, CheckFacts
from caesura.results.schema import Results

__all__ = ["answer"]

_NAMED = 3  # rules whose places stand in a sentence


def answer(results: Results) -> tuple[str, ...]:
    """Return whether everything passes, the rules that are broken most, and what can be mended."""
    facts = required(results.check)
    if facts.of == "chunks":
        return _of_chunks(facts)
    broken = sorted((rule for rule in facts.rules if rule.count), key=lambda rule: (-rule.documents, -rule.count))
    by = f" by the rules of {joined(facts.asked)}" if facts.asked else ""
    items = number_of(facts.items, facts.of[:-1], facts.of)
    if facts.documents == 1:
        can = "can" if not broken else "cannot"
        sentences = [f"It {can} be published{by}: {items}, {_rules(len(broken))}."]
    else:
        some = f"{facts.passing:,} of {facts.documents:,}" if broken else f"All {facts.documents:,}"
        sentences = [f"{some} lists can be published{by} ({items})."]
    sentences += [f"{_told(rule, one=facts.documents == 1)}." for rule in broken[:_NAMED]]
    if len(broken) > _NAMED:
        sentences.append(f"Also broken: {joined(rule.name for rule in broken[_NAMED:])}.")
    return (*sentences, *_mending(facts, broken))


def _of_chunks(facts: CheckFacts) -> tuple[str, ...]:
    """Return whether chunks lose text or are too long, and what else they break: the greatest shares first."""
    size = f"{number_of(facts.items, 'chunk')} of {number_of(facts.documents, 'document')}"
    if facts.unusable:
        sentences = [f"The chunks cannot be used as they are ({size})."]
    else:
        kept = joined(rule.name for rule in facts.rules if rule.must)
        sentences = [f"{kept[:1].upper()}{kept[1:]} ({size})."]
    others = sorted((rule for rule in facts.rules if rule.count and not rule.must), key=lambda rule: -(rule.share or 0))
    for rule in [*facts.unusable, *others]:
        places = [f"{place.document} {place.at}".strip() for place in rule.worst[:_NAMED]]
        share = "" if rule.share is None else f", {percent(rule.share)} of the {rule.of}"
        times = number_of(rule.count, "time") if rule.count > 1 else "once"
        sentences.append(f"Broken {times}{share}: {rule.name} ({joined(places)}).")
    return tuple(sentences)


def _rules(broken: int) -> str:
    return "no rule is broken" if not broken else f"{number_of(broken, 'rule')} {'is' if broken == 1 else 'are'} broken"


def _told(rule: CheckedRule, *, one: bool) -> str:
    places = [
        place.at if one else f"{place.document} {place.at}".strip() for place in rule.worst if place.at or not one
    ]
    at = f" ({joined(places)})" if places else ""
    times = "once" if rule.count == 1 else f"{rule.count:,} times"
    where = "" if one else f" in {number_of(rule.documents, 'list')}"
    return f"Broken {times}{where}: {rule.name}{at}"


def _mending(facts: CheckFacts, broken: list[CheckedRule]) -> list[str]:
    """Return what was mended, or what mending would do."""
    if not broken:
        return []
    if facts.mended is not None:
        return [f"After mending, {facts.mended:,} of {number_of(facts.documents, 'list')} can be published."]
    can = [rule.name for rule in broken if rule.mend is not None]
    return [f"--fix OUT mends: {joined(can)}."] if can else ["None of this can be mended without a person."]
