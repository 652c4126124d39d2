# SPDX-License-Identifier: Apache-2.0
"""Boundary support: the share of annotators with a boundary at, or near, each gap that any of them marked."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from caesura.batches.panel import Panel
from caesura.metrics.agreement import pooled_window
from caesura.metrics.agreement.prominence import within
from caesura.results.agreement import Prominence, Support
from caesura.segmentation import Segmentation

__all__ = ["boundary_support", "prominence_class"]


def prominence_class(support: float) -> Prominence:
    """Return the class of a support: unanimous at 1, majority from one half, else minority.

    >>> [prominence_class(s) for s in (1.0, 0.5, 0.49)]
    ['unanimous', 'majority', 'minority']
    """
    if support >= 1.0:
        return "unanimous"
    return "majority" if support >= 0.5 else "minority"


def boundary_support(panel: Panel) -> list[Support]:
    """Return every gap that at least one annotator marked, with its support.

    Documents with one annotator have none. The window is half the mean segment over all annotators of the document, as
    for MultiWindowDiff; half of it is not rounded.
    """
    windows = pooled_window(panel)
    support: list[Support] = []
    for row, key in enumerate(panel.ids):
        codings = panel.of_document(row)
        gaps = sorted({gap for coding in codings.values() for gap in coding.boundaries})
        if (
            len(codings) < 2 or not gaps
        ):  # with one annotator there is nobody to support or contest a boundary
            continue
        # Distances are whole numbers, so "within half a window" is within its floor.
        tolerances = (0, int(windows[row]) // 2, int(windows[row]))
        shares = (_shares(gaps, codings.values(), tolerance) for tolerance in tolerances)
        for gap, exact, half, full in zip(gaps, *shares, strict=True):
            marked_by = tuple(name for name, coding in codings.items() if gap in coding.boundaries)
            prominence = prominence_class(half)
            support.append(Support(key, gap, marked_by, len(codings), exact, half, full, prominence))
    return support


def _shares(gaps: list[int], codings: Iterable[Segmentation], tolerance: int) -> list[float]:
    """Return the share of codings with a boundary within a tolerance of each gap."""
    candidates = np.array(gaps, dtype=np.int64)
    shares: list[float] = np.mean(
        [within(candidates, c.positions, tolerance) for c in codings], axis=0
    ).tolist()
    return shares
