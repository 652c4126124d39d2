# SPDX-License-Identifier: Apache-2.0
"""Sizes of the corpus (sections 3 and 4)."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from caesura.results.reproduce.facts import Erratum
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_004._chapters import ALL, chapters, has_all, of_mean, of_std, reaching, which
from caesura_reproductions.printed import Printed

__all__ = ["sizes"]

_GROUPS = (6, 6, 6, 5, 4)
"""Annotators of each group (section 3)."""


@item("corpus", "Lengths of chapters and segments (sections 3 and 4)")
def sizes(printed: Printed, data: Data) -> Iterator[Found]:
    """Measure the available chapters, and compare a part of them with all, as a random draw of that size."""
    corpus, here = chapters(data), len(chapters(data))
    people, total = len({name for document in corpus for name in document.annotations}), sum(_GROUPS)
    counted = has_all(data) and people == total
    note = f"{' + '.join(map(str, _GROUPS))} = {total}{', all counted' if counted else ''}"
    yield Value("annotators", "count", total, note=note)
    codings = [coding for document in corpus for coding in document.annotations.values()]
    lengths = [float(document.n_units) for document in corpus]
    found = {"chapter length": lengths, "segment length": [float(mass) for coding in codings for mass in coding.masses]}
    for row, values in found.items():
        std, about = printed.number(row, "std"), f"{len(values)} values of {which(data)}"
        for column, statistic, reach in (
            ("mean", statistics.fmean, of_mean(std, here, ALL)), ("std", statistics.stdev, of_std(std, here, ALL)),
        ):  # fmt: skip
            note = reaching(about, reach, str(here))
            yield Value(row, column, statistic(values), note=note, sampling=reach)
    yield from _segments([[float(c.n_segments) for c in d.annotations.values()] for d in corpus], which(data))
    if has_all(data):
        yield from _one_more(printed, dict(zip(corpus.ids, lengths, strict=True)))


def _segments(by_chapter: Sequence[Sequence[float]], where: str) -> Iterator[Value]:
    """Yield mean and deviation of the number of segments; the printed deviation is that of annotators within a chapter.

    Chapters differ far more than annotators of one chapter, so a draw of chapters varies with the means of the chapters.
    """
    row, here = "segments per chapter", len(by_chapter)
    every = [number for chapter in by_chapter for number in chapter]
    means = [statistics.fmean(chapter) for chapter in by_chapter]
    spreads = [statistics.stdev(chapter) for chapter in by_chapter if len(chapter) > 1]
    reach = of_mean(statistics.stdev(means), here, ALL)
    note = f"{len(every)} codings of {where}, whose chapters have {min(means):.1f} to {max(means):.1f}"
    yield Value(row, "mean", statistics.fmean(every), note=reaching(note, reach, str(here)), sampling=reach)
    if len(spreads) < 2:
        return
    over_all, reach = statistics.stdev(every), of_mean(statistics.stdev(spreads), here, ALL)
    note = f"mean of the deviations of the chapters ({min(spreads):.1f} to {max(spreads):.1f}); over all codings it is {over_all:.2f}"
    note = reaching(note, reach, f"{here} chapters")
    yield Value(row, "std", statistics.fmean(spreads), note=note, definition=over_all, sampling=reach)


def _one_more(printed: Printed, lengths: dict[str, float]) -> Iterator[Erratum]:
    """Yield the chapter that would need one paragraph more for the printed mean and deviation of the lengths."""
    row = "chapter length"
    wanted = (printed[row, "mean"].printed, printed[row, "std"].printed)
    for chapter in lengths:
        longer = [length + (key == chapter) for key, length in lengths.items()]
        if (f"{statistics.fmean(longer):.2f}", f"{statistics.stdev(longer):.2f}") == wanted:
            values = list(lengths.values())
            yield finding(
                "Section 4",
                f"The chapters have {wanted[0]} paragraphs on average, with a deviation of {wanted[1]}.",
                f"The released ones have {statistics.fmean(values):.2f} and {statistics.stdev(values):.2f}; one paragraph more in "
                f"chapter {chapter.removeprefix('ch')}, and in no other, gives both printed numbers. The other sizes differ in their "
                "last digits too.",
            )
