# SPDX-License-Identifier: Apache-2.0
"""Boundary matching as the released code of the granularity paper runs it, for reproducing its printed tables.

It differs from the paper in three ways: a boundary of the hypothesis credits only the first boundary of the reference that it
meets; "first" means the iteration order of a Python set of ints, which is not ascending; and one-to-one pairs are taken
greedily, nearest first, which need not find the most pairs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.metrics.base import Floats

__all__ = ["count_as_run"]


def count_as_run(pairs: Pairs, tolerance: int, *, one_to_one: bool) -> Floats:
    """Return the boundaries of reference and hypothesis, and how many of each are found."""
    counts = np.empty((len(pairs), 4))
    references, hypotheses = pairs.reference, pairs.hypothesis
    for row in range(len(pairs)):
        reference, hypothesis = (
            side.pos[side.ptr[row] : side.ptr[row + 1]].tolist() for side in (references, hypotheses)
        )
        find = _greedy if one_to_one else _credited
        counts[row] = len(reference), len(hypothesis), *find(reference, hypothesis, tolerance)
    return counts


def _credited(reference: list[int], hypothesis: list[int], tolerance: int) -> tuple[int, int]:
    """Return how many boundaries of the reference are the first that one meets, and how many meet one."""
    ranks = {boundary: rank for rank, boundary in enumerate(set(reference))}
    met = [near for at in hypothesis if (near := _near(reference, at, tolerance))]
    return len({min(near, key=ranks.__getitem__) for near in met}), len(met)


def _greedy(reference: list[int], hypothesis: list[int], tolerance: int) -> tuple[int, int]:
    """Return the number of pairs taken nearest first; of equal ones in the order of the two sets; twice."""
    order = {boundary: rank for rank, boundary in enumerate(set(hypothesis))}
    near = [
        (abs(one - other), rank, order[other], one, other)
        for rank, one in enumerate(set(reference))
        for other in _near(hypothesis, one, tolerance)
    ]
    taken: tuple[set[int], set[int]] = (set(), set())
    for *_, one, other in sorted(near):
        if one not in taken[0] and other not in taken[1]:
            taken[0].add(one)
            taken[1].add(other)
    return len(taken[0]), len(taken[1])


def _near(boundaries: list[int], at: int, tolerance: int) -> list[int]:
    return boundaries[bisect_left(boundaries, at - tolerance) : bisect_right(boundaries, at + tolerance)]
