# SPDX-License-Identifier: Apache-2.0
"""Boundaries from ranked gaps: those above a threshold, or the best ones at a given number."""

from __future__ import annotations

from caesura.scorers import Features
from caesura.segmentation import Segmentation
from caesura.segmenters.base import Cut, Floats
from caesura.selectors import StaticSelector, TopKSelector

__all__ = ["above", "best"]


def above(features: Features, scores: Floats, threshold: float, min_gap: int) -> Cut:
    """Cut at every gap whose score exceeds a threshold, best first, at least ``min_gap`` apart."""
    strictly = float(min(scores[scores > threshold], default=float("inf")))
    if strictly == float("inf"):
        return Cut(Segmentation(features.n_units, unit=features.document.unit), scores)
    chosen = StaticSelector(threshold=strictly, min_gap=min_gap)
    return Cut(chosen.select(scores, unit=features.document.unit), scores)


def best(features: Features, scores: Floats, n_segments: int, min_gap: int = 1) -> Cut:
    """Cut into a number of segments at the best gaps; where ``min_gap`` leaves no room for it, they may be nearer."""
    while True:
        chosen = TopKSelector(k=n_segments - 1, min_gap=min_gap)
        segmentation = chosen.select(scores, unit=features.document.unit)
        if segmentation.n_segments == n_segments or min_gap == 1:
            return Cut(segmentation, scores)
        min_gap -= 1
