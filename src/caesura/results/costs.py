# SPDX-License-Identifier: Apache-2.0
"""The cost of creating the systems."""

from __future__ import annotations

from caesura.results._sentences import joined
from caesura.results.base import Number, Section, as_float
from caesura.table import Column, Table, Value

__all__ = ["Cost", "cost_notes", "cost_table", "with_costs"]


class Cost(Section):
    """The cost of one system: seconds without encoding the units, and the peak memory of the process until then.

    ``method`` is the text that creates it, empty if somebody else's method was given a name. ``moved_mean`` and ``moved_most`` are the mean and the largest distance, in
    characters, from the cuts of a chunker to the gaps between units that were scored; None for other systems, and where its
    chunks were scored. ``encoder`` has name and fingerprint, if the system read vectors. ``failure`` says why
    there is no output.
    """

    method: str = ""
    seconds: Number = None
    seconds_per_document: Number = None
    peak_memory_mb: Number = None
    per_100: Number = None
    moved_mean: Number = None
    moved_most: Number = None
    oracle: bool = False
    encoder: str | None = None
    failure: str | None = None


def cost_table(costs: dict[str, Cost]) -> Table:
    """Return one row per system: seconds, memory, density; systems that failed are notes."""
    rows: list[list[Value]] = [
        [system, cost.seconds, _milliseconds(cost), cost.peak_memory_mb, cost.per_100]
        for system, cost in costs.items()
        if cost.failure is None
    ]
    columns = [
        Column("system"), Column("seconds", digits=2), Column("ms/doc", digits=1), Column("peak MB", digits=0),
        Column("per 100", digits=1),
    ]  # fmt: skip
    if moved := any(cost.moved_mean is not None for cost in costs.values()):
        columns += [Column("moved", digits=1), Column("moved at most", digits=0)]
        for row in rows:
            row += [costs[str(row[0])].moved_mean, costs[str(row[0])].moved_most]
    notes = [
        "seconds, and ms per document, without encoding the units, which all systems share; texts that a chunker itself encodes "
        "count",
        "peak MB: the most memory the process had until the system was done; per 100: boundaries per 100 units",
    ]
    if moved:
        notes.append(
            "moved: from a cut of a chunker to the nearest gap between units, which is scored, in characters; mean, and at most"
        )
    oracles = [system for system, cost in costs.items() if cost.oracle]
    if oracles:
        notes.append(f"oracle: {', '.join(oracles)}; it reads the number of boundaries from the documents")
    notes += [
        f"{system} is {cost.method}"
        for system, cost in costs.items()
        if cost.failure is None and cost.method not in ("", system)
    ]
    notes += _failures(costs)
    return Table(columns, rows, notes=notes, title="Cost", detail=True)


def cost_notes(costs: dict[str, Cost]) -> list[str]:
    """Return what a document costs with each system, how far the cuts of chunkers were moved, and the systems that failed."""
    taken = (
        f"{system} {milliseconds:.1f}"
        for system, cost in costs.items()
        if (milliseconds := _milliseconds(cost)) is not None
    )
    lines = [f"ms per document, without encoding: {joined(taken)}"]
    moved = [
        f"{system} {as_float(cost.moved_mean):.1f} on average and {as_float(cost.moved_most):.0f} at most"
        for system, cost in costs.items()
        if cost.moved_mean is not None
    ]
    if moved:
        lines.append(f"cuts were moved to the nearest gap between units, in characters: {joined(moved)}")
    return [*lines, *_failures(costs)]


def _failures(costs: dict[str, Cost]) -> list[str]:
    return [f"failed: {cost.failure}" for cost in costs.values() if cost.failure is not None]


def with_costs(table: Table, costs: dict[str, Cost]) -> Table:
    """Return a table whose first column holds systems with the costs of each, and a row for every one that failed."""
    made = cost_table(costs)
    by_system = {str(row[0]): row[1:] for row in made.rows}
    failures = {system: cost.failure for system, cost in costs.items() if cost.failure is not None}
    failed = [None] if failures else []
    columns = [*table.columns, *made.columns[1:], *([Column("failure")] if failures else [])]
    unknown = [None] * (len(made.columns) - 1)
    rows: list[list[Value]] = [[*row, *by_system.get(str(row[0]), unknown), *failed] for row in table.rows]
    rows += [[system, *[None] * (len(columns) - 2), failure] for system, failure in failures.items()]
    return Table(columns, rows)


def _milliseconds(cost: Cost) -> float | None:
    return None if cost.seconds_per_document is None else 1000 * cost.seconds_per_document
