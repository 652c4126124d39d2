# SPDX-License-Identifier: Apache-2.0
"""The score table that a command shows first: the metrics that fit, density, and W-F1 of chance and the clock."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

from caesura.results._tables import fitted
from caesura.results.base import Number
from caesura.results.evaluate.verdict import Verdict
from caesura.results.schema import Results
from caesura.table import Column, Table, Value

__all__ = ["small_table"]

_MOST = 5  # metrics
_NAME = 24  # characters of a system's name in one line


class _Part(NamedTuple):
    """One column with its values, and whether it stays regardless of its width."""

    column: Column
    values: Sequence[Value]
    place: int | None = None  # in the whole table
    stays: bool = False


def small_table(table: Table, results: Results) -> Table:
    """Return the score table of at most five metrics that fit 80 columns, with BOR, chance and the clock.

    Columns that do not fit become detail. Without verdicts, chance and the clock are unknown, and the first metrics stay.
    """
    verdicts = results.verdicts or {}
    some = next(iter(verdicts.values()), None)
    parts = [_Part(c, [row[place] for row in table.rows], place) for place, c in enumerate(table.columns)]
    parts[0] = parts[0]._replace(column=dataclasses.replace(parts[0].column, width=_NAME), stays=True)
    notes = list(table.notes)
    name = None if some is None else some.f1
    if some is None:
        parts, name = _with_blind(parts, results)
    else:
        parts = _with_clock(parts, [verdicts.get(str(row[0])) for row in table.rows], some)
    if name is not None:
        notes.insert(0, f"chance, clock: {name} of the same number of boundaries, placed at random or evenly")
    places = {part.place: position for position, part in enumerate(parts) if part.place is not None}
    whole = dataclasses.replace(
        table,
        columns=[part.column for part in parts],
        rows=[list(row) for row in zip(*(part.values for part in parts), strict=True)],
        notes=notes,
        after={(row, places[place]): text for (row, place), text in table.after.items()},
        marked=frozenset((row, places[place]) for row, place in table.best()),
    )
    stays = [place for place, part in enumerate(parts) if part.stays]
    small = fitted(whole, stays, most=1 + _MOST + sum(part.place is None for part in parts))
    hidden = {column.title for column in small.columns if column.detail}
    if "Coverage" in hidden:  # purity alone is meaningless: many boundaries make it perfect
        hidden.add("Purity")
    columns = [dataclasses.replace(column, detail=column.title in hidden) for column in small.columns]
    recipes = {row[name].short_signature for row in results.systems.values() for name in hidden & row.keys()}
    return dataclasses.replace(small, columns=columns, notes=[note for note in small.notes if note not in recipes])


def _beside(rows: Sequence[tuple[Number, Number]]) -> list[_Part]:
    """Return the columns of chance and the clock."""
    return [_Part(Column(what), [row[of] for row in rows], stays=True) for of, what in enumerate(("chance", "clock"))]


def _with_blind(parts: list[_Part], results: Results) -> tuple[list[_Part], str | None]:
    """Return the columns with chance and the clock after the metric that has them, and its name; else the first metric stays."""
    for place, part in enumerate(parts[1:], start=1):
        name = part.column.title
        found = [results.systems.get(str(system), {}).get(name) for system in parts[0].values]
        blind = [None if score is None else score.blind for score in found]
        if any(blind):
            beside = _beside([(None, None) if each is None else (each.chance, each.clock) for each in blind])
            rest = [each._replace(stays=each.column.title == "BOR") for each in parts[place + 1 :]]
            if not any(each.column.title == "BOR" for each in parts):
                bors = [None if each is None else each.bor for each in blind]
                rest.append(_Part(Column("BOR", "target"), bors, stays=True))
            return [*parts[:place], part._replace(stays=True), *beside, *rest], name
    return [*parts[:1], *(part._replace(stays=True) for part in parts[1:2]), *parts[2:]], None


def _with_clock(parts: list[_Part], verdicts: list[Verdict | None], some: Verdict) -> list[_Part]:
    """Return the columns with BOR, and chance and the clock after the F1 of the verdicts."""
    scores = [None if v is None else v.findings["W-F1"].score for v in verdicts]
    beside = _beside([(None, None) if v is None else (v.findings["W-F1"].chance, v.clock.score) for v in verdicts])
    found: list[_Part] = []
    for part in parts:
        # Chance and the clock are macro scores of one tolerance, not comparable with pooled scores or another tolerance.
        if part.column.title in (some.f1, some.f1_metric) and _equal(part.values, scores):
            short = dataclasses.replace(part.column, title=some.f1)
            found += [part._replace(column=short, stays=True), *beside]
        else:
            found.append(part._replace(stays=part.stays or part.column.title == "BOR"))
    titles = {part.column.title for part in found}
    if "chance" not in titles:
        title = f"{some.f1} (macro)" if some.f1 in titles else some.f1
        found += [_Part(Column(title, "higher"), scores, stays=True), *beside]
    if "BOR" not in titles:
        found.append(_Part(Column("BOR", "target"), [None if v is None else v.bor for v in verdicts], stays=True))
    return found


def _equal(values: Sequence[Value], scores: Sequence[Number]) -> bool:
    """Return whether two columns hold the same scores wherever the second is defined."""
    pairs = [(value, score) for value, score in zip(values, scores, strict=True) if score is not None]
    return all(isinstance(value, (int, float)) and abs(value - score) < 1e-9 for value, score in pairs)
