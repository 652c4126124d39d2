# SPDX-License-Identifier: Apache-2.0
"""Boundaries inside the segments of a reference, compared with the same boundaries elsewhere inside them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from caesura.batches.flat import Ints
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._layout import Flags
from caesura.metrics.cohesion._rotations import Likeness, placed

__all__ = ["Inside", "Reading"]

_CELLS = 1 << 18  # segments looked at together
_SAME = 1e-12  # differences below this share of the whole are rounding


class Inside(NamedTuple):
    """How boundaries are placed inside the segments of a reference.

    ``z`` is 0 by chance. ``supported`` says of each boundary whether its own gain exceeds the median of its rotations, and ``chance`` is
    the share of the rotations that do: about a half, less of short segments.
    """

    z: float
    supported: Flags
    chance: Floats


@dataclasses.dataclass(frozen=True, eq=False)
class Reading:
    """What is read of one document, made once: likenesses of its segments, and by how many gaps boundaries are moved on."""

    n_units: int
    several: Sequence[Likeness]
    by: Ints

    def inside(self, reference: Ints, extra: Ints) -> Inside:
        """Place extra boundaries, each inside its segment of the reference.

        The extra boundaries of a segment are moved on over the gaps of this segment, round its end, those of all segments by the same
        number of gaps at once. T is the sum of the likenesses of all segments, and z the T of the boundaries as they are less the
        mean, in standard deviations; of several likenesses the z are added. The gain of a boundary is T less T without it.
        """
        if not len(extra) or not len(self.by):
            return Inside(0.0, np.zeros(len(extra), dtype=bool), np.zeros(len(extra)))
        parts = [self._moved(likeness, reference, extra) for likeness in self.several]
        z, gains, least = 0.0, np.zeros((len(self.by), len(extra))), 0.0
        for likeness, (totals, each) in zip(self.several, parts, strict=True):
            tie, spread = _SAME * likeness.whole, float(totals.std())
            z += placed(totals, likeness.whole).z
            if len(parts) == 1:
                gains, least = each, tie
            elif spread > tie:  # likenesses of different kinds are added in standard deviations
                gains, least = gains + each / spread, max(least, tie / spread)
        above = gains > np.median(gains, axis=0) + least
        return Inside(z, above[0], above.mean(axis=0))

    def _moved(self, likeness: Likeness, reference: Ints, extra: Ints) -> tuple[Floats, Floats]:
        """Return T, and the gain of each extra boundary, one row for each number of gaps."""
        edges = np.concatenate(([0], reference, [self.n_units]))
        place = np.searchsorted(edges, extra)
        first, free = edges[place - 1] + 1, np.diff(edges)[place - 1] - 1
        step = max(1, _CELLS // (len(edges) + len(extra)))
        totals, gains = np.empty(len(self.by)), np.empty((len(self.by), len(extra)))
        for begin in range(0, len(self.by), step):
            some = slice(begin, begin + step)
            moved = first + (extra - first + self.by[some, None]) % free
            rows = np.concatenate([np.broadcast_to(edges, (len(moved), len(edges))), moved], axis=1)
            order = np.argsort(rows, axis=1, kind="stable")
            rows = np.take_along_axis(rows, order, axis=1)
            values = likeness.values(rows)
            totals[some] = values.sum(axis=1)
            # The segment on each side of an edge, less both together: pairs of segments from even and from odd edges.
            gain = values[:, :-1] + values[:, 1:]
            for odd in (0, 1):
                joined = likeness.values(_every_other(rows, odd))
                gain[:, odd::2] -= joined[:, odd : odd + gain[:, odd::2].shape[1]]
            at = np.argsort(order, axis=1, kind="stable")[:, len(edges) :] - 1
            gains[some] = np.take_along_axis(gain, at, axis=1)
        return totals, gains


def _every_other(rows: Ints, odd: int) -> Ints:
    """Return every other edge, with the first and the last.

    >>> _every_other(np.array([[0, 2, 3, 6]]), 0).tolist(), _every_other(np.array([[0, 2, 3, 6]]), 1).tolist()
    ([[0, 3, 6]], [[0, 2, 6]])
    """
    last = rows.shape[1] - 1
    places = sorted({0, last, *range(odd, last + 1, 2)})
    return rows[:, places]
