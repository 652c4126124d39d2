# SPDX-License-Identifier: Apache-2.0
"""The base of segmenters that minimise the sum of the costs of their segments."""

from __future__ import annotations

import dataclasses

from caesura.declare import param
from caesura.scorers import Features
from caesura.segmenters._search.dynamic import Band, Programme, longest, solve
from caesura.segmenters.base import Cut, SizedSegmenter

__all__ = ["Optimiser"]


@dataclasses.dataclass(frozen=True)
class Optimiser(SizedSegmenter):
    """A segmenter whose boundaries have the least sum of costs, found by dynamic programming.

    Its scores are the order in which gaps enter along growing numbers of segments (`Programme.entry_scores`).
    """

    max_length: int | None = param(None, "units of the longest segment; None for no limit", minimum=1)

    def costs(self, features: Features, band: Band) -> None:
        """Fill the band with the cost of every segment; every segmenter has its own."""
        raise NotImplementedError  # pragma: no cover - every segmenter has its own

    def decide(self, features: Features, band: Band, programme: Programme) -> list[int]:
        """Return the boundaries where no number of segments was requested."""
        raise NotImplementedError  # pragma: no cover - every segmenter has its own

    def banded(self, features: Features) -> Band:
        """Return the costs of all segments."""
        band = Band(features.n_units, longest(features.n_units, self.max_length, self.name()))
        self.costs(features, band)
        return band

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        band = self.banded(features)
        wanted = self.wanted(features)
        programme = solve(band, wanted)
        found = self.decide(features, band, programme) if wanted is None else programme.boundaries(wanted)
        if len(found) >= len(programme.totals):
            programme = solve(band, len(found) + 1)
        return Cut.at(features, found, programme.entry_scores())
