# SPDX-License-Identifier: Apache-2.0
"""TreeSeg: a tree of divisions of vectors."""

from __future__ import annotations

import dataclasses
import heapq
import math
from typing import ClassVar

import numpy as np

from caesura.declare import Card, param
from caesura.scorers import Features, Floats, Ints
from caesura.segmentation import Segmentation
from caesura.segmenters._search import division_scores
from caesura.segmenters.base import SEGMENTERS, Cut, SizedSegmenter

__all__ = ["TreeSeg"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class TreeSeg(SizedSegmenter):
    """Divide again and again where the vectors of both parts lie closest together; writes a hierarchy.

    Definition
    ----------
    The segment whose best division lowers the scatter within segments most is divided next. Scatter is the sum of
    squared distances to the mean of a segment. A unit is represented by the mean vector of itself and the
    ``window`` - 1 units before it; more than one displaces boundaries. Without a given number of segments, division
    stops where it gains less than ``penalty`` · σ² · ln n, as in Scatter. No part has fewer than ``min_length`` units; if that
    leaves no room for the given number of segments, there are fewer. The levels of the hierarchy are the levels of the tree.
    The scores are the order of the divisions.

    Notes
    -----
    The published system has ``min_length=5`` and a given number of segments in all its configurations. It embeds each utterance
    joined with the ones before it: four in AMI and ICSI, two in TinyRec. ``window=5`` and ``window=3`` come near that by means of
    vectors; vectors of the joined texts, made elsewhere and read with ``npy:``, are the same.
    """

    window: int = param(1, "units whose mean vector represents a unit, itself and those before it", minimum=1)
    min_length: int = param(1, "units of the shortest segment; 5 as published", minimum=1)
    penalty: float = param(0.5, "least gain of a division without a given number of segments, times σ² ln n", minimum=0)

    needs_vectors: ClassVar[bool] = True
    card = Card(
        title="a tree of divisions by scatter of vectors",
        citation="Gklezakos et al. 2024, TreeSeg: hierarchical topic segmentation of large transcripts",
    )

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        n = features.n_units
        vectors = _windowed(features.vectors.astype(np.float64), self.window)
        order, gains, depth = _divisions(vectors, self.min_length)
        wanted = self.wanted(features)
        if wanted is None:
            steps = np.diff(vectors, axis=0)
            noise = float(np.einsum("ij,ij->", steps, steps)) / (2 * max(len(steps), 1))
            least = self.penalty * noise * math.log(n) + 1e-9
            wanted = int(np.count_nonzero(np.logical_and.accumulate(gains > least))) + 1
        chosen = order[: wanted - 1]
        levels = [chosen[depth[: wanted - 1] <= level] for level in sorted(set(depth[: wanted - 1].tolist()))]
        whole, *hierarchy = (Segmentation(n, np.sort(gaps), unit=features.document.unit) for gaps in (chosen, *levels))
        return Cut(whole, division_scores(order, n), tuple(hierarchy))


def _windowed(vectors: Floats, window: int) -> Floats:
    """Return the mean of each vector and the ones before it."""
    if window == 1:
        return vectors
    sums = np.vstack([np.zeros(vectors.shape[1]), np.cumsum(vectors, axis=0)])
    ends = np.arange(1, len(vectors) + 1)
    starts = np.maximum(ends - window, 0)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts)[:, None], dtype=np.float64)


def _divisions(vectors: Floats, min_length: int) -> tuple[Ints, Floats, Ints]:
    """Return gaps in the order of division, what each division gained, and its depth in the tree."""
    sums = np.vstack([np.zeros(vectors.shape[1]), np.cumsum(vectors, axis=0)])
    order: list[int] = []
    gains: list[float] = []
    depths: list[int] = []
    waiting: list[tuple[float, int, int, int, int]] = []

    def consider(start: int, end: int, depth: int) -> None:
        if end - start >= 2 * min_length:
            gain, gap = _best_division(sums, start, end, min_length)
            heapq.heappush(waiting, (-gain, gap, start, end, depth))

    consider(0, len(vectors), 1)
    while waiting:
        gain, gap, start, end, depth = heapq.heappop(waiting)
        order.append(gap)
        gains.append(-gain)
        depths.append(depth)
        consider(start, gap, depth + 1)
        consider(gap, end, depth + 1)
    return np.array(order, dtype=np.int64), np.array(gains), np.array(depths, dtype=np.int64)


def _best_division(sums: Floats, start: int, end: int, min_length: int) -> tuple[float, int]:
    """Return how much the best division of a segment lowers its scatter, and where it is."""
    gaps = np.arange(start + min_length, end - min_length + 1)
    left, right = sums[gaps] - sums[start], sums[end] - sums[gaps]
    # The scatter of a part is its sum of squares less |sum|² / size, and the squares cancel.
    parts = [np.einsum("ij,ij->i", part, part) / size for part, size in ((left, gaps - start), (right, end - gaps))]
    whole = sums[end] - sums[start]
    gain = parts[0] + parts[1] - whole @ whole / (end - start)
    best = int(gain.argmax())
    return float(gain[best]), int(gaps[best])
