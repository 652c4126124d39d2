# SPDX-License-Identifier: Apache-2.0
"""MinCutSeg: the least normalised cut of the graph of similar units."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from caesura.declare import Card, param
from caesura.scorers import Features
from caesura.scorers.features.similarity import cosine_matrix, inverse_frequencies, neighbour_weights
from caesura.scorers.features.words import STOP_WORDS_HELP
from caesura.segmenters._search.dynamic import Band, Programme, solve
from caesura.segmenters._search.optimiser import Optimiser
from caesura.segmenters.base import SEGMENTERS

__all__ = ["MinCutSeg"]

Floats = npt.NDArray[np.float64]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class MinCutSeg(Optimiser):
    """Cut the graph of units where the least similarity is lost, relative to the similarity of each part.

    Definition
    ----------
    The counts of a unit take up those of its neighbours up to ``horizon`` units away, weighted by exp(-decay · distance),
    and are weighted by the inverse frequency of a term among ``parts`` equal parts of the document. Two units at most
    ``reach`` apart are joined by an edge of weight exp(cosine). The cost of a segment is the weight of the edges that
    leave it over the weight of all its edges. The sum is minimised by dynamic programming. Without a given number of
    segments, the least cost with each number is compared with that of the same units in random order: the fewest
    segments are taken that reach ``share`` of the greatest difference.
    """

    horizon: int = param(5, "how far a unit takes up the terms of others", minimum=0)
    decay: float = param(1.1, "how fast their weight falls with the distance", minimum=0)
    parts: int = param(15, "equal parts of the document among which terms are rare or frequent", minimum=1)
    reach: int | None = param(None, "largest distance of two units with an edge; None for any", minimum=1)
    share: float = param(
        0.8, "without a given number of segments, the share of the best gain to reach", minimum=0, maximum=1
    )
    stop_words: str = param("english", STOP_WORDS_HELP)
    stem: bool = param(True, "whether to reduce English words to stems")

    card = Card(
        title="least normalised cut of lexical similarity",
        citation="Malioutov and Barzilay 2006, Minimum cut model for spoken lecture segmentation, ACL",
    )

    def costs(self, features: Features, band: Band) -> None:
        """Fill the band with the normalised cut of every segment."""
        _fill(band, self._weights(features))

    def _weights(self, features: Features) -> Floats:
        """Return the weight of the edge between every two units."""
        terms = features.terms(self.stop_words, self.stem)
        weighted = terms.weighted(inverse_frequencies(terms, self.parts))
        weights = np.exp(cosine_matrix(weighted, self.name(), neighbour_weights(self.decay, self.horizon)))
        if self.reach is not None:
            places = np.arange(len(weights))
            weights[np.abs(np.subtract.outer(places, places)) > self.reach] = 0.0
        return weights

    def decide(self, features: Features, band: Band, programme: Programme) -> list[int]:
        """Return the fewest segments that gain nearly as much over units in random order as any number does."""
        weights = self._weights(features)
        totals = np.zeros(len(programme.totals))
        rng = np.random.default_rng(0)
        for _ in range(_ORDERS):
            order = rng.permutation(features.n_units)
            shuffled = Band(band.n_units, band.length)
            _fill(shuffled, weights[np.ix_(order, order)])
            totals += solve(shuffled, len(totals)).totals / _ORDERS
        possible = np.isfinite(programme.totals)
        gain = np.where(possible, totals - np.where(possible, programme.totals, 0.0), -np.inf)
        first = int(np.flatnonzero(possible)[0])
        if gain.max() <= 1e-9:
            return programme.boundaries(first + 1)
        return programme.boundaries(int(np.flatnonzero(gain >= self.share * gain.max())[0]) + 1)


_ORDERS = 3  # random orders whose costs are averaged


def _fill(band: Band, weights: Floats) -> None:
    """Fill a band with normalised cuts."""
    volume = np.concatenate(([0.0], np.cumsum(weights.sum(axis=1))))
    inside = np.zeros(band.n_units + 1)
    for end in range(1, band.n_units + 1):
        # The edges of the new unit to the units from each start on, in both directions, and to itself.
        row = weights[end - 1, :end]
        inside[:end] += 2 * np.cumsum(row[::-1])[::-1] - row[-1]
        starts = band.starts(end)
        band.fill(end, 1 - inside[starts] / (volume[end] - volume[starts]))
