# SPDX-License-Identifier: Apache-2.0
"""The answer of a correlation: whether reference-free metrics rank systems like reference-based ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from caesura.results._sentences import is_are, joined, number_of, percent
from caesura.results.base import required
from caesura.results.correlate.facts import CorrelationFacts, CorrelationRow, Reading
from caesura.results.schema import Results
from caesura.results.validate.facts import BLIND, may_be_used
from caesura.results.validate.usable import OWN, nearest, refused, usable

__all__ = ["answer"]

Rows = Mapping[Reading, CorrelationRow]

_STRONG = 0.5
_FEW = 8  # with fewer systems a correlation says little about other systems


def answer(results: Results) -> tuple[str, ...]:
    """Return how the first pair of metrics agrees, over all systems and over systems only, with caveats."""
    facts = required(results.correlation)
    if not facts.rows:
        return ()
    first = facts.rows[0]
    by: Rows = {
        row.reading: row for row in facts.rows
        if (row.encoder, row.metric, row.reference) == (first.encoder, first.metric, first.reference)
    }  # fmt: skip
    every, only = by["all"], by.get("systems only", by["without baselines"])
    sentences = [
        f"Over all {number_of(every.systems, 'system')}, {every.metric} and {every.reference} {_verdict(every)}.",
        _without(facts, every, only, by["density removed"]),
        *_pairs(facts, only),
        *_checked(facts, first.encoder),
        *_caveats(facts, only),
    ]
    return tuple(sentences)


def _without(facts: CorrelationFacts, every: CorrelationRow, only: CorrelationRow, held: CorrelationRow) -> str:
    """Return how the metrics agree without baselines and the reference, and with density held constant."""
    baselines = [name for name, system in facts.ranked.items() if system.baseline]
    gold = [name for name, system in facts.ranked.items() if system.reference and not system.baseline]
    left = [f"the {number_of(len(baselines), 'baseline')}"] if baselines else []
    if gold:
        left.append(f"{joined(gold)}, which {'equals' if len(gold) == 1 else 'equal'} the reference")
    where = f"without {joined(left)}, they {_verdict(only)}" if left else ""
    if left and _strong(every) and not _strong(only):
        where += ": so most of the agreement comes from these, which any metric tells from systems"
    density = f"with density held constant, they {_verdict(held)}"
    sentence = f"{where}; {density}" if where else density
    return f"{sentence[0].upper()}{sentence[1:]}."


def _pairs(facts: CorrelationFacts, only: CorrelationRow) -> Iterator[str]:
    """Yield the share of pairs ordered rightly, and whether the metric agrees more with the reference than others."""
    if only.ordered is None or only.ordered.value is None:
        return
    said = f"Of the {number_of(only.pairs, 'pair')} of these systems, {only.metric} orders {percent(only.ordered.value)} as {only.reference} does"
    words: dict[str, list[str]] = {}
    for each in facts.differences:
        same = (each.encoder, each.reference, each.reading) == (only.encoder, only.reference, only.reading)
        if not same or only.metric not in (each.first, each.second) or each.pearson.value is None:
            continue
        value, (low, high) = each.pearson.value, each.pearson.interval
        shown = low is not None and high is not None and (low > 0 or high < 0)
        more = (value > 0) == (each.first == only.metric)
        word = f"agrees {'more' if more else 'less'} than" if shown else "is not shown to agree more or less than"
        words.setdefault(word, []).append(each.second if each.first == only.metric else each.first)
    claims = [f"{word} {joined(names, 'or' if word.startswith('is not') else 'and')}" for word, names in words.items()]
    yield f"{said}{f'; by Pearson it {joined(claims)}' if claims else ''}."


def _checked(facts: CorrelationFacts, encoder: str) -> Iterator[str]:
    """Yield whether the metrics may be used on these documents, by the test of `caesura validate`."""
    checks = {name: check for name, check in facts.checks.get(encoder, {}).items() if name != BLIND}
    fit = {name: check for name, check in checks.items() if may_be_used(check.verdict)}
    if fit:
        yield usable(fit, OWN)
    elif checks:
        name = nearest(checks)
        yield refused(name, checks[name], OWN)


def _caveats(facts: CorrelationFacts, only: CorrelationRow) -> Iterator[str]:
    caveats = []
    same = facts.same_vectors.get(only.encoder, [])
    if same:
        was = "was" if len(same) == 1 else "were"
        caveats.append(f"{joined(same)} {was} made with the judging vectors, which overrate such systems")
    if only.systems < _FEW:
        are = is_are([""] * only.systems)
        caveats.append(f"{number_of(only.systems, 'system')} {are} few: take the correlation for these only")
    if caveats:
        yield f"{'; '.join(caveats)}."


def _verdict(row: CorrelationRow) -> str:
    found = row.pearson
    low, high = found.interval
    if found.value is None:
        return f"have no correlation that can be computed (systems: {row.systems})"
    inside = "" if low is None or high is None else f", interval {low:.2f} to {high:.2f}"
    shown = f"(Pearson {found.value:.2f}{inside})"
    if low is not None and low > 0:
        return f"agree {shown}" if _strong(row) else f"agree weakly {shown}"
    if high is not None and high < 0:
        return f"disagree {shown}"
    return f"are not shown to agree {shown}"


def _strong(row: CorrelationRow) -> bool:
    low = row.pearson.interval.low
    return low is not None and low > 0 and row.pearson.value is not None and row.pearson.value >= _STRONG
