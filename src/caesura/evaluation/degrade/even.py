# SPDX-License-Identifier: Apache-2.0
"""As many boundaries at equal distances."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.batches.flat import Flat
from caesura.declare import Card
from caesura.evaluation.degrade._base import DEGRADATIONS, Degradation, Degraded, rebuilt
from caesura.placements.streams import Streams
from caesura.segmentation import Segmentation

__all__ = ["Even"]


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Even(Degradation):
    """Place as many boundaries at equal distances: the density stays, and lengths are as even as can be.

    With k boundaries in n units, the i-th lies after floor(i n / (k + 1)) units. A metric that merely prefers even lengths
    prefers this to any reference.

    Examples
    --------
    >>> Even().apply(Segmentation(10, (1, 2)), np.random.default_rng(1)).segmentation.masses
    (3, 3, 4)
    """

    random = False
    card: ClassVar[Card] = Card(title="the same number of boundaries at equal distances")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Place the boundaries evenly; see `Degradation.apply`."""
        there = segmentation.n_boundaries
        if not there:
            return Degraded(segmentation, 0, 0)
        gaps = np.arange(1, there + 1) * segmentation.n_units // (there + 1)
        return Degraded(rebuilt(segmentation, gaps), there, there)

    is_at_once = True

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        there = np.diff(flat.ptr)
        places = np.arange(1, len(flat.pos) + 1) - np.repeat(flat.ptr[:-1], there)
        gaps = places * np.repeat(flat.n_units, there) // np.repeat(there + 1, there)
        return Flat._known(flat.n_units, flat.ptr, gaps)
