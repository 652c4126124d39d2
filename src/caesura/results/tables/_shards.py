# SPDX-License-Identifier: Apache-2.0
"""Tables of merged shards: the distribution of the scores, and the worst documents."""

from __future__ import annotations

from caesura.results.shards import ShardFacts
from caesura.results.tables._common import columns_of
from caesura.table import Table, Value, format_number

__all__ = ["shard_tables"]

_SHOWN = 5  # of the worst documents
_WIDTH = 4  # bins of the histogram that are shown as one


def shard_tables(facts: ShardFacts) -> list[Table]:
    """Return the distribution of the scores, and the worst documents; both are detail."""
    bins = [f"{start / 20:.1f}-" for start in range(0, 20, _WIDTH)]
    rows: list[list[Value]] = [
        [system, name, counts[0], *_wide(counts[1:-1]), counts[-1]]
        for system, by_metric in facts.histograms.items()
        for name, counts in by_metric.items()
    ]
    columns = columns_of("system", "metric", "< 0", *bins, "> 1")
    notes = ["documents by score; 0.2- is from 0.2 up to, but not including, 0.4; 0.8- includes 1"]
    distribution = Table(columns, rows, notes=notes, title="Distribution", detail=True)
    worst: list[list[Value]] = [
        [
            system,
            name,
            ", ".join(f"{each.document} ({format_number(each.score)})" for each in documents[:_SHOWN]),
        ]
        for system, by_metric in facts.worst.items()
        for name, documents in by_metric.items()
    ]
    titles = columns_of("system", "metric", "documents (score)")
    return [distribution, Table(titles, worst, title="Worst documents", detail=True)]


def _wide(counts: list[int]) -> list[int]:
    return [sum(counts[start : start + _WIDTH]) for start in range(0, len(counts), _WIDTH)]
