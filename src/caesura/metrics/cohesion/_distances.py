# SPDX-License-Identifier: Apache-2.0
"""Summed distances of units to segments: from sums where the distance allows it, otherwise block by block."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from caesura.batches.embedded import Vectors
from caesura.batches.flat import Ints
from caesura.metrics.base import Floats

NEARLY = 1e-6
"""Below this share of the squared lengths, a squared distance is recomputed from differences."""

Summed = Callable[[slice, slice], Floats]
"""Maps rows of units and a range of segments to the summed distance of each unit to each segment."""


def prepared(vectors: Vectors, distance: str) -> Floats:
    """Return vectors as float64; under ``cosine`` as unit vectors, zero vectors unchanged."""
    whole = vectors.astype(np.float64)
    if distance == "cosine":
        lengths = np.sqrt(np.einsum("ij,ij->i", whole, whole))
        whole /= np.where(lengths == 0, 1.0, lengths)[:, None]
    elif distance == "sqeuclidean":
        whole -= whole.mean(axis=0)
    return whole


def summed(whole: Floats, bounds: Ints, distance: str) -> Summed:
    """Return a function that sums distances to the segments of a document."""
    if distance in ("cosine", "sqeuclidean"):
        return _by_sums(whole, bounds, cosine=distance == "cosine")

    def by_distances(rows: slice, some: slice) -> Floats:
        columns = slice(int(bounds[some.start]), int(bounds[some.stop]))
        found = distances(whole, rows, columns, distance)
        return np.asarray(np.add.reduceat(found, bounds[some.start : some.stop] - columns.start, axis=1))

    return by_distances


def distances(whole: Floats, rows: slice, columns: slice, distance: str) -> Floats:
    """Return the distances between units of a document that went through `prepared`; 0 to itself."""
    if distance == "l1":
        from scipy.spatial.distance import cdist  # type: ignore[import-untyped]

        return np.asarray(cdist(whole[rows], whole[columns], "cityblock"))
    squares = np.einsum("ij,ij->i", whole, whole)
    found = _squared(whole, squares, rows, columns)
    if distance == "l2":
        return np.sqrt(found, out=found)
    if distance == "cosine":
        found /= 2
        for place, zero in ((0, squares[rows] == 0), (1, squares[columns] == 0)):
            if zero.any():
                found[(zero, slice(None)) if place == 0 else (slice(None), zero)] = 1.0
        same = np.arange(max(rows.start, columns.start), min(rows.stop, columns.stop))
        found[same - rows.start, same - columns.start] = 0.0
    return found


def _by_sums(whole: Floats, bounds: Ints, *, cosine: bool) -> Summed:
    """Return summed squared distances (halved: cosine distances of unit vectors) from the sums of each segment."""
    squares = np.einsum("ij,ij->i", whole, whole)
    sizes = np.diff(bounds).astype(np.float64)
    sums = np.add.reduceat(whole, bounds[:-1], axis=0)
    totals = np.add.reduceat(squares, bounds[:-1])
    segment = np.repeat(np.arange(len(sizes)), np.diff(bounds))
    # A zero vector has cosine 0 with every other, so it is one apart from all of them but not from itself.
    zero = np.flatnonzero(squares == 0) if cosine else np.empty(0, dtype=np.int64)
    zeros = np.bincount(segment[zero], minlength=len(sizes)) if cosine else 0 * sizes

    def by_sums(rows: slice, some: slice) -> Floats:
        products = whole[rows] @ sums[some].T
        scale = squares[rows, None] * sizes[some] + totals[some]
        found = scale - 2 * products
        for row, place in np.argwhere(found <= NEARLY * scale):
            begin, end = bounds[some.start + place], bounds[some.start + place + 1]
            moved = whole[begin:end] - whole[rows.start + row]
            found[row, place] = np.einsum("ij,ij->", moved, moved)
        if cosine:
            found /= 2
            if len(zero):
                found += zeros[some] / 2
                lone = zero[(zero >= rows.start) & (zero < rows.stop)]
                found[lone - rows.start] = sizes[some]
                inside = (segment[lone] >= some.start) & (segment[lone] < some.stop)
                found[lone[inside] - rows.start, segment[lone[inside]] - some.start] -= 1.0
        return np.asarray(found)

    return by_sums


def _squared(whole: Floats, squares: Floats, rows: slice, columns: slice) -> Floats:
    """Return squared Euclidean distances by one matrix product, those of close pairs from differences."""
    found = whole[rows] @ whole[columns].T
    found *= -2
    sums = squares[rows, None] + squares[columns]
    found += sums
    near = np.nonzero(found <= NEARLY * sums)
    for begin in range(0, len(near[0]), 1024):
        first, second = near[0][begin : begin + 1024], near[1][begin : begin + 1024]
        moved = whole[first + rows.start] - whole[second + columns.start]
        found[first, second] = np.einsum("ij,ij->i", moved, moved)
    return np.asarray(found)
