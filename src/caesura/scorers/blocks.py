# SPDX-License-Identifier: Apache-2.0
"""Similarity of the blocks before and after each gap, of term counts or of vectors, and its depth below the peaks on both sides."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.encoders.base import Vectors
from caesura.scorers.features import Floats, Ints, Terms

__all__ = ["Related", "below_valleys", "block_cosines", "depths", "smoothed", "term_cosines"]


@dataclasses.dataclass(frozen=True)
class Related:
    """Pairs of terms that count as partly equal, each listed once."""

    ones: Ints  # [P]: one term of each pair
    others: Ints  # [P]: the other
    shares: Floats  # [P]: how far they are equal, 0 to 1


def term_cosines(terms: Terms, window: int, related: Related | None = None) -> Floats:
    """Return the cosine of the term counts of up to ``window`` units before and after each gap; 0 without terms.

    With related terms it is the soft cosine: the product of two counts also has the products of related terms.
    """
    n = terms.n_units
    gaps = np.arange(1, n)
    before, after = np.maximum(gaps - window, 0), np.minimum(gaps + window, n)
    products = np.zeros((3, n - 1))
    for slab in terms.slabs():
        sums = np.zeros((n + 1, slab.shape[1]))
        np.cumsum(slab, axis=0, out=sums[1:])
        middle = sums[gaps]
        left, right = middle - sums[before], sums[after] - middle
        products += _products(left, right)
    if related is not None:
        products += _related_products(terms, related, before, gaps, after)
    return _cosines(products)


def _related_products(terms: Terms, related: Related, before: Ints, gaps: Ints, after: Ints) -> Floats:
    """Return the contribution of related terms to the products of the blocks around each gap."""
    used, places = np.unique(np.concatenate((related.ones, related.others)), return_inverse=True)
    column = np.full(len(terms.vocabulary), -1)
    column[used] = np.arange(len(used))
    kept = column[terms.term] >= 0
    sums = np.zeros((terms.n_units + 1, len(used)))
    sums[terms.unit[kept] + 1, column[terms.term[kept]]] = terms.count[kept]
    np.cumsum(sums, axis=0, out=sums)
    left, right = sums[gaps] - sums[before], sums[after] - sums[gaps]
    ones, others = places[: len(related.ones)], places[len(related.ones) :]
    pairs = ((left, right), (left, left), (right, right))
    return np.stack([(a[:, ones] * b[:, others] + a[:, others] * b[:, ones]) @ related.shares for a, b in pairs])


def block_cosines(vectors: Vectors, window: int, pooling: str) -> Floats:
    """Return the cosine of the pooled vectors of up to ``window`` units before and after each gap."""
    n = len(vectors)
    wide = vectors.astype(np.float64)
    if window == 1:
        return _cosines(_products(wide[:-1], wide[1:]))
    gaps = np.arange(1, n)
    if pooling == "mean":
        sums = np.zeros((n + 1, wide.shape[1]))
        np.cumsum(wide, axis=0, out=sums[1:])
        middle = sums[gaps]
        # A sum has the direction of the mean, so no division is needed.
        return _cosines(
            _products(middle - sums[np.maximum(gaps - window, 0)], sums[np.minimum(gaps + window, n)] - middle)
        )
    left = np.array([wide[max(0, gap - window) : gap].max(axis=0) for gap in gaps]).reshape(n - 1, wide.shape[1])
    right = np.array([wide[gap : gap + window].max(axis=0) for gap in gaps]).reshape(n - 1, wide.shape[1])
    return _cosines(_products(left, right))


def _products(left: Floats, right: Floats) -> Floats:
    """Return the products left·right, left·left and right·right of each gap."""
    pairs = ((left, right), (left, left), (right, right))
    return np.stack([np.einsum("ij,ij->i", one, other) for one, other in pairs])


def _cosines(products: Floats) -> Floats:
    lengths = np.sqrt(products[1] * products[2])
    cosines: Floats = np.divide(products[0], lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return cosines


def depths(similarities: Floats) -> Floats:
    """Return (left peak - s) + (right peak - s) at each gap; a peak is reached by walking while s does not fall.

    >>> depths(np.array([0.5, 0.9, 0.2, 0.6, 0.6, 0.7, 0.1])).round(3).tolist()
    [0.4, 0.0, 1.2, 0.1, 0.1, 0.0, 0.6]
    """
    peaks = _left_peaks(similarities) + _left_peaks(similarities[::-1])[::-1]
    return np.asarray(peaks - 2 * similarities, dtype=np.float64)


def _left_peaks(similarities: Floats) -> Floats:
    """Return the value that a walk to the left reaches from each gap while the similarity does not fall."""
    if not len(similarities):
        return similarities
    stops = np.ones(len(similarities), dtype=bool)
    stops[1:] = similarities[:-1] < similarities[1:]
    reached: Floats = similarities[np.maximum.accumulate(np.where(stops, np.arange(len(stops)), 0))]
    return reached


def below_valleys(similarities: Floats, depth: Floats, most: float = 2.0) -> Floats:
    """Return the depths with all gaps that are not valleys ranked below all valleys, lowered by ``most``.

    The last gap of a flat valley counts.

    >>> below_valleys(np.array([0.5, 0.9, 0.2, 0.2, 0.6]), np.array([0.4, 0.0, 1.1, 1.1, 0.0])).round(1).tolist()
    [0.4, -2.0, -0.9, 1.1, -2.0]
    """
    valley = np.ones(len(similarities), dtype=bool)
    valley[1:] &= similarities[:-1] >= similarities[1:]
    valley[:-1] &= similarities[:-1] < similarities[1:]
    return np.where(valley & (depth > 0), depth, depth - most)


def smoothed(similarities: Floats, rounds: int) -> Floats:
    """Return the means of each gap and its neighbours, in several rounds.

    >>> smoothed(np.array([0.0, 3.0, 0.0, 0.0]), 1).tolist()
    [1.5, 1.0, 1.0, 0.0]
    """
    for _ in range(rounds):
        padded = np.concatenate(([0.0], similarities, [0.0]))
        there = np.concatenate(([0.0], np.ones(len(similarities)), [0.0]))
        sums, sizes = (row[:-2] + row[1:-1] + row[2:] for row in (padded, there))
        similarities = sums / sizes
    return similarities
