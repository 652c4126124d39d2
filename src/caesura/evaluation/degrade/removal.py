# SPDX-License-Identifier: Apache-2.0
"""Boundaries removed."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.batches.flat import Flat, starts_of
from caesura.declare import Card, param
from caesura.evaluation.degrade._base import DEGRADATIONS, Amount, Degraded, rebuilt
from caesura.placements.streams import Streams, chosen_gaps
from caesura.segmentation import Segmentation

__all__ = ["Removal"]


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Removal(Amount):
    """Remove random boundaries, like a segmenter that misses some of them.

    Every set of that many boundaries is equally likely. If more are requested than there are, all are removed and the rest is
    reported.

    Examples
    --------
    >>> result = Removal(count=3).apply(Segmentation(9, (2, 5)), np.random.default_rng(1))
    >>> result.segmentation, result.done, dict(result.skipped)
    (Segmentation(9, ()), 2, {'no boundary left': 1})
    """

    share: float | None = param(None, "share of the boundaries to remove, rounded, halves up", minimum=0, maximum=1)
    count: int | None = param(None, "number of boundaries to remove; 1 if no share is given", minimum=0)

    card: ClassVar[Card] = Card(
        title="random boundaries removed",
        citation="Lucas, Kangas and Havens, A reference-free segmentation quality index (SegReFree)",
        equation="section 4.1.1",
    )

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Remove boundaries; see `Degradation.apply`."""
        there = segmentation.n_boundaries
        requested = self.amount(there)
        done = min(requested, there)
        skipped = {"no boundary left": requested - done} if requested > done else {}
        if not done:
            return Degraded(segmentation, requested, 0, skipped)
        remaining = np.ones(there, dtype=bool)
        remaining[rng.choice(there, size=done, replace=False, shuffle=False)] = False
        return Degraded(rebuilt(segmentation, segmentation.positions[remaining]), requested, done, skipped)

    is_at_once = True

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        there = np.diff(flat.ptr)
        done = self.amounts(there)
        remaining = np.ones(len(flat.pos), dtype=bool)
        remaining[chosen_gaps(there, done, streams) - 1 + np.repeat(flat.ptr[:-1], done)] = False
        return Flat._known(flat.n_units, starts_of(there - done), flat.pos[remaining])
