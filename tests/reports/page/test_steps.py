"""Scores in steps: every threshold selects what the scores themselves would, and the steps are few."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import example, given

from caesura.reports.page.documents import stepped

_FLOATS = st.floats(-9e299, 9e299)


@given(st.lists(st.one_of(st.floats(0, 1), _FLOATS), min_size=1, max_size=30))
@example([0.1, 0.2, 0.30000000000000004, 0.3])
@example([9e299, -9e299])
@example([5e-324, 0.0])
@example([1e15 + 1, 1e15])
@example([-0.0])
def test_a_threshold_in_steps_selects_as_the_scores_do(scores):
    made = stepped(scores)
    steps = np.array(made["steps"])
    for threshold in {0, 1, *steps.tolist(), *(steps + 1).tolist()}:
        value = (made["first"] + threshold) * made["times"] / made["per"]
        assert (steps >= threshold).tolist() == [score >= value for score in scores]


@pytest.mark.parametrize("digits", np.arange(1, 10, 0.25).tolist())
@pytest.mark.parametrize("power", [-9, -4, 0, 3, 12])
def test_the_steps_are_enough_for_a_slider_and_few(digits, power):
    scores = np.linspace(0, 1, 500) * digits * 10.0**power
    assert 400 <= max(stepped(scores)["steps"]) <= 1000


@pytest.mark.parametrize("scores", [None, [], [0.5, float("nan")], [float("inf")], [1e308]])
def test_scores_that_no_slider_can_show_are_left_out(scores):
    assert stepped(scores) is None
