# SPDX-License-Identifier: Apache-2.0
"""Boundaries taken away."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.declare import Card, param
from caesura.experiments.degradations._base import DEGRADATIONS, Amount, Degradation, Degraded, made
from caesura.segmentation import Segmentation

__all__ = ["Removal"]


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Removal(Amount, Degradation):
    """Take boundaries away at random: what a segmenter that misses some of them would give.

    Every set of that many boundaries is equally likely. More than there are cannot be removed: all go, and the rest is
    reported.

    Examples
    --------
    >>> result = Removal(count=3).apply(Segmentation(9, (2, 5)), np.random.default_rng(1))
    >>> result.segmentation, result.done, dict(result.skipped)
    (Segmentation(9, ()), 2, {'no boundary left': 1})
    """

    share: float | None = param(
        None, "share of the boundaries to remove, rounded, halves up", minimum=0, maximum=1
    )
    count: int | None = param(None, "how many boundaries to remove; 1 if no share is given", minimum=0)

    card: ClassVar[Card] = Card(
        title="random boundaries removed",
        citation="Lucas, Kangas and Havens, A reference-free segmentation quality index (SegReFree)",
        equation="section 4.1.1",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        fault = self.check_amount()
        if fault is not None:
            raise self.error(f"Removal: {fault}")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Remove boundaries; `Degradation.apply` says how."""
        there = segmentation.n_boundaries
        asked = self.amount(there)
        done = min(asked, there)
        if not done:
            return Degraded(segmentation, asked, 0, {"no boundary left": asked} if asked else {})
        kept = np.ones(there, dtype=bool)
        kept[rng.choice(there, size=done, replace=False, shuffle=False)] = False
        skipped = {"no boundary left": asked - done} if asked > done else {}
        return Degraded(made(segmentation, segmentation.positions[kept]), asked, done, skipped)
