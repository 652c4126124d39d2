# SPDX-License-Identifier: Apache-2.0
"""Disagreements of two annotators: granularity (one has further boundaries), or placement."""

from __future__ import annotations

from collections import Counter
from typing import get_args

import numpy as np

from caesura.batches.flat import starts_of
from caesura.batches.panel import Panel
from caesura.kernels.matching import match_boundaries
from caesura.metrics.agreement import count_pairs, pooled_window, two_of
from caesura.results.agree.facts import Disagreement, Kind
from caesura.segmentation import Segmentation

__all__ = ["MOST_LABELLED", "disagreements", "kind_of_disagreement", "tally"]

MOST_LABELLED = 100_000
"""The maximum number of labelled pairs, which grows with the square of the annotators; each is a row of the file."""


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


def disagreements(panel: Panel, seed: int = 0) -> list[Disagreement]:
    """Label every two annotators of every document; of more than 100,000 pairs, as many drawn at random."""
    windows, sizes = pooled_window(panel).tolist(), panel.n_annotators.tolist()
    starts, total = starts_of(panel.n_annotators * (panel.n_annotators - 1) // 2), count_pairs(panel)
    drawn = np.arange(total)
    if total > MOST_LABELLED:
        drawn = np.sort(
            np.random.default_rng(seed).choice(total, MOST_LABELLED, replace=False, shuffle=False)
        )
    labelled = []
    for row, wanted in enumerate(np.split(drawn, np.searchsorted(drawn, starts[1:-1]))):
        if not len(wanted):
            continue
        first, second = two_of(sizes[row])
        codings = list(panel.of_document(row).items())
        for place in (wanted - starts[row]).tolist():
            (a, one), (b, other) = codings[first[place]], codings[second[place]]
            kind, only_a, only_b = kind_of_disagreement(one, other, windows[row])
            labelled.append(
                Disagreement(
                    document=panel.ids[row],
                    first=a,
                    second=b,
                    kind=kind,
                    only_first=only_a,
                    only_second=only_b,
                )
            )
    return labelled


def tally(labelled: list[Disagreement]) -> dict[Kind, int]:
    """Count the disagreements of each kind."""
    counts = Counter(item.kind for item in labelled)
    return {kind: counts[kind] for kind in get_args(Kind)}
