# SPDX-License-Identifier: Apache-2.0
"""Table 1: agreement of the annotators."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np

from caesura.batches.panel import Panel
from caesura.evaluation.agree.pairwise import pairwise
from caesura.metrics.agreement.gap_agreement import FleissKappa
from caesura.metrics.base import Floats
from caesura.results.agree.facts import Window
from caesura_reproductions.base import Found, Value, finding, item
from caesura_reproductions.data import Data
from caesura_reproductions.paper_004._chapters import GROUPS, groups, of_mean, of_std, panel, reaching
from caesura_reproductions.printed import Printed

__all__ = ["agreement"]

_IN_TEXT = {"kappa": "0.38", "windowDiff": "0.34"}
"""The same numbers as stated in section 4.1."""
_OTHERWISE = {
    "kappa": "over the gaps alone, without the end of the chapter as an item that everybody marks,",
    "Pk": "with the window of each pair's own reference",
    "windowDiff": "with the window of each pair's own reference",
}


@item("T1", "Agreement of the annotators")
def agreement(printed: Printed, data: Data) -> Iterator[Found]:
    """Average over the chapters of each group, then over groups; all pairs of a chapter share one window."""
    if len(groups(data)) != GROUPS:  # the chapters of the package, whose groups are known
        data = Data(None)
    annotators, places = panel(data), groups(data)
    by_chapter = _by_chapter(annotators, "pooled", include_end=True)
    otherwise = _by_chapter(annotators, "reference", include_end=False)
    here = f"all {GROUPS} groups" if len(places) == GROUPS else f"{len(places)} of the {GROUPS} groups"
    means, others = {}, {}
    for row, values in by_chapter.items():
        of_groups = [float(np.mean(values[chosen])) for chosen in places]
        others[row] = statistics.fmean(float(np.mean(otherwise[row][chosen])) for chosen in places)
        means[row], std = statistics.fmean(of_groups), printed.number(row, "Std. dev.")
        about = f"{here}; {_OTHERWISE[row]} {others[row]:.3f}"
        reach, std_reach = of_mean(std, len(places), GROUPS), of_std(std, len(places), GROUPS)
        yield Value(row, "Mean", means[row], note=reaching(about, reach, str(len(places))), sampling=reach)
        spread = statistics.stdev(of_groups)
        yield Value(row, "Std. dev.", spread, note=reaching(here, std_reach, str(len(places))), sampling=std_reach)
    for row, text in _IN_TEXT.items():
        yield finding(
            "Section 4.1",
            f"The text gives {row} as {text}.",
            f"Table 1 prints {printed[row, 'Mean'].printed}. {here[0].upper()}{here[1:]} have {means[row]:.3f}; {_OTHERWISE[row]} it is "
            f"{others[row]:.3f}.",
        )


def _by_chapter(annotators: Panel, window: Window, *, include_end: bool) -> dict[str, Floats]:
    """Return the agreement on each chapter."""
    pairs = pairwise(annotators, [("Pk", window), ("WindowDiff", window)])
    kappa = FleissKappa(include_end=include_end)
    return {
        "kappa": kappa.score(kappa.count(annotators)),
        "Pk": pairs["Pk", window].per_document,
        "windowDiff": pairs["WindowDiff", window].per_document,
    }
