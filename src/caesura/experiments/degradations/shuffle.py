# SPDX-License-Identifier: Apache-2.0
"""The same segment lengths in another order."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.declare import Card
from caesura.experiments.degradations._base import DEGRADATIONS, Degradation, Degraded, rebuilt
from caesura.segmentation import Segmentation

__all__ = ["Shuffle"]


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Shuffle(Degradation):
    """Put the segment lengths in a random order: density and lengths stay, all information on placement is lost.

    Every order is equally likely, including the original one. Stricter than `RandomPlacement`: one-unit segments stay
    one-unit segments, so a metric that merely prefers short or even segments gains nothing. For many draws of a whole corpus at once
    see `caesura.segmenters.random.ShuffledLengths`.

    Examples
    --------
    >>> result = Shuffle().apply(Segmentation.from_masses([1, 2, 6]), np.random.default_rng(3))
    >>> sorted(result.segmentation.masses)
    [1, 2, 6]
    """

    card: ClassVar[Card] = Card(title="the same segment lengths in a random order")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Shuffle the segments; see `Degradation.apply`."""
        there = segmentation.n_segments
        if there == 1:
            return Degraded(segmentation, 0, 0)
        masses = np.diff(np.concatenate(([0], segmentation.positions, [segmentation.n_units])))
        rng.shuffle(masses)
        return Degraded(rebuilt(segmentation, np.cumsum(masses)[:-1]), there, there)
