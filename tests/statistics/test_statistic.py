"""Numbers made from column sums, and many of them side by side."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caesura.statistics import Statistic
from caesura.statistics.statistic import Stack


def rate(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def test_mean_leaves_out_what_is_not_defined() -> None:
    values = np.array([0.2, np.nan, 0.6, 0.1])
    assert Statistic.mean(values).value == pytest.approx(0.3)
    assert Statistic.mean(values).documents == 3
    shared = np.array([True, False, True, False])
    assert Statistic.mean(values, shared).value == pytest.approx(0.4)
    assert Statistic.mean(np.array([np.inf, 1.0]), np.array([False, True])).value == 1.0


def test_mean_of_nothing_is_not_defined() -> None:
    nothing = Statistic.mean(np.array([np.nan, np.nan]))
    assert math.isnan(nothing.value)
    assert nothing.documents == 0
    assert np.isnan(nothing.without()).all()


def test_leaving_out_each_document_is_what_it_says() -> None:
    rng = np.random.default_rng(3)
    values, counts = rng.random(9), rng.integers(1, 9, size=(9, 2)).astype(float)
    values[4] = np.nan
    for place in range(9):
        rest = np.arange(9) != place
        assert Statistic.mean(values).without()[place] == pytest.approx(np.nanmean(values[rest]))
        assert Statistic.pooled(counts, rate).without()[place] == pytest.approx(rate(counts[rest].sum(axis=0)))


def test_equal_columns_are_stacked_once() -> None:
    values = np.arange(4.0)
    counts = np.column_stack([values, np.ones(4)])
    stack = Stack.of([Statistic.mean(values), Statistic.pooled(counts, rate), Statistic.mean(values + 1)])
    assert stack.table.shape == (4, 3)
    assert stack.places == [[0, 1], [0, 1], [2, 1]]
