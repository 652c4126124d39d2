# SPDX-License-Identifier: Apache-2.0
"""How alike the vectors of a segment are: what the segment explains of the scatter of its document."""

from __future__ import annotations

import functools

import numpy as np

from caesura.batches.embedded import Vectors
from caesura.batches.flat import Ints
from caesura.kernels import placements
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._prefix import running

__all__ = ["VectorLikeness", "block_sums", "centred", "rotated_sums"]

_TABLE = 128  # units up to which all segments are valued at once
_SHARED = 2048  # the same where many segmentations share a document
_ROWS = 512  # segments valued together otherwise


class VectorLikeness:
    """The likeness of the vectors of one document, centred.

    A segment of l units with sum s and summed squares q has (|s|^2 - q) / (l - 1): l times the mean product of two different
    units. With ``distinct=False`` it has |s|^2 / l, where units are also paired with themselves.
    """

    def __init__(self, vectors: Vectors, *, distinct: bool, shared: bool = False) -> None:
        self._distinct = distinct
        self._table: Floats | None = None
        # Less the first one, so that equal vectors are exactly 0 and little is lost to a common part.
        units = np.subtract(vectors, vectors[0], dtype=np.float64)
        if len(units) > (_SHARED if shared else _TABLE):
            units, _ = centred(vectors)
            squares = np.einsum("ij,ij->i", units, units)
            self._sums, self._squares = running(units), running(squares)
            self.whole = float(squares.sum())
            return
        table = block_sums(units @ units.T, centred=True)
        squares = table.diagonal(1)
        self.whole = float(squares.sum())
        if distinct:
            before = running(squares)
            table += before[:, None]
            table -= before
        table *= _divisors(len(units), distinct)
        self._table = table

    def values(self, edges: Ints) -> Floats:
        """Return the likeness of each segment."""
        lo, hi = edges[:, :-1], edges[:, 1:]
        if self._table is not None:
            return self._table.take(lo * len(self._table) + hi)
        width = int(edges[0, -1]) + 1
        keys, back = np.unique(lo * width + hi, return_inverse=True)
        return self._spans(keys // width, keys % width)[back].reshape(lo.shape)

    def totals(self, boundaries: Ints, by: Ints) -> Floats | None:
        """Return the sum over all segments after each shift, where the compiled loop can do it."""
        return rotated_sums(self._table, boundaries, by)

    def usual(self, length: int) -> float:
        """Return the mean over all stretches of so many units."""
        if self._table is not None:
            return float(np.diagonal(self._table, length).mean())
        lo = np.arange(len(self._squares) - length)
        return float(self._spans(lo, lo + length).mean())

    def _spans(self, lo: Ints, hi: Ints) -> Floats:
        out = np.empty(len(lo))
        for begin in range(0, len(lo), _ROWS):
            some = slice(begin, begin + _ROWS)
            moved = self._sums[hi[some]]
            moved -= self._sums[lo[some]]
            out[some] = np.einsum("ij,ij->i", moved, moved)
        if not self._distinct:
            return out / (hi - lo)
        out -= self._squares[hi] - self._squares[lo]
        return np.where(hi - lo == 1, 0.0, out / np.maximum(hi - lo - 1, 1))


def centred(vectors: Vectors) -> tuple[Floats, Floats]:
    """Return vectors less their mean, and the mean; equal vectors are exactly 0."""
    units = np.subtract(vectors, vectors[0], dtype=np.float64)
    mean = units.mean(axis=0)
    units -= mean
    return units, vectors[0] + mean


def rotated_sums(table: Floats | None, boundaries: Ints, by: Ints) -> Floats | None:
    """Return the sum over all segments after each shift, from the value of each; None without table or compiler."""
    if table is None or not placements.COMPILED:
        return None
    out = np.empty(len(by))
    placements.sum_rotations(table, boundaries, by, out)
    return out


def block_sums(matrix: Floats, *, centred: bool = False) -> Floats:
    """Return the sum of each square block along the diagonal of a symmetric matrix.

    At (i, j) stands the sum of the rows and columns i to j - 1; ``centred``, of the matrix less the means of its rows and
    columns, as products of centred vectors are.

    >>> block_sums(np.array([[1.0, 2], [2, 4]])).tolist()
    [[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]]
    """
    size = len(matrix)
    if size <= _TABLE:
        adding = _adding(size, centred)
        out = adding @ matrix @ adding.T
    else:
        if centred:
            means = matrix.mean(axis=0)
            matrix = matrix - means - (means - means.mean())[:, None]
        out = np.zeros((size + 1, size + 1))
        np.cumsum(matrix, axis=0, out=out[1:, 1:])
        np.cumsum(out, axis=1, out=out)
    ends = out.diagonal().copy()
    out *= -2.0
    out += ends
    out += ends[:, None]
    return out


@functools.lru_cache(maxsize=8)
def _adding(size: int, centred: bool) -> Floats:
    """Return the matrix that adds up rows: a product with it is quicker than running sums of short documents."""
    ones = np.tri(size + 1, size, -1)
    return ones - ones.mean(axis=1, keepdims=True) if centred else ones


@functools.lru_cache(maxsize=8)
def _divisors(n_units: int, distinct: bool) -> Floats:
    """Return 1 / (l - 1), or 1 / l, for each pair of edges; 0 where there is no pair of units."""
    edge = np.arange(n_units + 1)
    below = (edge - edge[:, None] - int(distinct)).astype(np.float64)
    return np.divide(1.0, below, out=np.zeros_like(below), where=below > 0)
