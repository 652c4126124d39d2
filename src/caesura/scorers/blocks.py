# SPDX-License-Identifier: Apache-2.0
"""Similarity of the blocks before and after each gap, of term counts or of vectors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.encoders.base import Vectors
from caesura.scorers.features import Terms

__all__ = ["block_cosines", "term_cosines"]

Floats = npt.NDArray[np.float64]


def term_cosines(terms: Terms, window: int) -> Floats:
    """Return the cosine of the term counts of up to ``window`` units before and after each gap; 0 without terms."""
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
    return _cosines(products)


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
        # A sum points where the mean does, so it need not be divided.
        return _cosines(
            _products(
                middle - sums[np.maximum(gaps - window, 0)], sums[np.minimum(gaps + window, n)] - middle
            )
        )
    left = np.array([wide[max(0, gap - window) : gap].max(axis=0) for gap in gaps]).reshape(
        n - 1, wide.shape[1]
    )
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
