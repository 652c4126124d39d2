# SPDX-License-Identifier: Apache-2.0
"""C99: divide where the ranks of similarities inside segments gain most."""

from __future__ import annotations

import dataclasses
import itertools
import warnings

import numpy as np

from caesura.declare import Card, param
from caesura.errors import CaesuraWarning
from caesura.scorers import Features, Floats, Ints
from caesura.scorers.features.similarity import ALL_PAIRS, cosine_matrix, cosine_rows
from caesura.scorers.features.terms import STOP_WORDS_HELP
from caesura.segmenters._search import best, division_scores
from caesura.segmenters.base import SEGMENTERS, Cut, SizedSegmenter

__all__ = ["C99", "divided", "ranked"]


_SMOOTH = np.array([1, 2, 4, 8, 4, 2, 1], dtype=np.float64)


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class C99(SizedSegmenter):
    """Divide where units are more alike within the parts than across them, by ranks of their similarity.

    Definition
    ----------
    Every similarity (the cosine of the term counts of two units) is replaced by its rank: the share of its neighbours
    within a mask of ``mask`` × ``mask`` cells, as far as they lie in the matrix, that are lower. Similarities that agree to
    12 digits are equal. Boundaries are inserted one by one, each where the inside density, the sum of ranks within segments
    over their area, becomes greatest. Without a given number of segments, division stops where the gain of density,
    smoothed, falls below its mean + ``cutoff`` · sd. The scores are the order of the divisions. A document of more than
    5,000 units is divided in windows of 4,000 that overlap by half, and each gap is taken from the window whose middle is
    nearest.

    Edge cases
    ----------
    If every two units are equally alike (no words, no shared words, or the same words), there is no boundary.
    """

    mask: int = param(11, "side of the mask of ranks; 1 uses the similarities themselves", minimum=1)
    cutoff: float = param(1.2, "standard deviations above the mean gain at which division stops")
    stop_words: str = param("english", STOP_WORDS_HELP)
    stem: bool = param(True, "whether to reduce English words to stems")

    card = Card(
        title="division by ranks of lexical similarity",
        citation="Choi 2000, Advances in domain independent linear text segmentation, NAACL",
    )

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        n, wanted = features.n_units, self.wanted(features)
        terms = features.terms(self.stop_words, self.stem)
        if n <= ALL_PAIRS:
            number, order = self._divide(cosine_matrix(terms))
            return Cut.at(features, order[: (wanted or number) - 1].tolist(), division_scores(order, n))
        message = f"C99: {n} units; windows of {_WINDOW} units are divided, and the middle of each is taken"
        warnings.warn(CaesuraWarning(message), stacklevel=2)
        scores, found = np.zeros(n - 1), np.zeros(n - 1, dtype=bool)
        for first, low, high in _windows(n):
            part = terms.part(first, first + _WINDOW)
            number, order = self._divide(np.array(list(cosine_rows(part))))
            middle = slice(low - first, high - first)
            scores[low:high] = division_scores(order, _WINDOW)[middle]
            found[low:high] = np.isin(np.arange(1, _WINDOW), order[: number - 1])[middle]
        boundaries = np.flatnonzero(found) + 1 if wanted is None else best(scores, wanted)
        return Cut.at(features, map(int, boundaries), scores)

    def _divide(self, similarity: Floats) -> tuple[int, Ints]:
        """Return the number of segments at which division stops, and the gaps in the order of division."""
        others = similarity[~np.eye(len(similarity), dtype=bool)]
        # Where every two different units are equally alike, ranks mean nothing.
        level = not len(others) or float(np.ptp(others)) < 1e-12
        if self.mask > 1:
            similarity = ranked(similarity, self.mask)
        order, density = divided(similarity)
        return 1 if level else self._stop(density), order

    def _stop(self, density: Floats) -> int:
        """Return the number of segments at which the gain of density is no longer remarkable."""
        gain = np.diff(density)
        if not len(gain) or np.ptp(gain) < 1e-12:
            return 1
        size = np.convolve(np.ones(len(gain)), _SMOOTH, mode="full")[3:-3]
        smooth = np.convolve(gain, _SMOOTH, mode="full")[3:-3] / size
        remarkable = np.flatnonzero(smooth > smooth.mean() + self.cutoff * smooth.std())
        return int(remarkable[-1]) + 2 if len(remarkable) else 1


