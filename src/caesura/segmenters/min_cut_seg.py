# SPDX-License-Identifier: Apache-2.0
"""MinCutSeg: the least normalised cut of the graph of similar units."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from caesura.declare import Card, param
from caesura.scorers import Features, Floats, Ints
from caesura.scorers.features.similarity import (
    ALL_PAIRS,
    cosine_matrix,
    cosine_rows,
    inverse_frequencies,
    neighbour_weights,
)
from caesura.scorers.features.terms import STOP_WORDS_HELP
from caesura.segmenters._search import Band, Optimiser, Programme, solve
from caesura.segmenters.base import SEGMENTERS

__all__ = ["MinCutSeg"]


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
    parts: int = param(
        15, "equal parts of the document among which terms are rare or frequent; 1 weighs all terms alike", minimum=1
    )
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
        for rows in self._weights(features, [np.arange(features.n_units)]):
            _fill(band, rows)

    def _weights(self, features: Features, orders: Iterable[Ints]) -> Iterator[Iterable[Floats]]:
        """Yield the weights of the edges between every two units in each order, a row for each unit."""
        terms = features.terms(self.stop_words, self.stem)
        if self.parts > 1:
            terms = terms.weighted(inverse_frequencies(terms, self.parts))
        spread = neighbour_weights(self.decay, self.horizon)
        if features.n_units > ALL_PAIRS:
            for order in orders:
                yield map(self._within_reach, cosine_rows(terms, spread, order), itertools.repeat(order), order)
            return
        places = np.arange(features.n_units)
        weights = self._within_reach(cosine_matrix(terms, spread), places, places[:, None])
        yield from (weights[np.ix_(order, order)] for order in orders)

    def _within_reach(self, cosines: Floats, units: Ints, unit: Ints | int) -> Floats:
        """Return the weights of edges to some units, 0 beyond the reach."""
        weights = np.exp(cosines)
        if self.reach is not None:
            weights[np.abs(units - unit) > self.reach] = 0.0
        return weights

    def decide(self, features: Features, band: Band, programme: Programme) -> list[int]:
        """Return the fewest segments that gain nearly as much over units in random order as any number does."""
        totals = np.zeros(len(programme.totals))
        rng = np.random.default_rng(0)
        orders = (rng.permutation(features.n_units) for _ in range(_ORDERS))
        for rows in self._weights(features, orders):
            shuffled = Band(band.n_units, band.length)
            _fill(shuffled, rows)
            totals += solve(shuffled, len(totals)).totals / _ORDERS
        possible = np.isfinite(programme.totals)
        gain = np.where(possible, totals - np.where(possible, programme.totals, 0.0), -np.inf)
        first = int(np.flatnonzero(possible)[0])
        if gain.max() <= 1e-9:
            return programme.boundaries(first + 1)
        return programme.boundaries(int(np.flatnonzero(gain >= self.share * gain.max())[0]) + 1)


_ORDERS = 3  # random orders whose costs are averaged


def _fill(band: Band, rows: Iterable[Floats]) -> None:
    """Fill a band with normalised cuts, from the weights of the edges of each unit."""
    volume, inside = np.zeros((2, band.n_units + 1))
    for end, weights in enumerate(rows, start=1):
        volume[end] = volume[end - 1] + weights.sum()
        # The edges of the new unit to the units from each start on, in both directions, and to itself.
        row = weights[:end]
        inside[:end] += 2 * np.cumsum(row[::-1])[::-1] - row[-1]
        starts = band.starts(end)
        band.fill(end, 1 - inside[starts] / (volume[end] - volume[starts]))
