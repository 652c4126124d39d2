# SPDX-License-Identifier: Apache-2.0
"""The answer of a correlation: whether reference-free metrics rank systems like reference-based ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caesura.results.answers._common import joined, number_of
from caesura.results.correlation import CorrelationRow
from caesura.results.schema import Results

__all__ = ["answer"]

_STRONG = 0.5
_FEW = 8  # with fewer systems a correlation says little about other systems


def answer(results: Results) -> tuple[str, ...]:
    """Return how the first pair of metrics agrees in the three readings, with caveats."""
    facts = results.correlation
    if facts is None or not facts.rows:
        return ()
    first = facts.rows[0]
    pair = [
        row for row in facts.rows
        if (row.encoder, row.metric, row.reference) == (first.encoder, first.metric, first.reference)
    ]  # fmt: skip
    sentences = list(_readings(pair, [name for name, system in facts.ranked.items() if system.baseline]))
    same = facts.same_vectors.get(first.encoder, [])
    if same:
        sentences.append(
            f"{joined(same)} {'was' if len(same) == 1 else 'were'} made with the judging vectors, which overrate such systems."
        )
    fewest = min(row.systems for row in pair if row.reading != "all")
    if fewest < _FEW:
        sentences.append(
            f"{number_of(fewest, 'system')} {'is' if fewest == 1 else 'are'} few: take the correlation for these only."
        )
    return tuple(sentences)


def _readings(pair: Sequence[CorrelationRow], baselines: list[str]) -> Iterator[str]:
    by = {row.reading: row for row in pair}
    every, without, held = by["all"], by["without baselines"], by["density removed"]
    yield f"Over all {number_of(every.systems, 'system')}, {every.metric} and {every.reference} {_verdict(every)}."
    if baselines:
        yield f"Without the {number_of(len(baselines), 'baseline')}, they {_verdict(without)}."
        if _strong(every) and not _strong(without):
            yield "So most of the agreement comes from the baselines, which any metric distinguishes from systems."
    yield f"With density held constant, they {_verdict(held)}."


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
    """Return whether a correlation is at least one half, and its interval above 0."""
    low = row.pearson.interval.low
    return low is not None and low > 0 and row.pearson.value is not None and row.pearson.value >= _STRONG
