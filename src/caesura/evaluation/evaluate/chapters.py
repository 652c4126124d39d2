# SPDX-License-Identifier: Apache-2.0
"""Lists of chapters in seconds: which starts are found, how far off they are, and whether titles agree.

Starts are paired one to one, as many as possible, then with the least total distance. A start at 0:00 needs no finding, so it is
left out of the counts; its two titles are shown beside each other all the same.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from caesura.batches.flat import Flat
from caesura.batches.titles import Titles
from caesura.kernels import kernel
from caesura.metrics.pairwise.title_score import titles_alike
from caesura.metrics.profiles import profile
from caesura.results.evaluate.facts import ChapterCounts, Chapters, ChapterShow, ChapterSystem
from caesura.units.quantity import default_tolerance, resolve_quantity

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["ALIKE", "Chapter", "chapter_rows", "chapters"]

ALIKE = 0.5
"""ROUGE-L from which two titles are said to agree."""

_OFF = 0.1  # seconds from which a start is late or early


class Chapter(NamedTuple):
    """A chapter of the reference and the one of the hypothesis that was found for it; one of them may be missing.

    Starts are in milliseconds; a title is empty if there is none.
    """

    reference: int | None
    hypothesis: int | None
    title: str
    other_title: str

    @property
    def off(self) -> float | None:
        """By how many seconds the hypothesis is late; None if one side is missing."""
        if self.reference is None or self.hypothesis is None:
            return None
        return (self.hypothesis - self.reference) / 1000

    @property
    def outcome(self) -> str:
        """What became of it: the start at 0:00, found, missed, or extra."""
        if self.off is None:
            return "missed" if self.hypothesis is None else "extra"
        return "found" if self.reference else "start"

    @property
    def agreeing(self) -> bool | None:
        """Whether the titles agree; None if one is missing."""
        return titles_alike(self.title, self.other_title) >= ALIKE if self.title and self.other_title else None


def chapter_rows(
    reference: Sequence[int], hypothesis: Sequence[int], titles: Sequence[str], others: Sequence[str], reach: int
) -> list[Chapter]:
    """Return the chapters of both sides in the order of time, paired within ``reach`` ms; the first is that at 0:00.

    A side without titles has an empty list of them.

    >>> rows = chapter_rows([46000, 250000], [251000], ["Hello", "News", "End"], ["Hello", "The end"], 10000)
    >>> [(row.reference, row.hypothesis, row.off, row.agreeing) for row in rows]
    [(0, 0, 0.0, True), (46000, None, None, None), (250000, 251000, 1.0, True)]
    """
    titles, others = (
        [" ".join(title.split()) for title in given] or [""] * (len(starts) + 1)
        for given, starts in ((titles, reference), (others, hypothesis))
    )
    partners = dict(kernel("matching").module.match_boundaries(list(reference), list(hypothesis), reach))
    free = set(range(len(hypothesis))) - set(partners.values())
    rows = [
        Chapter(start, hypothesis[partners[at]], titles[at + 1], others[partners[at] + 1])
        if at in partners else Chapter(start, None, titles[at + 1], "")
        for at, start in enumerate(reference)
    ]  # fmt: skip
    rows += [Chapter(None, hypothesis[at], "", others[at + 1]) for at in free]
    rows.sort(key=lambda row: row.reference if row.reference is not None else row.hypothesis or 0)
    return [Chapter(0, 0, titles[0], others[0]), *rows]


def chapters(evaluation: Evaluation) -> Chapters:
    """Return what became of the chapters of every system.

    Starts are found within the tolerance of the first metric that has one in time, else 10 s; the scores of another program have
    tolerances that nobody asked for.
    """
    own = [metric for name, metric in evaluation.metrics.items() if name not in profile(evaluation.profile).names]
    asked = (getattr(metric, "tolerance", None) for metric in own)
    within = next((each for each in asked if isinstance(each, str) and not each.endswith("%")), None)
    within = within or str(default_tolerance("ms"))
    reach = resolve_quantity(within, "ms", owner="chapters", name="within")
    return Chapters(
        within=within,
        alike=ALIKE,
        titled=any(each.titles and any(each.titles[0]) for each in evaluation.pairs.values()),
        systems={system: _counted(evaluation, system, reach) for system in evaluation.pairs},
    )


def _counted(evaluation: Evaluation, system: str, reach: int) -> ChapterSystem:
    pairs, offs = evaluation.pairs[system], list[float]()
    shows = []
    none = Titles.of([()] * len(pairs))
    sides = zip(_starts(pairs.reference), _starts(pairs.hypothesis), *(pairs.titles or (none, none)), strict=True)
    for document, side in zip(evaluation.documents, sides, strict=True):
        _, *rows = chapter_rows(*side, reach)
        shows.append(_show(document, rows))
        offs += [row.off for row in rows if row.off is not None]
    total = ChapterCounts(
        **{
            name: sum(getattr(show, name) for show in shows)
            for name in ("reference", "hypothesis", "found", "late", "early", "titles", "agreeing")
        },
        median=statistics.median(offs) if offs else None,
        largest=max(map(abs, offs), default=None),
    )
    return ChapterSystem(total=total, shows=shows)


def _starts(side: Flat) -> Iterator[list[int]]:
    """Yield the boundaries of each document."""
    pos, ptr = side.pos.tolist(), side.ptr.tolist()
    return (pos[start:stop] for start, stop in pairwise(ptr))


def _show(document: str, rows: Sequence[Chapter]) -> ChapterShow:
    offs = [row.off for row in rows if row.off is not None]
    agreeing = [row.agreeing for row in rows if row.agreeing is not None]
    return ChapterShow(
        document=document,
        reference=sum(row.reference is not None for row in rows),
        hypothesis=sum(row.hypothesis is not None for row in rows),
        found=len(offs),
        late=sum(off >= _OFF for off in offs),
        early=sum(off <= -_OFF for off in offs),
        titles=len(agreeing),
        agreeing=sum(agreeing),
        missed_at=[row.reference / 1000 for row in rows if row.hypothesis is None and row.reference is not None],
        extra_at=[row.hypothesis / 1000 for row in rows if row.reference is None and row.hypothesis is not None],
        median=statistics.median(offs) if offs else None,
        largest=max(map(abs, offs), default=None),
    )
