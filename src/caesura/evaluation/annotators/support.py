# SPDX-License-Identifier: Apache-2.0
"""Boundary support: the share of annotators with a boundary at, or near, each gap that any of them marked."""

from __future__ import annotations

import numpy as np

from caesura.batches.panel import Panel
from caesura.metrics.agreement import pooled_window
from caesura.metrics.agreement.prominence import within
from caesura.results.agreement import Prominence, Support
from caesura.segmentation import Segmentation

__all__ = ["boundary_support", "document_support", "prominence_class"]


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
    found: list[Support] = []
    for row, key in enumerate(panel.ids):
        if panel.n_annotators[row] < 2:
            # With one annotator there is nobody to support or contest a boundary.
            continue
        found += document_support(key, panel.of_document(row), int(windows[row]))
    return found


def document_support(key: str, codings: dict[str, Segmentation], window: int) -> list[Support]:
    """Return the supported gaps of one document."""
    gaps = sorted({gap for coding in codings.values() for gap in coding.boundaries})
    if not gaps:
        return []
    candidates = np.array(gaps, dtype=np.int64)
    # Distances are whole numbers, so "within half a window" is within its floor.
    shares = [
        np.mean([within(candidates, coding.positions, tolerance) for coding in codings.values()], axis=0)
        for tolerance in (0, window // 2, window)
    ]
    return [
        Support(
            document=key,
            gap=gap,
            marked_by=tuple(name for name, coding in codings.items() if gap in coding.boundaries),
            annotators=len(codings),
            exact=float(shares[0][place]),
            half=float(shares[1][place]),
            full=float(shares[2][place]),
            prominence=prominence_class(float(shares[1][place])),
        )
        for place, gap in enumerate(gaps)
    ]
