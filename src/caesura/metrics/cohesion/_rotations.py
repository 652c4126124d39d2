# SPDX-License-Identifier: Apache-2.0
"""The same boundaries elsewhere in the document: all moved on by as many gaps, round its end."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np

from caesura.batches.flat import Ints
from caesura.metrics.base import Floats

__all__ = ["NOWHERE", "Likeness", "Placed", "placed", "shifts", "standardized", "totals"]

_GOLDEN = (1 + 5**0.5) / 2
_CELLS = 1 << 18  # segments looked at together
_SAME = 1e-12  # spreads and differences below this share of the whole are rounding


class Likeness(Protocol):
    """How alike the units of segments are."""

    whole: float
    """What totals are measured by: differences far below it are rounding. 0 if there is nothing to compare."""

    def values(self, edges: Ints) -> Floats:
        """Return the likeness of each segment; a row of ``edges`` begins with 0, rises, and ends with the units."""
        raise NotImplementedError

    def totals(self, boundaries: Ints, by: Ints) -> Floats | None:
        """Return the sum over all segments after each shift; None if it has to be made from `values`."""
        raise NotImplementedError

    def usual(self, length: int) -> float:
        """Return the mean over all stretches of so many units."""
        raise NotImplementedError


class Placed(NamedTuple):
    """How the boundaries of a document are placed."""

    z: float
    share: float  # of the rotations that score less, ties half
    total: float  # of the boundaries as they are
    expected: float  # mean over the rotations


NOWHERE = (0.0, 0.5)
"""z and share of boundaries that are not placed at all."""


def shifts(n_units: int, rotations: int) -> Ints:
    """Return by how many gaps to rotate, 0 first: by every number, or by so many spread by the golden ratio.

    >>> shifts(5, 1000).tolist(), shifts(1000, 4).tolist()
    ([0, 1, 2, 3], [0, 235, 617, 853])
    """
    gaps = n_units - 1
    if gaps <= rotations:
        return np.arange(gaps)
    return np.unique(np.floor(np.arange(rotations) * _GOLDEN % 1.0 * gaps).astype(np.int64))


def _rotated(n_units: int, boundaries: Ints, by: Ints) -> Ints:
    """Return the edges of the segments after each shift, one row each.

    >>> _rotated(6, np.array([2, 3]), np.array([0, 3])).tolist()
    [[0, 2, 3, 6], [0, 1, 5, 6]]
    """
    edges = np.empty((len(by), len(boundaries) + 2), dtype=np.int64)
    edges[:, 0], edges[:, -1] = 0, n_units
    inner = edges[:, 1:-1]
    inner[:] = (boundaries - 1 + by[:, None]) % (n_units - 1) + 1
    inner.sort(axis=1)
    return edges


def totals(likeness: Likeness, n_units: int, boundaries: Ints, by: Ints) -> Floats:
    """Return the summed likeness of the segments after each shift."""
    sums = likeness.totals(boundaries, by)
    if sums is not None:
        return sums
    step = max(1, _CELLS // (len(boundaries) + 1))
    parts = [
        likeness.values(_rotated(n_units, boundaries, by[begin : begin + step])).sum(axis=1)
        for begin in range(0, len(by), step)
    ]
    return np.concatenate(parts)


def standardized(values: Floats, whole: float) -> Floats:
    """Return values less their mean, in standard deviations; 0 where all are equal."""
    away = values - float(np.add.reduce(values)) / len(values)
    spread = math.sqrt(float(away @ away) / len(away))
    return away / spread if spread > _SAME * whole else np.zeros(len(values))


def placed(values: Floats, whole: float) -> Placed:
    """Place the first value among all; it is nowhere if all are equal, or if there is nothing to compare."""
    z, share = NOWHERE
    own, number = float(values[0]), len(values)
    mean = float(np.add.reduce(values)) / number
    away = values - own
    if whole:
        z = float(standardized(values, whole)[0])
        tie = _SAME * whole
        share = float(np.count_nonzero(away < -tie) + np.count_nonzero(away <= tie)) / (2 * number)
    return Placed(z, share, own, mean)
