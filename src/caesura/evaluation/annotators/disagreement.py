# SPDX-License-Identifier: Apache-2.0
"""Disagreements of two annotators: granularity (one refines the other), or placement."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from typing import Literal

from caesura.batches.panel import Panel
from caesura.kernels.matching import match_boundaries
from caesura.metrics.agreement import pooled_window
from caesura.segmentation import Segmentation

__all__ = ["Disagreement", "disagreements", "kind_of_disagreement", "tally"]

Kind = Literal["none", "granularity", "placement", "mixed"]


@dataclasses.dataclass(frozen=True)
class Disagreement:
    """How two annotators of a document differ.

    Attributes
    ----------
    document, first, second : str
        The document and the two annotators.
    kind : {"none", "granularity", "placement", "mixed"}
        Nothing unmatched; unmatched on one side only; unmatched on both, each within a window of one of the other; or
        neither.
    only_first, only_second : tuple of int
        Boundaries without a partner within half a window.
    """

    document: str
    first: str
    second: str
    kind: Kind
    only_first: tuple[int, ...]
    only_second: tuple[int, ...]


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
    windows = pooled_window(panel)
    found = []
    for row, key in enumerate(panel.ids):
        codings = panel.of_document(row)
        for (a, first), (b, second) in itertools.combinations(codings.items(), 2):
            kind, only_a, only_b = kind_of_disagreement(first, second, int(windows[row]))
            found.append(Disagreement(key, a, b, kind, only_a, only_b))
    return found


def tally(labelled: list[Disagreement]) -> dict[str, int]:
    """Count the kinds."""
    number = Counter(item.kind for item in labelled)
    return {kind: number.get(kind, 0) for kind in ("none", "granularity", "placement", "mixed")}
