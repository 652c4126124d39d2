# SPDX-License-Identifier: Apache-2.0
"""Which segments of reference and hypothesis overlap, and by how much.

Both sides tile the document, so that m and n segments overlap in at most m + n - 1 places, which follow one another in both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints
from caesura.batches.pairs import Pairs
from caesura.metrics.base import Floats

__all__ = ["Overlaps", "check_thresholds", "n_segments", "overlaps", "thresholds"]

Flags = npt.NDArray[np.bool_]


class Overlaps(NamedTuple):
    """Every place where a segment of each side overlap, in order; segments are numbered over all documents."""

    document: Ints
    reference: Ints
    hypothesis: Ints
    shared: Ints  # units
    reference_length: Ints
    hypothesis_length: Ints
    union: Ints

    @property
    def tiou(self) -> Floats:
        """Intersection over union."""
        return np.asarray(self.shared / self.union)

    def above(self, threshold: float) -> Flags:
        """Say which overlaps are larger than a threshold; equal segments always are."""
        tiou = self.tiou
        return np.asarray((tiou > threshold) | (tiou == 1))

    def one_to_one(self, order: Ints) -> Ints:
        """Return those of some overlaps, given by place, that are taken if each takes its segments from the ones behind it.

        In the order of the document this is a largest matching: of an overlap that is the first, one segment is in no other.
        """
        free = [np.ones(int(side.max(initial=-1)) + 1, dtype=bool).tolist() for side in self[1:3]]
        taken = []
        for place, ref, hyp in zip(
            order.tolist(), self.reference[order].tolist(), self.hypothesis[order].tolist(), strict=True
        ):
            if free[0][ref] and free[1][hyp]:
                free[0][ref] = free[1][hyp] = False
                taken.append(place)
        return np.array(taken, dtype=np.int64)


def overlaps(pairs: Pairs) -> Overlaps:
    """Return the overlaps of all documents.

    >>> from caesura.segmentation import Segmentation
    >>> found = overlaps(Pairs.of(Segmentation(10, (4,)), Segmentation(10, (6,))))
    >>> found.shared.tolist(), found.union.tolist()
    ([4, 2, 4], [6, 10, 6])
    """
    return pairs.remember("overlaps", lambda: _overlaps(pairs))


def _overlaps(pairs: Pairs) -> Overlaps:
    # Documents one after the other on one line.
    starts = np.cumsum(pairs.n_units) - pairs.n_units
    sides = [_ends(side) + np.repeat(starts, np.diff(side.ptr) + 1) for side in (pairs.reference, pairs.hypothesis)]
    ends = np.sort(np.concatenate(sides), kind="stable")
    ends = ends[np.diff(ends, prepend=0) > 0]
    lengths = [side.masses() for side in (pairs.reference, pairs.hypothesis)]
    ref, hyp = (np.searchsorted(side, ends) for side in sides)
    shared = np.diff(ends, prepend=0)
    ref_length, hyp_length = lengths[0][ref], lengths[1][hyp]
    document = np.searchsorted(starts + pairs.n_units, ends)
    return Overlaps(document, ref, hyp, shared, ref_length, hyp_length, ref_length + hyp_length - shared)


def n_segments(side: Flat) -> Floats:
    """Return the number of segments of each document."""
    return np.asarray(np.diff(side.ptr) + 1, dtype=np.float64)


def _ends(side: Flat) -> Ints:
    return np.insert(side.pos, side.ptr[1:], side.n_units)


def thresholds(given: float | str) -> tuple[float, ...]:
    """Return thresholds of tIoU: one, or several between commas.

    >>> thresholds(0.5), thresholds("0.3, 0.5")
    ((0.5,), (0.3, 0.5))
    """
    return tuple(map(float, given.split(","))) if isinstance(given, str) else (float(given),)


def check_thresholds(given: object) -> str | None:
    """Return what is wrong with thresholds, or None."""
    try:
        fine = isinstance(given, (int, float, str)) and all(0 <= each <= 1 for each in thresholds(given))
    except ValueError:
        fine = False
    return None if fine else "must be a number from 0 to 1, or several between commas ('0.3,0.5')"
