# SPDX-License-Identifier: Apache-2.0
"""Boundary support: the share of annotators with a boundary at, or near, each gap that any of them marked."""

from __future__ import annotations

import numpy as np

from caesura.batches.panel import Panel
from caesura.metrics.agreement import candidates_of, pooled_window, supporters
from caesura.results.agree.facts import Prominence, Support

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

    Documents with one annotator are left out: there is nobody to support or contest a boundary. The window is half the mean
    segment over all annotators of the document, as for MultiWindowDiff; half of it is not rounded.
    """
    windows = pooled_window(panel)
    candidates = candidates_of(panel)
    h = panel.n_annotators[candidates.document]
    # Distances are whole numbers, so "within half a window" is within its floor.
    shares = [
        supporters(panel, candidates, reach) / h for reach in (np.zeros_like(windows), windows // 2, windows)
    ]
    exact, half, full = (share.tolist() for share in shares)
    names = np.array(panel.names, dtype=object)[panel.annotator[candidates.coding]].tolist()
    ptr, gaps, sizes = candidates.ptr.tolist(), candidates.gap.tolist(), h.tolist()
    return [
        Support(
            document=panel.ids[document],
            gap=gaps[place],
            marked_by=tuple(names[ptr[place] : ptr[place + 1]]),
            annotators=sizes[place],
            exact=exact[place],
            half=half[place],
            full=full[place],
            prominence=prominence_class(half[place]),
        )
        for place, document in enumerate(candidates.document.tolist())
        if sizes[place] > 1
    ]
