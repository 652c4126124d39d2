"""Holm's correction, and the paired effect."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.statistics import holm, paired_effect


def brute(p_values: list[float], place: int) -> float:
    """The least level at which the step-down procedure rejects a hypothesis."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    found = 0.0
    for rank, other in enumerate(order):
        found = max(found, (len(p_values) - rank) * p_values[other])
        if other == place:
            return min(found, 1.0)
    raise AssertionError


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8, unique=True))
def test_against_the_procedure(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for place, value in enumerate(corrected):
        assert value == pytest.approx(brute(p_values, place))
        assert p_values[place] <= value <= 1


@given(st.lists(st.sampled_from([0.0, 0.01, 0.02, 0.5, 1.0]), min_size=2, max_size=5))
def test_ties_and_order(p_values: list[float]) -> None:
    corrected = dict(zip(p_values, holm(p_values), strict=True))
    for some in itertools.islice(itertools.permutations(p_values), 24):
        assert holm(some) == [corrected[p] for p in some]


def test_one_none_and_undefined() -> None:
    assert holm([]) == []
    assert holm([0.03]) == [0.03]
    first, second, third = holm([0.02, math.nan, 0.5])
    assert (first, third) == (0.04, 0.5)
    assert math.isnan(second)


def test_effect() -> None:
    assert paired_effect(np.array([0.1, 0.3])) == pytest.approx(0.2 / np.std([0.1, 0.3], ddof=1))
    assert math.isnan(paired_effect(np.array([0.1])))
    assert math.isnan(paired_effect(np.array([0.2, 0.2, np.nan])))
    assert math.isnan(paired_effect(np.zeros(4)))
    assert paired_effect(np.array([-1.0, 0.0])) < 0
