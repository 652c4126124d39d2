# SPDX-License-Identifier: Apache-2.0
"""The answer of a gate: passed or failed, with the numbers."""

from __future__ import annotations

import re

from caesura.results._scores import systems_of
from caesura.results._sentences import joined, number_of
from caesura.results.base import Number, as_float, required
from caesura.results.gate.facts import Gates
from caesura.results.schema import Results
from caesura.table import format_number

__all__ = ["answer"]


_TIMED = re.compile(r"BoundaryF1\(tolerance='([^']+)'\)")


def answer(results: Results) -> tuple[str, ...]:
    """Return one sentence for the outcome, and one for each breach; boundary F1 on time has its short name, such as F1 (10s)."""
    return tuple(_TIMED.sub(r"F1 (\1)", sentence) for sentence in _answer(results))


def _answer(results: Results) -> tuple[str, ...]:
    gates = required(results.gates)
    if gates.breaches:
        checks = len(gates.limits) * max(len(systems_of(results)), 1) + len(gates.compared)
        lead = f"Failed: {number_of(len(gates.breaches), 'check')} of {checks}."
        return (lead, *(f"{breach}." for breach in gates.breaches), *_unshown(gates))
    if gates.last is not None and not gates.compared:
        return (f"Nothing could be compared with {gates.last}.", *(f"{part}." for part in _limits(results, gates)))
    return (f"Passed: {joined([*_limits(results, gates), *_drops(gates)])}.", *_unshown(gates))


def _limits(results: Results, gates: Gates) -> list[str]:
    parts = []
    for metric, limit in gates.limits.items():
        # A gate may name the same metric by another text.
        rows = {system: results.systems[system] for system in systems_of(results)}
        scores = [f"{system} {format_number(row[metric].score)}" for system, row in rows.items() if metric in row]
        numbers = f" ({', '.join(scores)})" if scores else ""
        parts.append(f"{metric} is {_demand(results, metric, limit)}{numbers}")
    return parts


def _demand(results: Results, metric: str, limit: Number) -> str:
    facts, number = results.metrics.get(metric), f"{as_float(limit):g}"
    if facts is None or facts.direction == "higher":
        return f"at least {number}"
    return f"at most {number}" if facts.direction == "lower" else f"within {number} of {as_float(facts.perfect):g}"


def _drops(gates: Gates) -> list[str]:
    if gates.last is None:
        return []
    than = f"significantly worse than in {gates.last} by more than {gates.max_drop or 0:g}"
    if len(gates.compared) == 1:
        return [f"{gates.compared[0].metric} of {gates.compared[0].system} is not {than}"]
    return [f"none of {number_of(len(gates.compared), 'score')} is {than}"]


def _unshown(gates: Gates) -> list[str]:
    """Return the drops beyond the limit that passed because they are not significant."""
    failed = {(breach.system, breach.metric) for breach in gates.breaches if breach.kind == "drop"}
    passed = [
        drop
        for drop in gates.drops
        if as_float(drop.drop) > (gates.max_drop or 0) and (drop.system, drop.metric) not in failed
    ]
    if not passed:
        return []
    shares = [
        f"{joined([f'{drop.metric} {format_number(drop.drop)}' for drop in passed if drop.system == system])} of {system}"
        for system in dict.fromkeys(drop.system for drop in passed)
    ]
    return [f"Larger drops that pass, because no test shows them: {'; '.join(shares)}."]
