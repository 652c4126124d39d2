# SPDX-License-Identifier: Apache-2.0
"""Kappa with each annotator left out in turn, to find those who lower the agreement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from caesura.batches.panel import Panel
from caesura.metrics.agreement import AGREEMENT, SLOT_COLUMNS, candidates_of
from caesura.metrics.base import Floats

__all__ = ["LeftOut", "left_out"]


class LeftOut(NamedTuple):
    """Kappa of every document, and of the document of every coding without that coding; NaN if undefined."""

    whole: Floats  # [D]
    rest: Floats  # [C]


def left_out(panel: Panel) -> LeftOut:
    """Compute FleissKappa of each document without each of its codings, in time linear in all boundaries.

    With one annotator fewer, a gap that m of h marked has m - 1 votes if that annotator marked it, and m otherwise.
    """
    kappa = AGREEMENT.parse("FleissKappa")
    counts = kappa.count(panel)
    gaps = candidates_of(panel)
    document, m, h = gaps.document, gaps.votes.astype(np.float64), panel.n_annotators.astype(np.float64)
    fewer = h[document] - 1
    unmarked = panel.n_units - 1.0 - np.bincount(document, minlength=len(panel))
    agreeing = np.bincount(document, weights=_agree(m, fewer), minlength=len(panel)) + unmarked * (h - 1) * (
        h - 2
    )
    # The effect of a coding's own marks: they had m votes, and have m - 1 without it.
    change = np.repeat(_agree(m - 1, fewer) - _agree(m, fewer), gaps.votes)
    changes = np.bincount(gaps.coding, weights=change, minlength=len(panel.annotator))
    rest = counts[panel.document].copy()
    people, items = h[panel.document] - 1, panel.n_units[panel.document] - 1.0
    columns = {
        "annotators": people,
        "agree": agreeing[panel.document] + changes,
        "pairs": items * people * (people - 1),
        "ones": rest[:, SLOT_COLUMNS.index("ones")] - panel.n_boundaries,
        "judgements": items * people,
    }
    for name, values in columns.items():
        rest[:, SLOT_COLUMNS.index(name)] = values
    rest[people < 2] = 0.0
    return LeftOut(kappa.score(counts), kappa.score(rest))


def _agree(votes: Floats, h: Floats) -> Floats:
    """Return the number of ordered pairs of h annotators who agree on a gap with the given number of marks."""
    return votes * (votes - 1) + (h - votes) * (h - votes - 1)
