# SPDX-License-Identifier: Apache-2.0
"""Boundaries from ranked gaps: those above a threshold, or the best ones at a given number."""

from __future__ import annotations

from caesura.segmenters.base import Floats
from caesura.selectors import StaticSelector, TopKSelector

__all__ = ["above", "best"]


def above(scores: Floats, threshold: float, min_gap: int) -> tuple[int, ...]:
    """Return the gaps whose score exceeds a threshold, best first taken, at least ``min_gap`` apart."""
    least = min(scores[scores > threshold], default=None)
    return (
        ()
        if least is None
        else StaticSelector(threshold=float(least), min_gap=min_gap).select(scores).boundaries
    )


def best(scores: Floats, n_segments: int, min_gap: int = 1) -> tuple[int, ...]:
    """Return the best gaps for a number of segments; where ``min_gap`` leaves no room for it, they may be nearer."""
    while True:
        chosen = TopKSelector(k=n_segments - 1, min_gap=min_gap).select(scores).boundaries
        if len(chosen) == n_segments - 1 or min_gap == 1:
            return chosen
        min_gap -= 1
