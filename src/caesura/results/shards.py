# SPDX-License-Identifier: Apache-2.0
"""The parts that only results of merged shards have: score distributions, worst documents, and failures."""

from __future__ import annotations

import msgspec

from caesura.results.base import Number, Section
from caesura.table import Table, Value, columns_of, format_number

__all__ = ["BadDocument", "ShardFacts", "shard_tables"]

_SHOWN = 5  # of the worst documents
_WIDTH = 4  # bins of the histogram that are shown as one


class BadDocument(Section):
    """A document with one of the worst scores."""

    document: str
    score: Number


class ShardFacts(Section):
    """The number of ``shards`` merged, and a summary of their documents.

    ``histograms`` maps system to metric to the number of documents with a score below 0, in each of twenty equal bins from
    0 to 1, and above 1. ``worst`` maps system to metric to the worst documents, the worst first. ``failed`` says which
    shards are not in the numbers, and why.
    """

    shards: int
    histograms: dict[str, dict[str, list[int]]]
    worst: dict[str, dict[str, list[BadDocument]]]
    failed: list[str] = msgspec.field(default_factory=list)


def shard_tables(facts: ShardFacts) -> list[Table]:
    """Return the distribution of the scores, and the worst documents; both are detail."""
    bins = [f"{start / 20:.1f}-" for start in range(0, 20, _WIDTH)]
    starts = range(1, 21, _WIDTH)  # the first count is below 0
    rows: list[list[Value]] = [
        [system, name, counts[0], *(sum(counts[start : start + _WIDTH]) for start in starts), counts[-1]]
        for system, by_metric in facts.histograms.items()
        for name, counts in by_metric.items()
    ]
    columns = columns_of("system", "metric", "< 0", *bins, "> 1")
    notes = ["documents by score; 0.2- is from 0.2 up to, but not including, 0.4; 0.8- includes 1"]
    distribution = Table(columns, rows, notes=notes, title="Distribution", detail=True)
    worst: list[list[Value]] = [
        [system, name, ", ".join(f"{each.document} ({format_number(each.score)})" for each in documents[:_SHOWN])]
        for system, by_metric in facts.worst.items()
        for name, documents in by_metric.items()
    ]
    titles = columns_of("system", "metric", "documents (score)")
    return [distribution, Table(titles, worst, title="Worst documents", detail=True)]
