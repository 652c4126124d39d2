# SPDX-License-Identifier: Apache-2.0
"""Table 1: agreement of the annotators."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import numpy as np

from caesura.evaluation.annotators.pairwise import pairwise
from caesura.experiments.reproductions.base import Finding, Value, item
from caesura.experiments.reproductions.data import Data
from caesura.experiments.reproductions.paper_004._chapters import GROUPS, groups, of_mean, of_std, panel
from caesura.experiments.reproductions.printed import Printed
from caesura.metrics.agreement.gap_agreement import FleissKappa

__all__ = ["agreement"]

_PACKAGE = Data(None)
"""The chapters of the package, since the files of all twenty do not record which group coded them."""
_IN_TEXT = {"kappa": "0.38", "windowDiff": "0.34"}
"""The same numbers as stated in section 4.1."""


@item("T1", "Agreement of the annotators")
def agreement(printed: Printed, data: Data) -> Iterator[Value | Finding]:
    """Average over the chapters of each group, then over groups; all pairs of a chapter share one window."""
    pooled = pairwise(panel(_PACKAGE), [("Pk", "pooled"), ("WindowDiff", "pooled")])
    kappa = FleissKappa(include_end=True)
    by_chapter = {
        "kappa": kappa.score(kappa.count(panel(_PACKAGE))),
        "Pk": pooled["Pk", "pooled"].per_document,
        "windowDiff": pooled["WindowDiff", "pooled"].per_document,
    }
    places = groups(_PACKAGE)
    about = f"{len(places)} of the {GROUPS} groups; a draw of {len(places)} may differ by"
    means = {}
    for row, values in by_chapter.items():
        of_groups = [float(np.mean(values[chosen])) for chosen in places]
        means[row], std = statistics.fmean(of_groups), printed.number(row, "Std. dev.")
        reach, std_reach = of_mean(std, len(places), GROUPS), of_std(std, len(places), GROUPS)
        yield Value(row, "Mean", means[row], note=f"{about} {reach:.2f}", sampling=reach)
        spread = statistics.stdev(of_groups)
        yield Value(row, "Std. dev.", spread, note=f"{about} {std_reach:.2f}", sampling=std_reach)
    for row, text in _IN_TEXT.items():
        yield Finding(
            "Section 4.1",
            f"The text gives {row} as {text}.",
            f"Table 1 prints {printed[row, 'Mean'].printed}; the {len(places)} groups that are here have "
            f"{means[row]:.2f}.",
        )
