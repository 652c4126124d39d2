# SPDX-License-Identifier: Apache-2.0
"""APS: segments around exemplars, by affinity propagation or exactly."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np

from caesura.declare import Card, param
from caesura.errors import SegmentationError
from caesura.kernels import programme as kernel
from caesura.scorers import Features, Floats, Ints
from caesura.scorers.features.similarity import (
    ALL_PAIRS,
    cosine_matrix,
    cosine_rows,
    inverse_frequencies,
    neighbour_weights,
)
from caesura.scorers.features.terms import STOP_WORDS_HELP
from caesura.segmenters._search import Band, Optimiser, Programme, penalised
from caesura.segmenters.base import SEGMENTERS

__all__ = ["APS", "propagated"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class APS(Optimiser):
    """Cut so that the units of each segment are similar to one of them, its exemplar.

    Definition
    ----------
    The value of a segment is the sum of the similarities of its units to the exemplar, the best one, plus ``preference``.
    The similarity is the cosine of term counts, weighted by the inverse frequency among ``parts`` equal parts of the
    document and spread over neighbours up to ``horizon`` units away. ``preference`` rules the number of segments: the
    lower, the fewer. With ``solver='exact'`` the sum of the values is maximised by dynamic programming, in a time
    that grows with the cube of the length. ``'messages'`` is affinity propagation as published: it finds the same
    optimum or comes near it, and takes no number of segments.
    """

    preference: float = param(-0.3, "what each segment adds to the sum")
    solver: str = param("exact", "how the best segments are found", choices=("exact", "messages"))
    damping: float = param(0.9, "share of the old messages in the new ones", minimum=0, maximum=0.99)
    rounds: int = param(1000, "rounds of messages at most", minimum=1)
    parts: int = param(1, "parts of the document among which terms are rare; 1 weighs all terms alike", minimum=1)
    horizon: int = param(0, "how far a unit takes up the terms of others", minimum=0)
    decay: float = param(1.45, "how fast their weight falls with the distance", minimum=0)
    stop_words: str = param("english", STOP_WORDS_HELP)
    stem: bool = param(True, "whether to reduce English words to stems")

    card = Card(
        title="similarity to an exemplar within segments",
        citation="Kazantseva and Szpakowicz 2011, Linear text segmentation using affinity propagation, EMNLP",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.solver == "messages" and (self.n_segments != "auto" or self.per_100 is not None):
            raise self.error("APS: solver='messages' takes no number of segments; use solver='exact', or preference")

    def similarities(self, features: Features) -> Iterable[Floats]:
        """Return the similarities of each unit to all units: a matrix, or of a long document its rows one by one."""
        terms = features.terms(self.stop_words, self.stem)
        if self.parts > 1:
            terms = terms.weighted(inverse_frequencies(terms, self.parts))
        weights = neighbour_weights(self.decay, self.horizon)
        return (cosine_matrix if features.n_units <= ALL_PAIRS else cosine_rows)(terms, weights)

    def costs(self, features: Features, band: Band) -> None:
        """Fill the band with the negative value of every segment."""
        n, length = band.n_units, band.length
        # The sum of the similarities to unit c of the units before i, in cell (i, c - i + length); from where c is reached on.
        sums = np.zeros((n + 1, 2 * length))
        for unit, row in enumerate(self.similarities(features)):
            sums[unit + 1, :-1] = sums[unit, 1:]
            first, last = max(0, unit + 1 - length), min(n, unit + 1 + length)
            begin = first - unit - 1 + length
            row[unit] = self.preference
            sums[unit + 1, begin : begin + last - first] += row[first:last]
        if kernel.COMPILED:
            kernel.exemplar_costs(sums, band.costs)
            return
        for end in range(1, n + 1):
            starts = band.starts(end)
            values = [
                sums[end, length - end + start : length] - sums[start, length : length + end - start]
                for start in range(starts.start, end)
            ]
            band.fill(end, np.array([-float(each.max()) for each in values]))

    def decide(self, features: Features, band: Band, programme: Programme) -> list[int]:
        """Return the boundaries with the greatest value."""
        if self.solver == "exact":
            return penalised(band, 0.0)
        if features.n_units > ALL_PAIRS:
            raise SegmentationError(
                f"document {features.document.id!r} has {features.n_units} units; APS takes at most {ALL_PAIRS} with solver='messages', "
                "which passes them between all pairs; use solver='exact'"
            )
        similarity = np.asarray(self.similarities(features))
        np.fill_diagonal(similarity, self.preference)
        exemplars = propagated(similarity, self.damping, self.rounds)
        found: list[int] = (np.flatnonzero(np.diff(exemplars)) + 1).tolist()
        if band.length < band.n_units:
            return found
        # Messages do not settle where exemplars tie, as among equal units; the whole document may then be better.
        parts = sum(band.cost(a, b) for a, b in itertools.pairwise((0, *found, band.n_units)))
        return found if parts < band.cost(0, band.n_units) else []


def propagated(similarity: Floats, damping: float, rounds: int) -> Ints:
    """Return the exemplar of each unit by max-sum messages in which a segment is an interval around its exemplar."""
    n = len(similarity)
    responsibility, availability = np.zeros((n, n)), np.zeros((n, n))
    rows = np.arange(n)
    exemplars, stable = np.zeros(n, dtype=np.int64), 0
    for _ in range(rounds):
        total = similarity + availability
        best = total.argmax(axis=1)
        first = total[rows, best]
        total[rows, best] = -np.inf
        others = np.repeat(first[:, None], n, axis=1)
        others[rows, best] = total.max(axis=1) if n > 1 else 0.0
        responsibility = damping * responsibility + (1 - damping) * (similarity - others)
        availability = damping * availability + (1 - damping) * _availabilities(responsibility)
        found = (similarity + availability).argmax(axis=1)
        stable = stable + 1 if np.array_equal(found, exemplars) else 0
        exemplars = found
        if stable >= _STABLE:
            break
    return exemplars


_STABLE = 100  # rounds without a change after which messages have converged


def _availabilities(responsibility: Floats) -> Floats:
    """Return what an exemplar gains from each unit, over the best interval without it."""
    before = _from_before(responsibility)
    after = _from_before(responsibility[::-1, ::-1])[::-1, ::-1]
    found = np.triu(before, 1) + np.tril(after, -1)
    sums = np.cumsum(responsibility, axis=0)
    own = np.diag(sums)
    left = np.diag(_reach_back(sums))
    right = np.diag(_reach_on(sums)) - own
    np.fill_diagonal(found, left + right)
    return found


def _reach_back(sums: Floats) -> Floats:
    """Return the best sum of units directly before each unit, at least 0."""
    earlier = np.vstack([np.zeros(sums.shape[1]), sums[:-1]])
    return np.asarray(earlier - np.minimum.accumulate(earlier, axis=0), dtype=np.float64)


def _reach_on(sums: Floats) -> Floats:
    """Return the greatest cumulative sum from each unit on."""
    return np.asarray(np.maximum.accumulate(sums[::-1], axis=0)[::-1], dtype=np.float64)


def _from_before(responsibility: Floats) -> Floats:
    """Return the availabilities of exemplars to the units before them (above the diagonal)."""
    n = len(responsibility)
    sums = np.cumsum(responsibility, axis=0)
    own = np.diag(sums)
    right = np.diag(_reach_on(sums)) - own
    with_unit = _reach_back(sums) + (own - sums) + right
    ahead = np.where(np.tri(n, k=0, dtype=bool), np.inf, sums)
    least = np.minimum.accumulate(ahead[::-1], axis=0)[::-1]
    without = own - least + right
    return np.asarray(with_unit - np.maximum(without, 0.0), dtype=np.float64)
