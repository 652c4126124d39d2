# SPDX-License-Identifier: Apache-2.0
"""Dispersions of spans of units from running sums: one pass over the vectors, then O(d) for each span.

Used without a compiler, and whenever many segmentations share one document.
"""

from __future__ import annotations

import numpy as np

from caesura.batches.embedded import Vectors
from caesura.batches.flat import Ints
from caesura.kernels import scatter as scatter_kernel
from caesura.metrics.base import Floats, ratio

DISPERSIONS = ("std", "cos", "pair")
NEARLY = 1e-6
"""Below this share of what was subtracted, a dispersion is recomputed from differences: six digits are lost."""

_ROWS = 512  # spans looked at together


class Prefix:
    """Running sums of vectors, of their unit vectors, and of their squared lengths."""

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        whole = vectors.astype(np.float64)
        squares = np.einsum("ij,ij->i", whole, whole)
        lengths = np.sqrt(squares)
        # A zero vector has no direction; its cosine with anything is 0, as scikit-learn has it.
        self.proper = running((lengths > 0).astype(np.float64))
        self.lengths = running(lengths)
        self.units = running(whole / np.where(lengths == 0, 1.0, lengths)[:, None])
        # Differences of running sums lose fewer digits around the mean.
        self.shift = whole.mean(axis=0)
        whole -= self.shift
        self.squares = running(np.einsum("ij,ij->i", whole, whole))
        self.sums = running(whole)

    def dispersions(self, lo: Ints, hi: Ints) -> Floats:
        """Return the three dispersions of each span, one row each; NaN for a span of fewer than two units.

        ``std``: root of the summed variances. ``cos``: mean cosine distance to the mean. ``pair``: mean cosine distance
        of two different units.
        """
        out = np.full((len(lo), 3), np.nan)
        proper = np.flatnonzero(hi - lo >= 2)
        for begin in range(0, len(proper), _ROWS):
            rows = proper[begin : begin + _ROWS]
            out[rows] = self._dispersions(lo[rows], hi[rows])
        return out

    def _dispersions(self, lo: Ints, hi: Ints) -> Floats:
        out = np.empty((len(lo), 3))
        if scatter_kernel.COMPILED:
            sums = (self.sums, self.units, self.squares, self.proper, self.lengths, self.shift)
            scatter_kernel.measure_windows(*sums, lo, hi, out, NEARLY)
        else:
            self._vectorised(lo, hi, out)
        for row in np.flatnonzero(out[:, 0] == -1.0):
            out[row] = dispersions_of(self.vectors[lo[row] : hi[row]])
        return out

    def _vectorised(self, lo: Ints, hi: Ints, out: Floats) -> None:
        """Do what the compiled loop does; -1 in the first column where too few digits are left."""
        size = (hi - lo).astype(np.float64)
        total = self.sums[hi] - self.sums[lo]
        square = self.squares[hi] - self.squares[lo]
        units = self.units[hi] - self.units[lo]
        variance = square / size - _dot(total, total) / size**2
        mean = total + size[:, None] * self.shift
        length = np.sqrt(_dot(mean, mean))
        out[:, 1] = 1.0 - ratio(_dot(mean, units), size * length, empty=0.0)
        out[:, 2] = 1.0 - (_dot(units, units) - (self.proper[hi] - self.proper[lo])) / (size * (size - 1.0))
        doubtful = variance <= NEARLY * square / size
        doubtful |= (out[:, 1:] <= NEARLY).any(axis=1)
        doubtful |= length <= NEARLY * (self.lengths[hi] - self.lengths[lo])
        out[:, 0] = np.where(doubtful, -1.0, np.sqrt(np.maximum(variance, 0.0)))


def dispersions_of(vectors: Vectors) -> tuple[float, float, float]:
    """Return the three dispersions of a few vectors from differences to the first, exactly 0 where all are equal."""
    whole = vectors.astype(np.float64)
    size = len(whole)
    lengths = np.sqrt(np.einsum("ij,ij->i", whole, whole))
    units = whole / np.where(lengths == 0, 1.0, lengths)[:, None]
    middle = whole[0] + (whole - whole[0]).mean(axis=0)
    length = float(np.sqrt(middle @ middle))
    # What is left of vectors that cancel out is rounding, and no direction.
    aim = middle / length if length > 1e-15 * float(lengths.max()) else np.zeros_like(middle)
    std = max(_scatter(whole) / size, 0.0) ** 0.5
    if not (lengths.all() and aim.any()):
        total = units.sum(axis=0)
        pairs = (float(total @ total) - np.count_nonzero(lengths)) / (size * (size - 1))
        return std, 1.0 - float(aim @ total) / size, 1.0 - pairs
    moved = units - aim
    same = bool((units == units[0]).all())
    cos = 0.0 if same else float(np.einsum("ij,ij->", moved, moved)) / (2 * size)
    return std, cos, max(_scatter(units) / (size - 1), 0.0)


def _scatter(vectors: Floats) -> float:
    """Return the summed squared distance to the mean; exactly 0 where all vectors are equal."""
    moved = vectors - vectors[0]
    total = moved.sum(axis=0)
    return float(np.einsum("ij,ij->", moved, moved)) - float(total @ total) / len(vectors)


def running(values: Floats) -> Floats:
    """Return the sum of the values before each place, and of all."""
    out = np.zeros((len(values) + 1, *values.shape[1:]))
    if values.ndim == 1:
        np.cumsum(values, out=out[1:])
        return out
    # Row by row: np.cumsum down the columns of a matrix takes ten times as long.
    for row, value in enumerate(values):
        np.add(out[row], value, out=out[row + 1])
    return out


def _dot(first: Floats, second: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", first, second))
