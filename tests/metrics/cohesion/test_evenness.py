"""Evenness: the mean over all placements by enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from caesura.metrics import metric
from caesura.segmentation import Segmentation


def roots(n: int, gaps: tuple[int, ...]) -> float:
    cuts = [0, *gaps, n]
    return sum(math.sqrt(b - a) for a, b in itertools.pairwise(cuts))


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_less_the_mean_of_all_placements(n: int) -> None:
    evenness = metric("Evenness")
    for k in range(n):
        every = list(itertools.combinations(range(1, n), k))
        mean = np.mean([roots(n, gaps) for gaps in every])
        scores = [evenness(Segmentation(n, gaps), np.zeros((n, 1))) for gaps in every]
        assert scores == pytest.approx([roots(n, gaps) - mean for gaps in every], abs=1e-12)
        assert np.mean(scores) == pytest.approx(0, abs=1e-12)


def test_even_lengths_are_best_whatever_the_vectors() -> None:
    rng = np.random.default_rng(0)
    evenness = metric("Evenness")
    even = Segmentation(12, (4, 8))
    assert evenness(even, rng.normal(size=(12, 2))) == evenness(even, np.zeros((12, 7)))
    assert evenness(even, np.zeros((12, 1))) > evenness(Segmentation(12, (3, 8)), np.zeros((12, 1)))
