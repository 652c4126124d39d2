# SPDX-License-Identifier: Apache-2.0
"""BayesSeg: segments whose words are most likely drawn from one distribution each."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from caesura.declare import Card, param
from caesura.scorers import Features, Floats
from caesura.scorers.features import Terms
from caesura.scorers.features.terms import STOP_WORDS_HELP
from caesura.segmenters._search import Band, Optimiser, Programme, penalised
from caesura.segmenters.base import SEGMENTERS, Cut

__all__ = ["BayesSeg"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class BayesSeg(Optimiser):
    r"""Cut so that the words of each segment are most likely under a distribution of its own.

    Definition
    ----------
    The words of a segment are drawn from a multinomial with a symmetric Dirichlet prior, which is integrated out. With
    counts x of V terms and N words in all,

    .. math::  \ln p = \ln\Gamma(V\theta) - \ln\Gamma(N + V\theta) + \sum_v [\ln\Gamma(x_v + \theta) - \ln\Gamma(\theta)]

    The sum over segments is maximised by dynamic programming. Without a given number of segments each costs ``penalty``
    · ln N more, with the N of the document. With ``em=True`` the prior θ is estimated in turn with the boundaries.

    Edge cases
    ----------
    A document without words has no boundary.
    """

    theta: float = param(0.2, "the prior of each term, or where em starts", positive=True)
    em: bool = param(False, "whether to estimate theta from the document")
    penalty: float = param(1.0, "cost of a segment without a given number of them, times ln N", minimum=0)
    stop_words: str = param("english", STOP_WORDS_HELP)
    stem: bool = param(True, "whether to reduce English words to stems")

    card = Card(
        title="most likely words within segments",
        citation="Eisenstein and Barzilay 2008, Bayesian unsupervised topic segmentation, EMNLP",
        equation="Eq. 4 (Dirichlet compound multinomial)",
    )

    def costs(self, features: Features, band: Band) -> None:
        """Fill the band with the negative log likelihood of every segment."""
        terms = features.terms(self.stop_words, self.stem)
        before = np.concatenate(([0], np.cumsum(np.bincount(terms.unit, terms.count, minlength=terms.n_units))))
        words = before.astype(np.int64)
        prior = len(terms.vocabulary) * self.theta
        lengths = _log_gammas(int(words[-1]), prior) if prior else np.zeros(1)
        for end in range(1, band.n_units + 1):
            band.fill(end, lengths[words[end] - words[band.starts(end)]])
        likelihood = _log_gammas(int(terms.totals.max(initial=0)), self.theta)
        _subtract_terms(terms, likelihood, band)

    def decide(self, features: Features, band: Band, programme: Programme) -> list[int]:
        """Return the boundaries with the greatest likelihood less the penalties."""
        words = features.terms(self.stop_words, self.stem).totals.sum()
        return penalised(band, self.penalty * math.log(max(words, 1.0)) + 1e-9)

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        if not self.em:
            return super().cut(features)
        theta = self.theta
        for _ in range(_ROUNDS):
            fixed = dataclasses.replace(self, theta=theta, em=False)
            cut = super(BayesSeg, fixed).cut(features)
            better = _best_prior(features.terms(self.stop_words, self.stem), cut.segmentation.boundaries)
            if abs(math.log(better / theta)) < _NEAR:
                break
            theta = better
        return cut


_ROUNDS = 10  # of EM at most; it mostly stops after three or four
_NEAR = 0.02  # change of ln theta below which EM stops
_CELLS = 1 << 24  # counts that are kept at a time


def _log_gammas(most: int, offset: float) -> Floats:
    """Return ln Γ(j + offset) - ln Γ(offset) for j = 0 .. most."""
    first = math.lgamma(offset)
    return np.array([math.lgamma(j + offset) - first for j in range(most + 1)])


def _subtract_terms(terms: Terms, likelihood: Floats, band: Band) -> None:
    """Subtract from every segment the sum of ``likelihood`` at the counts of its terms."""
    n, width = band.n_units, max(1, _CELLS // (band.n_units + 1))
    for first in range(0, len(terms.vocabulary), width):
        chosen = (terms.term >= first) & (terms.term < first + width)
        unit, term, count = terms.unit[chosen], terms.term[chosen] - first, terms.count[chosen]
        seen = np.zeros((n + 1, min(width, len(terms.vocabulary) - first)), dtype=np.int32)
        seen[unit + 1, term] = count
        np.cumsum(seen, axis=0, out=seen)
        bounds = np.searchsorted(unit, np.arange(n + 1))
        # From one end to the next only the terms of one unit change their counts.
        running = np.zeros(n + 1)
        for end in range(1, n + 1):
            starts = band.starts(end)
            there = term[bounds[end - 1] : bounds[end]]
            if len(there):
                earlier = seen[starts][:, there]
                gained = likelihood[seen[end, there] - earlier] - likelihood[seen[end - 1, there] - earlier]
                running[starts] += gained.sum(axis=1)
            band.costs[end - 1, band.length - (end - starts.start) :] -= running[starts]


def _best_prior(terms: Terms, boundaries: tuple[int, ...]) -> float:
    """Return the theta under which some segments are most likely, by a search over its logarithm."""
    segment = np.searchsorted(np.array(boundaries, dtype=np.int64), terms.unit, side="right")
    size = max(len(terms.vocabulary), 1)
    counts = np.bincount(segment * size + terms.term, terms.count).astype(np.int64)
    words = np.bincount(segment, terms.count).astype(np.int64)
    how_often = np.bincount(counts[counts > 0])

    def loss(log_theta: float) -> float:
        theta = math.exp(log_theta)
        table = _log_gammas(len(how_often), theta)[: len(how_often)]
        lengths = [math.lgamma(n + size * theta) - math.lgamma(size * theta) for n in words.tolist()]
        return sum(lengths) - float(how_often @ table)

    low, high = math.log(1e-3), math.log(1e3)
    ratio = (math.sqrt(5) - 1) / 2
    while high - low > _NEAR / 4:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if loss(left) <= loss(right):
            high = right
        else:
            low = left
    return math.exp((low + high) / 2)
