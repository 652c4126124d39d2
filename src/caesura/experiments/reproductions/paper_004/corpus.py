# SPDX-License-Identifier: Apache-2.0
"""Sizes of the corpus (sections 3 and 4)."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_004._chapters import ALL, chapters, of_mean, of_std, which
from caesura.experiments.reproductions.printed import Printed

__all__ = ["sizes"]

_GROUPS = (6, 6, 6, 5, 4)
"""Annotators of each group (section 3)."""


@item("corpus", "Lengths of chapters and segments (sections 3 and 4)")
def sizes(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Measure the available chapters, and compare them with all, as a random draw of that size."""
    total = sum(_GROUPS)
    yield Value("annotators", "count", total, note=f"{' + '.join(map(str, _GROUPS))} = {total}")
    corpus, here = chapters(data), len(chapters(data))
    codings = [coding for document in corpus for coding in document.annotations.values()]
    found = {
        "chapter length": [float(document.n_units) for document in corpus],
        "segment length": [float(mass) for coding in codings for mass in coding.masses],
    }
    for row, values in found.items():
        std = printed.number(row, "std")
        about = f"{len(values)} values of {which(data)}; a draw of {here} may differ by"
        for column, statistic, reach in (
            ("mean", statistics.fmean, of_mean(std, here, ALL)), ("std", statistics.stdev, of_std(std, here, ALL)),
        ):  # fmt: skip
            yield Value(row, column, statistic(values), note=f"{about} {reach:.2f}", sampling=reach)
    yield from _segments([[float(c.n_segments) for c in d.annotations.values()] for d in corpus], which(data))


def _segments(by_chapter: Sequence[Sequence[float]], where: str) -> Iterator[Value]:
    """Yield mean and deviation of the number of segments; the printed deviation is that of annotators within a chapter.

    Chapters differ far more than annotators of one chapter, so a draw of chapters varies with the means of the chapters.
    """
    row, here = "segments per chapter", len(by_chapter)
    every = [number for chapter in by_chapter for number in chapter]
    means = [statistics.fmean(chapter) for chapter in by_chapter]
    spreads = [statistics.stdev(chapter) for chapter in by_chapter if len(chapter) > 1]
    reach = of_mean(statistics.stdev(means), here, ALL)
    note = f"{len(every)} codings of {where}, whose chapters have {min(means):.1f} to {max(means):.1f}; a draw of {here} may differ by"
    yield Value(row, "mean", statistics.fmean(every), note=f"{note} {reach:.2f}", sampling=reach)
    if len(spreads) < 2:
        return
    over_all, reach = statistics.stdev(every), of_mean(statistics.stdev(spreads), here, ALL)
    note = (
        f"mean of the deviations of the chapters ({min(spreads):.1f} to {max(spreads):.1f}); over all codings it is {over_all:.2f}; "
        f"a draw of {here} chapters may differ by {reach:.2f}"
    )
    yield Value(row, "std", statistics.fmean(spreads), note=note, definition=over_all, sampling=reach)
