# SPDX-License-Identifier: Apache-2.0
"""Scores of parts of the documents, by a field such as genre, or by length: as a table, and in a sentence."""

from __future__ import annotations

from caesura.results._sentences import joined
from caesura.results.base import Ends, MetricFacts
from caesura.results.compare.facts import DIFFERENT, Slices
from caesura.table import Column, Table, Value, columns_of

__all__ = ["slice_sentences", "slice_table"]

_SAID = 4  # slices in a sentence


def slice_table(slices: Slices, metrics: dict[str, MetricFacts]) -> Table:
    """Return one row per slice and system: the headline score with its interval, its test, and the other metrics as details."""
    names = [slices.headline, *(name for name in metrics if name != slices.headline)]
    tested = any(slices.comparisons.values())
    columns = columns_of(slices.field, "system")
    columns += [Column(slices.headline, metrics[slices.headline].direction, metrics[slices.headline].target)]
    columns += [Column("interval", style="interval")]
    columns += [Column("difference"), Column("p", style="p")] if tested else []
    columns += columns_of(slices.of)
    columns += [Column(name, metrics[name].direction, metrics[name].target, detail=True) for name in names[1:]]
    rows: list[list[Value]] = []
    marked = set()
    for slice_, systems in slices.scores.items():
        for system, scores in systems.items():
            main = scores[slices.headline]
            c = slices.against_best(slice_, system, slices.headline)
            test: list[Value] = [None, None] if c is None else [c.difference, c.p_corrected]
            if _wins(slices, slice_, system):
                marked.add((len(rows), 2))
            row: list[Value] = [
                slice_,
                system,
                main.score,
                _ends(main.interval),
                *(test if tested else []),
                main.documents,
            ]
            rows.append([*row, *(scores[name].score for name in names[1:])])
    notes = (
        [f"marked: better than every other system on that {slices.field} (adjusted p < {DIFFERENT})"] if marked else []
    )
    if tested:
        notes.append(
            f"difference: to {slices.best}, which has the best {slices.headline} on all {slices.of}; p: paired test, "
            "adjusted by Holm's method over slices and systems"
        )
    return Table(columns, rows, notes=notes, title=f"By {slices.field}", marked=frozenset(marked))


def _ends(interval: Ends) -> Value:
    return None if interval.low is None or interval.high is None else (interval.low, interval.high)


def _wins(slices: Slices, slice_: str, system: str) -> bool:
    """Return whether a system is significantly better than every other on a slice: all tests are with the best one."""
    tests = [c for c in slices.comparisons.get(slice_, ()) if c.metric == slices.headline]
    if system == slices.best:
        return bool(tests) and all(c.better == system for c in tests)
    return len(tests) == 1 and tests[0].better == system


def slice_sentences(slices: Slices) -> list[str]:
    """Return where the best system is better than all others, where another is better than it, and where neither is shown."""
    tests = {s: [c for c in found if c.metric == slices.headline] for s, found in slices.comparisons.items()}
    if not any(tests.values()):
        return []
    lost = [s for s, found in tests.items() if any(c.better not in (None, slices.best) for c in found)]
    won = [s for s in tests if s not in lost and _wins(slices, s, slices.best)]
    rest = [s for s in tests if s not in (*lost, *won)]
    parts = [f"{slices.best} is better than every other system on {_few(won)}"] if won else []
    parts += [f"on {_few(lost)} another system is better than {slices.best}"] if lost else []
    it = "it" if parts else slices.best
    parts += [f"on {_few(rest)} not all differences to {it} are significant"] if rest else []
    return [f"By {slices.field}, {'; '.join(parts)} ({slices.headline})."]


def _few(names: list[str]) -> str:
    rest = len(names) - _SAID
    return joined(names if rest <= 0 else [*names[:_SAID], f"{rest} more"])
