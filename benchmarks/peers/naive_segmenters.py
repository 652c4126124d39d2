# SPDX-License-Identifier: Apache-2.0
"""The formulas of global segmenters as they are written: the cost of a segment from its units, every cost on its own.

Each function here returns the cost of the segment from unit ``a`` up to unit ``b``. The tests take them as the definition, and
the benchmark times them with a plain dynamic programme beside the segmenters.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["dirichlet", "divisions", "exemplar", "inside_density", "least_cost", "normalised_cut", "ranks", "scatter", "spans"]  # fmt: skip

Floats = npt.NDArray[np.float64]
Cost = Callable[[int, int], float]


def spans(n: int, cuts: Sequence[int]) -> list[tuple[int, int]]:
    """Return the segments of a segmentation."""
    return list(itertools.pairwise((0, *cuts, n)))


def scatter(vectors: Floats) -> Cost:
    """Return the squared distances of the vectors of a segment to their mean."""

    def cost(a: int, b: int) -> float:
        part = vectors[a:b]
        return float(((part - part.mean(axis=0)) ** 2).sum())

    return cost


def dirichlet(lists: Sequence[Sequence[str]], theta: float) -> Cost:
    """Return the negative log likelihood of the terms of a segment."""
    size = len({term for terms in lists for term in terms})

    def cost(a: int, b: int) -> float:
        counts = Counter(term for terms in lists[a:b] for term in terms)
        if not size:
            return 0.0
        found = math.lgamma(size * theta) - math.lgamma(sum(counts.values()) + size * theta)
        return -(found + sum(math.lgamma(x + theta) - math.lgamma(theta) for x in counts.values()))

    return cost


def normalised_cut(weights: Floats) -> Cost:
    """Return the normalised cut of a segment."""

    def cost(a: int, b: int) -> float:
        whole = weights[a:b].sum()
        return float((whole - weights[a:b, a:b].sum()) / whole)

    return cost


def exemplar(similarity: Floats, preference: float) -> Cost:
    """Return the negative value of a segment around its best exemplar."""

    def cost(a: int, b: int) -> float:
        return -max(float(sum(similarity[i, c] for i in range(a, b) if i != c)) + preference for c in range(a, b))

    return cost


def least_cost(n: int, cost: Cost, n_segments: int) -> list[int]:
    """Return the boundaries with the least sum of costs, by dynamic programming over numbers and ends of segments."""
    costs = {(a, b): cost(a, b) for a, b in itertools.combinations(range(n + 1), 2)}
    best: list[dict[int, tuple[float, int]]] = [{end: (costs[0, end], 0) for end in range(1, n + 1)}]
    for number in range(2, n_segments + 1):
        before = best[-1]
        best.append({
            end: min((before[start][0] + costs[start, end], start) for start in range(number - 1, end))
            for end in range(number, n + 1)
        })  # fmt: skip
    found, end = [], n
    for level in reversed(best[1:]):
        end = level[end][1]
        found.append(end)
    return found[::-1]


def ranks(matrix: Floats, mask: int) -> Floats:
    """Return the share of lower values among the neighbours of each cell within a square mask, as C99 has it."""
    n, reach = len(matrix), mask // 2
    found = np.zeros((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        near = [
            matrix[x, y]
            for x in range(max(0, i - reach), min(n, i + reach + 1))
            for y in range(max(0, j - reach), min(n, j + reach + 1))
            if (x, y) != (i, j)
        ]
        found[i, j] = sum(value < matrix[i, j] for value in near) / len(near)
    return found


def inside_density(matrix: Floats, cuts: Sequence[int]) -> float:
    """Return the sum of the values within segments over their area."""
    parts = spans(len(matrix), sorted(cuts))
    return float(sum(matrix[a:b, a:b].sum() for a, b in parts) / sum((b - a) ** 2 for a, b in parts))


def divisions(matrix: Floats, n_segments: int) -> list[int]:
    """Return boundaries that are inserted one by one, each where the inside density becomes greatest."""
    cuts: list[int] = []
    while len(cuts) < n_segments - 1:
        free = [gap for gap in range(1, len(matrix)) if gap not in cuts]
        cuts.append(max(free, key=lambda gap: inside_density(matrix, [*cuts, gap])))
    return sorted(cuts)
