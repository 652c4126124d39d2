"""Depths against the rule in words, and blocks against direct sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.scorers.blocks import below_valleys, block_cosines, depths, smoothed, term_cosines
from caesura.scorers.features import count_terms

ROWS = st.lists(st.integers(0, 5), max_size=14).map(lambda row: np.array(row, dtype=np.float64))


def walked(row, place, step):
    peak = row[place]
    while 0 <= place + step < len(row) and row[place + step] >= peak:
        place += step
        peak = row[place]
    return peak


@given(ROWS)
def test_depths_by_walking(row):
    expected = [walked(row, i, -1) + walked(row, i, 1) - 2 * row[i] for i in range(len(row))]
    assert depths(row).tolist() == expected


@given(ROWS)
def test_valleys_rank_above_the_rest(row):
    depth = depths(row)
    ranked = below_valleys(row, depth, most=10.0)
    for i, value in enumerate(row):
        left = i == 0 or row[i - 1] >= value
        right = i == len(row) - 1 or row[i + 1] > value
        assert ranked[i] == (depth[i] if left and right and depth[i] > 0 else depth[i] - 10)


def test_smoothing_of_short_rows():
    assert smoothed(np.array([]), 2).tolist() == []
    assert smoothed(np.array([4.0]), 3).tolist() == [4.0]
    assert smoothed(np.array([4.0, 2.0]), 1).tolist() == [3.0, 3.0]


def cosine(left, right):
    length = np.sqrt((left @ left) * (right @ right))
    return left @ right / length if length else 0.0


@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=4), min_size=1, max_size=9), st.integers(1, 4))
def test_term_cosines_by_direct_sums(lists, window):
    matrix = np.array([[terms.count(letter) for letter in "abcd"] for terms in lists], dtype=float)
    expected = [
        cosine(matrix[max(0, gap - window) : gap].sum(0), matrix[gap : gap + window].sum(0))
        for gap in range(1, len(lists))
    ]
    assert term_cosines(count_terms(lists), window).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("pooling", ["mean", "max"])
@pytest.mark.parametrize("window", [1, 2, 5])
def test_block_cosines_by_direct_pooling(window, pooling):
    vectors = np.random.default_rng(1).normal(size=(9, 5)).astype(np.float32)
    pool = getattr(np, pooling)
    wide = vectors.astype(float)
    expected = [
        cosine(pool(wide[max(0, gap - window) : gap], axis=0), pool(wide[gap : gap + window], axis=0))
        for gap in range(1, 9)
    ]
    assert block_cosines(vectors, window, pooling) == pytest.approx(expected)
    assert block_cosines(vectors[:1], window, pooling).shape == (0,)
