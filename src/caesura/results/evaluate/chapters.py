# SPDX-License-Identifier: Apache-2.0
"""Lists of chapters in seconds: the sentence that an editor reads first, and a row for each show."""

from __future__ import annotations

from collections.abc import Sequence

from caesura.results._sentences import joined, number_of
from caesura.results.evaluate.facts import ChapterCounts, Chapters, ChapterSystem
from caesura.table import Column, Table, Value
from caesura.units.quantity import as_time, resolve_quantity

__all__ = ["chapter_sentences", "chapter_tables"]

_ON_TIME = 0.05  # seconds


def chapter_sentences(chapters: Chapters, systems: Sequence[str]) -> list[str]:
    """Return a sentence for each system: what was found, missed and added, how far off, and whether titles agree."""
    return [_sentence(name, chapters.systems[name], chapters) for name in systems if name in chapters.systems]


def _sentence(name: str, system: ChapterSystem, chapters: Chapters) -> str:
    total, shows = system.total, system.shows
    start = "chapter start" if chapters.titled else "boundary"
    many = f" in {number_of(len(shows), 'show')}" if len(shows) > 1 else ""
    if not total.reference:
        parts = [f"the reference has no {start} after 0:00{many}"]
    else:
        starts = number_of(total.reference, start, None if chapters.titled else "boundaries")
        after = " after 0:00" if chapters.titled else ""
        are = "is" if total.found == 1 else "are"
        parts = [f"{total.found:,} of {starts}{after}{many} {are} found within {_seconds(_within(chapters))}"]
    for number, what, times in (
        (total.missed, "missed", [at for show in shows for at in show.missed_at]),
        (total.extra, "extra", [at for show in shows for at in show.extra_at]),
    ):
        if number:
            at = f" ({joined(map(as_time, times))})" if len(shows) == 1 else ""
            parts.append(f"{number:,} {'is' if number == 1 else 'are'} {what}{at}")
    if total.found:
        parts.append(_distance(total))
    if total.titles:
        parts.append(f"titles: {total.agreeing:,} of {total.titles:,} agree")
    return f"{name}: {'; '.join(parts)}."


def _within(chapters: Chapters) -> float:
    return resolve_quantity(chapters.within, "ms", owner="chapters", name="within") / 1000


def _distance(counts: ChapterCounts) -> str:
    """Return how far off the starts that were found are."""
    median, largest = counts.median or 0.0, counts.largest or 0.0
    if largest < _ON_TIME:
        return "found ones are on time"
    if counts.found == 1:
        return f"it is {_seconds(abs(median))} {'late' if median > 0 else 'early'}"
    side = "on time" if abs(median) < _ON_TIME else f"{_seconds(abs(median))} {'late' if median > 0 else 'early'}"
    return f"found ones are {side} in the median, {_seconds(largest)} off at most"


def _seconds(seconds: float) -> str:
    """Return seconds with one decimal if it says something.

    >>> _seconds(10.0), _seconds(2.14)
    ('10 s', '2.1 s')
    """
    return f"{round(seconds, 1):g} s"


def chapter_tables(chapters: Chapters) -> list[Table]:
    """Return one row for each system and show."""
    what = "Chapters" if chapters.titled else "Boundaries in seconds"
    titles = ("show", "system", "of reference", "found", "missed", "extra", "late", "early")
    columns = [Column(title) for title in titles] + [Column("median s", digits=1), Column("largest s", digits=1)]
    titled = any(system.total.titles for system in chapters.systems.values())
    columns += [Column("titles"), Column("agree")] if titled else []
    rows: list[list[Value]] = []
    for name, system in chapters.systems.items():
        for show in system.shows:
            row: list[Value] = [show.document, name, show.reference, show.found, show.missed, show.extra]
            row += [show.late, show.early, show.median, show.largest]
            rows.append([*row, show.titles, show.agreeing] if titled else row)
    notes = [
        f"found: a start within {_seconds(_within(chapters))}, one to one; starts at 0:00 are left out; median: late is positive"
    ]
    notes += [f"agree: ROUGE-L of the two titles is {chapters.alike:g} or more"] if titled else []
    return [Table(columns, rows, title=what, notes=notes, detail=True)]
