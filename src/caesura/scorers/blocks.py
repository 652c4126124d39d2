# SPDX-License-Identifier: Apache-2.0
"""Similarity of the blocks before and after each gap, of term counts or of vectors, and its depth below the peaks on both sides."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.encoders.base import Vectors
from caesura.scorers.features import Floats, Ints, Terms

__all__ = ["Related", "below_valleys", "block_cosines", "block_sums", "depths", "smoothed", "term_cosines"]


@dataclasses.dataclass(frozen=True)
class Related:
    """Pairs of terms that count as partly equal, each listed once."""

    ones: Ints  # [P]: one term of each pair
    others: Ints  # [P]: the other
    shares: Floats  # [P]: how far they are equal, 0 to 1


def block_sums(rows: Floats | Vectors, window: int | Ints) -> tuple[Floats, Floats]:
    """Return the sums of up to ``window`` rows before and after each gap; a window may be given for each gap."""
    gaps = np.arange(1, len(rows))
    sums = np.zeros((len(rows) + 1, rows.shape[1]))
    np.cumsum(rows, axis=0, dtype=np.float64, out=sums[1:])
    middle = sums[gaps]
    return middle - sums[np.maximum(gaps - window, 0)], sums[np.minimum(gaps + window, len(rows))] - middle


def term_cosines(terms: Terms, window: int | Ints, related: Related | None = None) -> Floats:
    """Return the cosine of the term counts of up to ``window`` units before and after each gap; 0 without terms.

    With related terms it is the soft cosine: the product of two counts also has the products of related terms.
    """
    products = np.zeros((3, terms.n_units - 1))
    for slab in terms.slabs():
        products += _products(*block_sums(slab, window))
    if related is not None:
        products += _related_products(terms, related, window)
    return _cosines(products)


def _related_products(terms: Terms, related: Related, window: int | Ints) -> Floats:
    """Return the contribution of related terms to the products of the blocks around each gap."""
    used, places = np.unique(np.concatenate((related.ones, related.others)), return_inverse=True)
    column = np.full(len(terms.vocabulary), -1)
    column[used] = np.arange(len(used))
    kept = column[terms.term] >= 0
    rows = np.zeros((terms.n_units, len(used)))
    rows[terms.unit[kept], column[terms.term[kept]]] = terms.count[kept]
    left, right = block_sums(rows, window)
    ones, others = places[: len(related.ones)], places[len(related.ones) :]
    pairs = ((left, right), (left, left), (right, right))
    return np.stack([(a[:, ones] * b[:, others] + a[:, others] * b[:, ones]) @ related.shares for a, b in pairs])


def block_cosines(vectors: Vectors, window: int, pooling: str) -> Floats:
    """Return the cosine of the pooled vectors of up to ``window`` units before and after each gap."""
    n = len(vectors)
    wide = vectors.astype(np.float64)
    if window == 1:
        return _cosines(_products(wide[:-1], wide[1:]))
    if pooling == "mean":
        # A sum has the direction of the mean, so no division is needed.
        return _cosines(_products(*block_sums(wide, window)))
    gaps = range(1, n)
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
