"""Selectors: brute-force restatements, the contract over the registry, and bad scores."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.errors import DeclarationError, SegmentationError
from caesura.selectors import (
    SELECTORS,
    AdaptiveSelector,
    DensitySelector,
    DeviationSelector,
    LocalMaximaSelector,
    StaticSelector,
    TopKSelector,
    selector,
)
from caesura.selectors.scores import FlatScores

SCORES = st.lists(st.integers(0, 8).map(lambda x: x / 8), max_size=24)


def brute_static(scores, threshold, gap):
    order = sorted(range(1, len(scores) + 1), key=lambda i: (-scores[i - 1], i))
    taken = []
    for i in order:
        if scores[i - 1] >= threshold and all(abs(i - b) >= gap for b in taken):
            taken.append(i)
    return tuple(sorted(taken))


@given(SCORES, st.integers(0, 8), st.integers(1, 5))
def test_static_restated(scores, eighths, gap):
    threshold = eighths / 8
    chosen = StaticSelector(threshold=threshold, min_gap=gap).select(scores)
    assert chosen.boundaries == brute_static(scores, threshold, gap)


@given(SCORES, st.integers(0, 8), st.integers(0, 7))
def test_static_without_spacing_is_monotone_in_the_threshold(scores, low, more):
    few = StaticSelector(threshold=(low + more) / 8).select(scores).boundaries
    many = StaticSelector(threshold=low / 8).select(scores).boundaries
    assert set(few) <= set(many)


@given(SCORES, st.integers(0, 30), st.integers(1, 4))
def test_top_k_is_the_head_of_the_spaced_order(scores, k, gap):
    everything = brute_static(scores, -1, gap)
    chosen = TopKSelector(k=k, min_gap=gap).select(scores).boundaries
    assert len(chosen) == min(k, len(everything))
    assert set(chosen) <= set(everything)


@given(SCORES, st.floats(0, 100))
def test_density_takes_as_many_as_asked_for(scores, density):
    chosen = DensitySelector(per_100_units=density).select(scores)
    assert chosen.n_boundaries == min(round(density * (len(scores) + 1) / 100), len(scores))


def test_density_that_cannot_be_met():
    with pytest.raises(SegmentationError, match="leaves room for 2"):
        DensitySelector(per_100_units=80, min_gap=4).select([0.5, 0.4, 0.3, 0.2, 0.6])


@given(SCORES, st.floats(-2, 2))
def test_deviation_restated(scores, alpha):
    chosen = DeviationSelector(alpha=alpha).select(scores).boundaries
    limit = np.mean(scores) + alpha * np.std(scores) if scores else 0
    assert chosen == tuple(i for i, s in enumerate(scores, start=1) if s > limit)


def test_equal_scores_exceed_nothing():
    assert DeviationSelector(alpha=0.0).select([0.5] * 6).boundaries == ()
    assert StaticSelector(threshold=0.5, min_gap=2).select([0.5] * 6).boundaries == (1, 3, 5)


@given(SCORES, st.integers(1, 3))
def test_local_maxima_restated(scores, radius):
    expected = []
    for i, s in enumerate(scores):
        before, after = scores[max(0, i - radius) : i], scores[i + 1 : i + 1 + radius]
        if all(b < s for b in before) and all(a <= s for a in after):
            expected.append(i + 1)
    assert list(LocalMaximaSelector(radius=radius).select(scores).boundaries) == expected


@given(SCORES, st.sampled_from([1, 2, 5, 99]), st.sampled_from(["positions", "evaluations"]), st.integers(1, 3))
def test_online_equals_offline(scores, horizon, count, gap):
    selector = AdaptiveSelector(rate=0.2, min_gap=gap, window=5, step=0.1, horizon=horizon, count=count)
    pushed = [gap for score in scores for gap in selector.push(score)]
    assert pushed == [commit.gap for commit in selector.run(scores)]


@given(SCORES, st.integers(0, 24), st.sampled_from([3, 99]))
def test_a_saved_run_continues_as_if_nothing_had_happened(scores, cut, horizon):
    options = {"rate": 0.2, "min_gap": 2, "window": 4, "horizon": horizon}
    whole, first, second = (AdaptiveSelector(**options) for _ in range(3))
    expected = [gap for score in scores for gap in whole.push(score)]
    found = [gap for score in scores[:cut] for gap in first.push(score)]
    second.restore(json.loads(json.dumps(first.state())))
    found += [gap for score in scores[cut:] for gap in second.push(score)]
    assert found == expected
    assert second.state() == whole.state()


def test_memory_is_bounded_by_the_horizon():
    selector = AdaptiveSelector(rate=0.3, min_gap=2, window=20, horizon=10, threshold=0.9)
    rng = np.random.default_rng(0)
    sizes = []
    for score in rng.random(5_000):
        selector.push(float(score))
        state = selector.state()
        sizes.append(len(state["active"]) + len(state["committed"]))
    assert max(sizes) <= 10 + 20


def test_the_rate_is_followed_on_a_long_stream():
    # One evaluation each: the threshold is that of a single score, and can be followed.
    selector = AdaptiveSelector(rate=0.15, min_gap=2, window=50, horizon=1, step=0.05)
    scores = np.random.default_rng(1).random(4_000)
    committed = sum(len(selector.push(float(score))) for score in scores)
    assert committed / 4_000 == pytest.approx(0.15, abs=0.02)


def test_online_does_not_reduce_to_static():
    # The first gap is taken when it arrives; the static rule would take the better second one.
    assert AdaptiveSelector(rate=0.5, min_gap=2, threshold=0.5, step=0.0).select([0.6, 0.9]).boundaries == (1,)
    assert StaticSelector(threshold=0.5, min_gap=2).select([0.6, 0.9]).boundaries == (2,)


def test_low_scores_are_processed_but_never_candidates():
    s = AdaptiveSelector(rate=0.0, threshold=0.3, step=0.0, candidate_threshold=0.2)
    assert s.select([0.1] * 20).boundaries == ()
    assert AdaptiveSelector(rate=0.0, threshold=0.3, step=0.0).select([0.1] * 20).n_boundaries > 0


def test_bounds_of_the_threshold():
    s = AdaptiveSelector(rate=1.0, step=1.0, lowest=0.2, highest=0.6, horizon=5)
    for _ in range(5):
        s.push(0.0)
    assert s.state()["threshold"] == 0.2
    with pytest.raises(DeclarationError, match="is above"):
        AdaptiveSelector(lowest=0.5, highest=0.1)


@pytest.mark.parametrize(
    "state", [{}, {"version": 1, "selector": "AdaptiveSelector"}, {"version": 1, "selector": "StaticSelector"}]
)
def test_damaged_states_are_refused(state):
    with pytest.raises(SegmentationError):
        AdaptiveSelector().restore(state)


@pytest.mark.parametrize("state", [[], None, "state", 3])
def test_a_state_that_is_no_mapping_is_damaged(state):
    selector = AdaptiveSelector(horizon=5)
    selector.push(0.9)
    before = selector.state()
    with pytest.raises(SegmentationError, match="the state is damaged"):
        selector.restore(state)
    assert selector.state() == before


def test_a_state_with_an_endless_step_is_damaged():
    selector = AdaptiveSelector()
    with pytest.raises(SegmentationError, match="the state is damaged"):
        selector.restore({**selector.state(), "step": float("inf")})


@pytest.mark.parametrize(
    "changed",
    [
        {"step": -1},
        {"origin": 99},
        {"evaluations": -3},
        {"threshold": float("nan")},
        {"committed": [0]},
        {"committed": [7]},
        {"active": [[1.0, 0.5]]},
        {"active": [[9.0, 0.5, 0.5, 1.0]]},
        {"active": [[]]},
    ],
)
def test_a_state_that_no_run_can_reach_is_damaged(changed):
    selector = AdaptiveSelector(horizon=5)
    for score in (0.9, 0.1, 0.8):
        selector.push(score)
    before = selector.state()
    with pytest.raises(SegmentationError, match="the state is damaged"):
        selector.restore({**before, **changed})
    assert selector.state() == before


def test_online_needs_a_finite_horizon_and_offline_does_not():
    selector = AdaptiveSelector()
    with pytest.raises(SegmentationError, match="needs a finite horizon, such as horizon=50"):
        selector.push(0.9)
    assert selector.steps == 0
    assert selector.select([0.9, 0.1]).boundaries == (1,)


def test_a_horizon_longer_than_the_document_is_none():
    scores = [0.2, 0.7, 0.1, 0.4, 0.4, 0.9, 0.05, 0.3]
    assert AdaptiveSelector(horizon=99).run(scores) == AdaptiveSelector().run(scores)


@pytest.mark.parametrize("cls", list(SELECTORS), ids=SELECTORS.names())
class TestContract:
    def test_text_and_back(self, cls):
        assert selector(str(cls())) == cls()

    def test_empty_and_single(self, cls):
        assert cls().select([]).n_units == 1
        assert cls().select([0.5]).n_units == 2

    @pytest.mark.parametrize("bad", [[0.1, math.nan], [math.inf], ["x"], [[0.1]], [None]])
    def test_bad_scores_are_one_line(self, cls, bad):
        with pytest.raises(SegmentationError) as error:
            cls().select(bad)
        assert "\n" not in str(error.value)

    def test_deterministic_and_spaced(self, cls):
        rng = np.random.default_rng(3)
        scores = rng.random(60)
        chosen = cls(min_gap=3).select(scores)
        assert chosen == cls(min_gap=3).select(scores.tolist())
        assert all(mass >= 3 for mass in chosen.masses[1:-1])

    def test_card(self, cls):
        assert cls.card.title
        assert cls.__doc__


def test_the_first_bad_score_is_named():
    with pytest.raises(SegmentationError, match=r"score 2 \(and 1 more\) is nan"):
        StaticSelector().select([0.1, math.nan, math.nan])


def test_a_score_that_equals_a_threshold_is_selected_at_every_one() -> None:
    corpus = Corpus([Document(id="d", n_units=5, scores=(0.2, 0.5, 0.8, 0.5))])
    flat = FlatScores.from_corpus(corpus, ["d"])
    found = [each.pos.tolist() for each in flat.at_thresholds([0.2, 0.5, 0.8, 0.9])]
    assert found == [[1, 2, 3, 4], [2, 3, 4], [3], []]
