# SPDX-License-Identifier: Apache-2.0
"""What prominence-weighted precision and recall share: boundaries weighed by how many annotators stand behind them."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.metrics.agreement._base import PanelMetric
from caesura.metrics.agreement._tables import pooled_window
from caesura.metrics.base import Floats
from caesura.panel import Ints, PanelPairs

CITATION = "after Kazantseva & Szpakowicz 2012, section 4.2 (support of boundaries)"


@dataclasses.dataclass(frozen=True)
class ProminenceMetric(PanelMetric):
    """A metric that weighs boundaries by their support within half a window."""

    columns = ("found", "weight", "support", "n_hyp")

    def count(self, pairs: PanelPairs) -> Floats:
        """Sum the support of candidates found, of all candidates, and of the hypothesis' boundaries."""
        panel, hypothesis = pairs.panel, pairs.hypothesis
        windows = pooled_window(panel)
        out = np.zeros((len(panel), len(self.columns)))
        for row in range(len(panel)):
            codings = [s.positions for s in panel.of_document(row).values()]
            boundaries = hypothesis.pos[hypothesis.ptr[row] : hypothesis.ptr[row + 1]]
            # Distances are whole numbers, so "within half a window" is within its floor.
            out[row] = _document(codings, boundaries, int(windows[row]) // 2)
        return out


def _document(codings: list[Ints], hypothesis: Ints, tolerance: int) -> list[float]:
    candidates = np.unique(np.concatenate(codings))
    if not len(candidates):
        return [0.0, 0.0, 0.0, float(len(hypothesis))]
    support = np.mean([within(candidates, coding, tolerance) for coding in codings], axis=0)
    found = within(candidates, hypothesis, tolerance)
    own = 0.0
    if len(hypothesis):
        nearest = _nearest(candidates, hypothesis)
        reached = np.abs(candidates[nearest] - hypothesis) <= tolerance
        own = float((support[nearest] * reached).sum())
    return [float((support * found).sum()), float(support.sum()), own, float(len(hypothesis))]


def within(points: Ints, positions: Ints, tolerance: int) -> Floats:
    """Say for each point whether a position lies within the tolerance."""
    first = np.searchsorted(positions, points - tolerance, side="left")
    last = np.searchsorted(positions, points + tolerance, side="right")
    return (last > first).astype(np.float64)


def _nearest(candidates: Ints, points: Ints) -> Ints:
    """Return the place of the nearest candidate of each point, the left one of two."""
    right = np.clip(np.searchsorted(candidates, points), 0, len(candidates) - 1)
    left = np.maximum(right - 1, 0)
    return np.where(np.abs(candidates[left] - points) <= np.abs(candidates[right] - points), left, right)
