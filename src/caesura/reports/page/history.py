# SPDX-License-Identifier: Apache-2.0
"""Several results of one question side by side: scores over time with their intervals, and what changed between runs."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from caesura.reports.page.front import bare_table, drawn_picture
from caesura.results import Input, Results
from caesura.results.front import Picture, Row, headline, some
from caesura.table import Column, Table, Value, columns_of, format_number, one_line

__all__ = ["history"]

_SYSTEMS, _RUNS = 6, 24


def history(runs: Mapping[str, Results]) -> str:
    """Return runs of the same question as HTML that needs no script, in the order of their dates; empty if nothing repeats."""
    if len(runs) < 2 or len({results.question for results in runs.values()}) > 1:
        return ""
    dated = sorted(runs.items(), key=lambda run: run[1].environment.get("date", ""))
    metric = headline(dated[-1][1]) if dated[-1][1].metrics else ""
    found: dict[str, list[str]] = {}
    for name, results in dated:
        for system, scores in results.systems.items():
            if metric in scores and scores[metric].score is not None:
                found.setdefault(system, []).append(name)
    repeated = [system for system, names in found.items() if len(names) > 1]
    if not repeated:
        return ""
    kept = dict(dated[-_RUNS:])
    drawn = [_picture(kept, system, metric) for system in repeated[:_SYSTEMS]]
    changed = [
        f"{after} against {before}: {'; '.join(_changes(runs[before], runs[after]))}."
        for before, after in pairwise(kept)
    ]
    table = _table(kept, repeated, metric)
    parts = [
        *(f"<p>{html.escape(_said(kept, system, metric))}</p>" for system in repeated[:_SYSTEMS]),
        *(drawn_picture(picture) for picture in drawn if picture is not None),
        bare_table(table, [""] * len(table.columns)),
        f"<h2>What changed</h2><ul>{''.join(f'<li>{html.escape(one_line(line))}</li>' for line in changed)}</ul>",
        '<p class="hint">A difference between two runs may be luck: caesura gate --last tests it on the same documents.</p>',
    ]
    return f'<div id="history" class="front"><h1>{len(kept)} runs side by side</h1>{"".join(parts)}</div>'


def _scores(runs: Mapping[str, Results], system: str, metric: str) -> Iterator[tuple[str, float, Row]]:
    """Yield the runs in which a system has a finite score, with it and its interval."""
    for name, results in runs.items():
        score = results.systems.get(system, {}).get(metric)
        if score is None or score.score is None or math.isinf(score.score):
            continue
        low, high = score.interval or (None, None)
        day = results.environment.get("date", "")
        yield name, score.score, Row(f"{name} ({day})" if day else name, score.score, low, high)


def _picture(runs: Mapping[str, Results], system: str, metric: str) -> Picture | None:
    rows = [row for _, _, row in _scores(runs, system, metric)]
    if not rows:
        return None
    values = [value for row in rows for value in row[1:4] if isinstance(value, float)]
    low, high = next(results.metrics[metric].bounds for results in runs.values() if metric in results.metrics)
    first = min(values) if low is None or math.isinf(low) else low
    last = max(values) if high is None or math.isinf(high) else high
    return Picture(metric, f"{metric} of {system}, by run", rows, (first, last if last > first else first + 1))


def _said(runs: Mapping[str, Results], system: str, metric: str) -> str:
    """Return the first and the last score of a system in one sentence."""
    found = [(name, score) for name, score, _ in _scores(runs, system, metric)]
    if len(found) < 2:
        return f"{system} has no {metric} in two of these runs."
    (first, before), (last, after) = found[0], found[-1]
    return f"{system}: {metric} {before:.3f} in {first} and {after:.3f} in {last} ({after - before:+.3f})."


def _table(runs: Mapping[str, Results], systems: Sequence[str], metric: str) -> Table:
    """Return one row per system and run: every metric, and how far the first of them moved since the run before."""
    facts = {name: kept for results in runs.values() for name, kept in results.metrics.items()}
    names = [metric, *(name for name in facts if name != metric)]
    columns = columns_of("system", "run")
    columns += [Column(metric, facts[metric].direction, facts[metric].target), Column("interval", style="interval")]
    columns += [Column("change")]
    columns += [Column(name, facts[name].direction, facts[name].target) for name in names[1:]]
    rows: list[list[Value]] = []
    for system in systems:
        before: float | None = None
        for name, score, row in _scores(runs, system, metric):
            others = [runs[name].systems[system].get(other) for other in names[1:]]
            ends: Value = None if row.low is None else (row.low, row.high)
            moved = None if before is None else f"{'' if score < before else '+'}{format_number(score - before)}"
            rows.append(
                [system, name, score, ends, moved, *(None if o is None else o.score for o in others)]
            )  # fmt: skip
            before = score
    drawn = [
        place for place, column in enumerate(columns) if column.title != "interval" or any(row[place] for row in rows)
    ]
    return Table(columns, rows, marked=frozenset()).at(drawn)


def _changes(before: Results, after: Results) -> list[str]:
    """Return what differs between the inputs and settings of two runs."""
    changes = []
    old, new = ({(entry.role, entry.name): entry for entry in results.inputs} for results in (before, after))
    if added := [name for role, name in new if (role, name) not in old]:
        changes.append(f"{some(added)} added")
    if gone := [name for role, name in old if (role, name) not in new]:
        changes.append(f"{some(gone)} gone")
    for key in new:
        if key in old and (words := _changed(old[key], new[key])):
            changes.append(f"{key[0] if key[0] == key[1] else ' '.join(key)} {words}")
    definitions = [
        name for name, facts in after.metrics.items() if name in before.metrics and before.metrics[name].metric != facts.metric
    ]  # fmt: skip
    if definitions:
        changes.append(f"{some(definitions)} defined otherwise")
    settings = {"profile": "profile", "against": "reference used", "unit": "unit", "caesura": "version", "seed": "seed"}
    for field, words in settings.items():
        first, second = getattr(before, field), getattr(after, field)
        if first != second:
            changes.append(f"{words} {second} instead of {first}")
    return changes or ["the same inputs and settings"]


def _changed(old: Input, new: Input) -> str:
    """Return how an input differs from what it was, empty if it does not."""
    if old.sha256 == new.sha256 and old.documents == new.documents:
        return "" if old.changes == new.changes else "has other names or exclusions"
    if old.documents != new.documents:
        return f"changed, {new.documents:,} documents instead of {old.documents:,}"
    return "changed, as many documents"
