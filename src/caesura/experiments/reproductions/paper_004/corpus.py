# SPDX-License-Identifier: Apache-2.0
"""Sizes of the corpus (sections 3 and 4)."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_004._chapters import ALL, chapters, of_mean, of_std, which
from caesura.experiments.reproductions.printed import Printed

__all__ = ["sizes"]

_GROUPS = (6, 6, 6, 5, 4)
"""Annotators of each group (section 3)."""


@item("corpus", "Lengths of chapters and segments (sections 3 and 4)")
def sizes(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Measure the chapters that are here, and compare them with all as a draw of so many."""
    total = sum(_GROUPS)
    yield Value("annotators", "count", total, note=f"{' + '.join(map(str, _GROUPS))} = {total}")
    corpus, here = chapters(data), len(chapters(data))
    codings = [coding for document in corpus for coding in document.annotations.values()]
    units = max(document.n_units for document in corpus)
    longest, shorter = (
        [float(coding.n_segments) for coding in codings if (coding.n_units == units) is long]
        for long in (True, False)
    )
    found = {
        "chapter length": [float(document.n_units) for document in corpus],
        "segment length": [float(mass) for coding in codings for mass in coding.masses],
        "segments per chapter": [float(coding.n_segments) for coding in codings],
    }
    for row, values in found.items():
        std = printed.number(row, "std")
        about = f"{len(values)} values of {which(data)}; a draw of {here} may differ by"
        for column, statistic, reach in (
            ("mean", statistics.fmean, of_mean(std, here, ALL)), ("std", statistics.stdev, of_std(std, here, ALL)),
        ):  # fmt: skip
            note = f"{about} {reach:.2f}"
            if row == "segments per chapter" and len(shorter) > 1:
                least, most = min(longest), max(longest)
                note += (
                    f"; without the longest chapter, where annotators found {least:.0f} to {most:.0f}, it is "
                )
                note += f"{statistic(shorter):.2f}"
            yield Value(row, column, statistic(values), note=note, sampling=reach)
