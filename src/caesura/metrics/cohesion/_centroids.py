# SPDX-License-Identifier: Apache-2.0
"""Distances of units to the centroid of their segment, and between neighbouring centroids."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from caesura.batches.embedded import Vectors
from caesura.batches.flat import Ints
from caesura.metrics.base import Floats

CENTROID_COLUMNS = ("spread", "gap", "inertia")
DISTANCES = ("l2", "l1", "cosine")
SAME = 1e-12
"""Two centroids closer than this share of their length are equal: means of equal vectors differ by rounding only."""

_CELLS = 1 << 20  # distances held at once


def centroid_table(vectors: Vectors, lo: Ints, hi: Ints, distance: str) -> Floats:
    """Return for consecutive spans: mean distance to the centroid, distance to the next centroid, inertia.

    Inertia is the sum of squared Euclidean distances to the centroid. The last span has no next one (NaN). Under
    ``cosine`` the first two are NaN where a vector or a centroid has no direction.
    """
    out = np.full((len(lo), 3), np.nan)
    if not len(lo):
        return out
    first = int(lo[0])
    whole = vectors[first : int(hi[-1])].astype(np.float64)
    sizes = hi - lo
    centroids = np.add.reduceat(whole, lo - first, axis=0) / sizes[:, None]
    lengths = np.sqrt(np.einsum("ij,ij->i", centroids, centroids))
    moved = whole - np.repeat(centroids, sizes, axis=0)
    squares = np.einsum("ij,ij->i", moved, moved)
    inertia = np.add.reduceat(squares, lo - first)
    out[:, 2] = np.where(np.sqrt(inertia / sizes) <= SAME * lengths, 0.0, inertia)
    if distance == "cosine":
        units, middle = directions(whole), directions(centroids)
        moved = units - np.repeat(middle, sizes, axis=0)
        each = np.einsum("ij,ij->i", moved, moved) / 2
        steps = np.diff(middle, axis=0)
        gaps = np.einsum("ij,ij->i", steps, steps) / 2
        smallest, limits = SAME**2, np.full(len(gaps), SAME**2)
    else:
        steps = np.diff(centroids, axis=0)
        if distance == "l1":
            each, gaps = np.abs(moved).sum(axis=1), np.abs(steps).sum(axis=1)
        else:
            each, gaps = np.sqrt(squares), np.sqrt(np.einsum("ij,ij->i", steps, steps))
        smallest, limits = SAME * lengths, SAME * np.maximum(lengths[:-1], lengths[1:])
    spread = np.add.reduceat(each, lo - first) / sizes
    out[:, 0] = np.where(spread <= smallest, 0.0, spread)
    out[:-1, 1] = np.where(gaps <= limits, 0.0, gaps)
    single = sizes == 1
    out[single, 2] = 0.0
    out[single & ~np.isnan(out[:, 0]), 0] = 0.0
    return out


def directions(vectors: Floats) -> Floats:
    """Return unit vectors; NaN for a zero vector, which has no direction."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    out = np.full(vectors.shape, np.nan)
    np.divide(vectors, lengths, out=out, where=lengths > 0)
    return out


def all_gaps(vectors: Vectors, lo: Ints, hi: Ints, distance: str) -> Iterator[tuple[slice, Floats]]:
    """Yield rows of the distances of every two centroids, for consecutive spans, block by block."""
    from scipy.spatial.distance import cdist  # type: ignore[import-untyped]

    whole = vectors[int(lo[0]) : int(hi[-1])].astype(np.float64)
    middle = np.add.reduceat(whole, lo - lo[0], axis=0) / (hi - lo)[:, None]
    lengths = np.sqrt(np.einsum("ij,ij->i", middle, middle))
    kind = {"l2": "euclidean", "l1": "cityblock", "cosine": "sqeuclidean"}[distance]
    if distance == "cosine":
        middle = directions(middle)
    step = max(1, _CELLS // len(middle))
    for begin in range(0, len(middle), step):
        rows = slice(begin, min(begin + step, len(middle)))
        gaps = cdist(middle[rows], middle, kind)
        if distance == "cosine":
            gaps /= 2
            limit: Floats | float = SAME**2
        else:
            limit = SAME * np.maximum(lengths[rows, None], lengths[None, :])
        yield rows, np.where(gaps <= limit, 0.0, gaps)
