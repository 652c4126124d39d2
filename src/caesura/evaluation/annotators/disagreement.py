# SPDX-License-Identifier: Apache-2.0
"""Disagreements of two annotators: granularity (one has further boundaries), or placement."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import get_args

from caesura.batches.panel import Panel
from caesura.kernels.matching import match_boundaries
from caesura.metrics.agreement import pooled_window
from caesura.results.agreement import Disagreement, Kind
from caesura.segmentation import Segmentation

__all__ = ["disagreements", "kind_of_disagreement", "tally"]


def kind_of_disagreement(
    first: Segmentation, second: Segmentation, window: int
) -> tuple[Kind, tuple[int, ...], tuple[int, ...]]:
    """Return how two segmentations differ, and the boundaries of each without a partner within half a window.

    >>> kind_of_disagreement(Segmentation(20, (5, 10)), Segmentation(20, (5, 10, 15)), 4)[0]
    'granularity'
    >>> kind_of_disagreement(Segmentation(20, (5,)), Segmentation(20, (8,)), 4)[0]
    'placement'
    """
    a, b = list(first.boundaries), list(second.boundaries)
    pairs = match_boundaries(a, b, window // 2)
    used_a, used_b = {i for i, _ in pairs}, {j for _, j in pairs}
    only_a = tuple(gap for i, gap in enumerate(a) if i not in used_a)
    only_b = tuple(gap for j, gap in enumerate(b) if j not in used_b)
    if not only_a and not only_b:
        return "none", only_a, only_b
    if not only_a or not only_b:
        return "granularity", only_a, only_b
    near = all(min(abs(x - y) for y in only_b) <= window for x in only_a) and all(
        min(abs(x - y) for x in only_a) <= window for y in only_b
    )
    return ("placement" if near else "mixed"), only_a, only_b


def disagreements(panel: Panel) -> list[Disagreement]:
    """Label every two annotators of every document."""
    windows = pooled_window(panel).tolist()
    labelled = []
    for row, key in enumerate(panel.ids):
        for (a, first), (b, second) in itertools.combinations(panel.of_document(row).items(), 2):
            kind, only_a, only_b = kind_of_disagreement(first, second, windows[row])
            labelled.append(Disagreement(key, a, b, kind, only_a, only_b))
    return labelled


def tally(labelled: list[Disagreement]) -> dict[Kind, int]:
    """Count the disagreements of each kind."""
    counts = Counter(item.kind for item in labelled)
    return {kind: counts[kind] for kind in get_args(Kind)}