_WINDOW = 4000  # units of a window of a long document


def _windows(n: int) -> list[tuple[int, int, int]]:
    """Return the first unit of each window, and the places of the gaps that are taken from it: those nearest its middle.

    Ints are counted from 0, so that the gap after the first unit has place 0.
    """
    starts = [*range(0, n - _WINDOW, _WINDOW // 2), n - _WINDOW]
    edges = [0, *((a + b + _WINDOW) // 2 for a, b in itertools.pairwise(starts)), n - 1]
    return [(start, low, high) for start, (low, high) in zip(starts, itertools.pairwise(edges), strict=True)]


def ranked(matrix: Floats, mask: int) -> Floats:
    """Return the share of lower values among the neighbours of each cell within a square mask, the cell left out.

    Values are compared after rounding to 12 digits, since equal cosines may differ by rounding.

    >>> ranked(np.array([[1.0, 0.2], [0.2, 1.0]]), 3).round(3).tolist()
    [[0.667, 0.0], [0.0, 0.667]]
    """
    matrix, n, reach = matrix.round(12), len(matrix), mask // 2
    lower = np.zeros((n, n), dtype=np.min_scalar_type(mask * mask))
    near = np.minimum(np.arange(n) + reach, n - 1) - np.maximum(np.arange(n) - reach, 0) + 1
    for down in range(-reach, reach + 1):
        for right in range(-reach, reach + 1):
            rows, columns = _overlap(n, down), _overlap(n, right)
            here, there = (rows[0], columns[0]), (rows[1], columns[1])
            lower[here] += matrix[there] < matrix[here]
    return np.asarray(lower / np.maximum(np.outer(near, near) - 1, 1), dtype=np.float64)


def _overlap(n: int, shift: int) -> tuple[slice, slice]:
    """Return the places that have a neighbour at a distance, and these neighbours."""
    low, high = max(0, -shift), max(0, min(n, n - shift))
    return slice(low, max(low, high)), slice(low + shift, max(low, high) + shift)


def divided(ranks: Floats) -> tuple[Ints, Floats]:
    """Return the gaps in the order of division, and the inside density with 1, 2, … segments."""
    n = len(ranks)
    sums = np.zeros((n + 1, n + 1))
    sums[1:, 1:] = ranks.cumsum(axis=0).cumsum(axis=1)
    lows, highs = np.zeros(n - 1, dtype=np.int64), np.full(n - 1, n)
    inside, area = float(sums[n, n]), float(n * n)
    gaps = np.arange(1, n)
    across, taken = np.zeros((2, n - 1))
    order, density = np.zeros(n - 1, dtype=np.int64), [inside / area]
    low, gap, high = 0, 0, n
    for step in range(n - 1):
        # What a division at each gap takes away, where the last division has changed it: two blocks, equal by symmetry.
        for a, b in ((low, gap), (gap, high)):
            new = gaps[a : b - 1] if b > a else gaps[:0]
            across[new - 1] = sums[new, b] - sums[new, new] - sums[a, b] + sums[a, new]
            taken[new - 1] = 2.0 * (new - a) * (b - new)
        ratio = (inside - 2 * across) / np.maximum(area - taken, 1)
        ratio[order[:step] - 1] = -np.inf
        chosen = int(ratio.argmax())
        gap = chosen + 1
        low, high = int(lows[chosen]), int(highs[chosen])
        inside -= 2 * float(across[chosen])
        area -= float(taken[chosen])
        highs[low : gap - 1] = gap
        lows[gap : high - 1] = gap
        order[step] = gap
        density.append(inside / area)
    return order, np.array(density)
