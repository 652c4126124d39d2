"""Sweeps: every point is what a selector and `evaluate` give, and operating points are what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import caesura as cz
from caesura.errors import ComparabilityError, FormatError, MetricError, SegmentationError
from caesura.evaluation.intervals import intervals
from caesura.results import tables_of
from caesura.selectors import StaticSelector, TopKSelector
from caesura.selectors.scores import FlatScores
from caesura.tuning.policy import read_policy
from caesura.tuning.select import select_corpus

S = cz.Segmentation


def corpus_of(scores):
    return cz.Corpus([cz.Document(id=str(i), n_units=len(s) + 1, scores=tuple(s)) for i, s in enumerate(scores)])


def made(seed=0, documents=12, units=20):
    rng = np.random.default_rng(seed)
    reference = {str(i): S(units, np.flatnonzero(rng.random(units - 1) < 0.2) + 1) for i in range(documents)}
    good, noise = [], []
    for segmentation in reference.values():
        truth = np.zeros(units - 1)
        truth[segmentation.positions - 1] = 1
        good.append(np.clip(0.6 * truth + 0.4 * rng.random(units - 1), 0, 1))
        noise.append(rng.random(units - 1))
    return reference, {"good": corpus_of(good), "noise": corpus_of(noise)}


SCORES = st.lists(st.lists(st.integers(0, 6).map(lambda x: x / 6), max_size=12), min_size=1, max_size=5)


@given(SCORES, st.integers(1, 4), st.integers(-1, 7))
def test_one_walk_serves_every_threshold(scores, gap, sixths):
    corpus = corpus_of(scores)
    flat = FlatScores.from_corpus(corpus, corpus.ids, gap).at_threshold(sixths / 6)
    expected = select_corpus(corpus, StaticSelector(threshold=sixths / 6, min_gap=gap)).flat
    assert np.array_equal(flat.pos, expected.pos)
    assert np.array_equal(flat.ptr, expected.ptr)


@given(SCORES, st.integers(1, 4))
def test_ascending_thresholds_select_as_each_alone(scores, gap):
    corpus = corpus_of(scores)
    flat = FlatScores.from_corpus(corpus, corpus.ids, gap)
    thresholds = [sixths / 6 for sixths in range(-1, 8)]
    for threshold, found in zip(thresholds, flat.at_thresholds(thresholds), strict=True):
        expected = flat.at_threshold(threshold)
        assert np.array_equal(found.pos, expected.pos)
        assert np.array_equal(found.ptr, expected.ptr)


@given(SCORES, st.integers(1, 4), st.integers(0, 6))
def test_one_walk_serves_every_count(scores, gap, k):
    corpus = corpus_of(scores)
    counts = np.full(len(scores), k)
    flat = FlatScores.from_corpus(corpus, corpus.ids, gap).at_counts(counts)
    expected = select_corpus(corpus, TopKSelector(k=k, min_gap=gap)).flat
    assert np.array_equal(flat.pos, expected.pos)


def test_every_point_is_what_evaluate_gives():
    reference, scorers = made()
    result = cz.sweep(reference, scorers, metrics=["W-F1", "Coverage", "Pk", "CovN"], min_gap=2, resamples=50)
    for name, corpus in scorers.items():
        assert [p.threshold for p in result.points[name]] == [round(0.05 * i, 10) for i in range(1, 20)]
        for point in result.points[name]:
            chosen = select_corpus(corpus, StaticSelector(threshold=point.threshold, min_gap=2))
            scores = cz.evaluate(reference, {"x": chosen}, metrics=list(point.scores)).scores["x"]
            for metric, score in scores.items():
                assert point.scores[metric] == pytest.approx(score), (name, metric)
            assert point.boundaries == len(chosen.flat.pos)


def test_intervals_hold_the_score_and_are_seeded():
    reference, scorers = made()
    first = cz.sweep(reference, scorers, metrics=["W-F1"], resamples=300, seed=3)
    again = cz.sweep(reference, scorers, metrics=["W-F1"], resamples=300, seed=3)
    assert first.results() == again.results()
    for point in first.points["good"]:
        for metric in ("BOR", "W-F1"):
            low, high = point.intervals[metric]
            assert low <= point.scores[metric] <= high


def test_rows_have_the_promised_keys():
    reference, scorers = made()
    rows = cz.sweep(reference, {"m": scorers["good"]}, metrics=["W-F1", "Purity", "Coverage"], resamples=20).curve("m")
    assert set(rows[0]) >= {"threshold", "BOR", "W-F1", "Purity", "Coverage", "BOR_ci", "W-F1_ci"}


def test_area_by_hand():
    reference = {"d": S(9, (2, 4, 6, 8))}
    scored = corpus_of([[0.0, 0.9, 0.0, 0.7, 0.0, 0.5, 0.0, 0.3]])
    scored = cz.Corpus([cz.Document(id="d", n_units=9, scores=scored["0"].scores)])
    result = cz.sweep(reference, {"m": scored}, metrics=["F1"], thresholds=[0.2, 0.4, 0.6, 0.8], resamples=10)
    bor = [1.0, 0.75, 0.5, 0.25]
    f1 = [1.0, 2 * 0.75 / 1.75, 2 * 0.5 / 1.5, 2 * 0.25 / 1.25]
    x, y = np.log(bor[::-1]), f1[::-1]
    expected = sum((y[i] + y[i + 1]) / 2 * (x[i + 1] - x[i]) for i in range(3)) / math.log(25)
    assert result.area("m", "F1") == pytest.approx(expected)


def test_a_better_scorer_wins_at_equal_density():
    reference, scorers = made()
    result = cz.sweep(reference, scorers, metrics=["W-F1"], resamples=300)
    (row,) = [row for row in result.matched() if row.metric == "W-F1"]
    assert (row.first, row.second) == ("good", "noise")
    assert row.interval[0] > 0
    (bor,) = [row for row in result.matched() if row.metric == "BOR"]
    assert (bor.scores, bor.difference) == ((1.0, 1.0), 0.0)


def test_policies():
    reference, scorers = made()
    result = cz.sweep(reference, {"m": scorers["good"]}, resamples=10)
    points = result.points["m"]
    policy = result.policy(target_bor=1.0)
    assert abs(math.log(policy.reached["BOR"])) == min(
        abs(math.log(p.scores["BOR"])) for p in points if p.scores["BOR"] > 0
    )
    assert result.policy(best="W-F1").reached["W-F1"] == max(p.scores["W-F1"] for p in points)
    floor = result.policy(purity_floor=0.8)
    assert floor.reached["Purity"] >= 0.8
    assert floor.reached["Coverage"] == max(p.scores["Coverage"] for p in points if p.scores["Purity"] >= 0.8)
    assert result.policy(max_units=5).reached["units_per_segment"] <= 5


def test_a_policy_is_saved_read_and_applied(tmp_path):
    reference, scorers = made()
    policy = cz.sweep(reference, {"m": scorers["good"]}, min_gap=2, resamples=10).policy(best="W-F1")
    policy.save(tmp_path / "p.json")
    again = read_policy(tmp_path / "p.json")
    assert again == policy
    scores = scorers["good"]["3"].scores
    assert again.select(scores) == again.make().select(scores)
    assert "min_gap=2" in again.selector


@pytest.mark.parametrize(
    "text", ["", "{}", '{"selector": 3}', '{"selector": "StaticSelector()", "schema": "x/2"}', "\x00"]
)
def test_other_files_are_no_policy(tmp_path, text):
    path = tmp_path / "p.json"
    path.write_text(text)
    with pytest.raises(FormatError):
        read_policy(path)


def test_refusals():
    reference, scorers = made()
    with pytest.raises(ComparabilityError, match="not both"):
        cz.sweep(reference, scorers, thresholds=[0.5], quantiles=5)
    with pytest.raises(ComparabilityError, match="finite numbers"):
        cz.sweep(reference, scorers, thresholds=[math.nan])
    with pytest.raises(SegmentationError, match="has no scores"):
        cz.sweep(reference, {"m": cz.Corpus.from_segmentations(reference)})
    with pytest.raises(ComparabilityError, match="is missing from 'm'"):
        cz.sweep(reference, {"m": corpus_of([[0.5] * 19])})
    with pytest.raises(ComparabilityError, match="20 units"):
        cz.sweep({"0": S(20)}, {"m": corpus_of([[0.5] * 5])})
    with pytest.raises(MetricError, match="is not a pairwise metric, which a sweep against a reference needs"):
        cz.sweep(reference, scorers, metrics=["FleissKappa"])
    result = cz.sweep(reference, scorers, metrics=["W-F1"], resamples=10)
    with pytest.raises(ComparabilityError, match="several scorers"):
        result.policy(target_bor=1)
    with pytest.raises(ComparabilityError, match="one criterion"):
        result.policy("good", target_bor=1, best="W-F1")
    with pytest.raises(MetricError, match="was not swept"):
        result.policy("good", best="Pk")


def test_scores_that_are_all_equal_make_one_step():
    result = cz.sweep({"0": S(5, (2,))}, {"m": corpus_of([[0.5] * 4])}, quantiles=10, metrics=["F1"], resamples=10)
    assert [p.boundaries for p in result.points["m"]] == [4]


def test_a_document_without_boundaries_has_no_interval_of_bor():
    result = cz.sweep({"0": S(5)}, {"m": corpus_of([[0.5] * 4])}, thresholds=[0.1], metrics=["F1"], resamples=10)
    (point,) = result.points["m"]
    assert point.scores["BOR"] == math.inf
    assert point.intervals["BOR"] == (None, None)


def test_a_profile_holds_at_every_point():
    reference, scorers = made()
    names = ["W-F1", "W-F1(matching='one_to_one')", "Purity", "Coverage"]
    result = cz.sweep(reference, scorers, names, thresholds=[0.2, 0.6], min_gap=2, resamples=10, profile="as_run")
    for name, corpus in scorers.items():
        for point in result.points[name]:
            chosen = select_corpus(corpus, StaticSelector(threshold=point.threshold, min_gap=2))
            scores = cz.evaluate(reference, {"x": chosen}, ["BOR", *names], profile="as_run").scores["x"]
            assert point.scores == pytest.approx(scores)
    assert result.results().profile == "as_run"
    assert "profile as_run" in str(result.tables()[0])
    with pytest.raises(ComparabilityError, match="inverts BOR"):
        cz.sweep(reference, scorers, profile="swapped")
    with pytest.raises(MetricError, match="is not a profile"):
        cz.sweep(reference, scorers, profile="as_ran")


def test_an_area_needs_a_range():
    scored = cz.Corpus([cz.Document(id="d", n_units=6, scores=(0.0, 1.0, 0.0, 0.0, 0.0))])
    found = cz.sweep({"d": cz.Segmentation(6, (2,))}, {"m": scored}, ["F1"], thresholds=[0.2, 0.5, 0.8], resamples=5)
    assert found.covered("m") == (1.0, 1.0)
    assert math.isnan(found.area("m", "F1"))
    area = next(table for table in found.tables() if table.title == "Area under the curve")
    assert area.best() == frozenset()


def test_infinite_resamples_of_bor_stay_in_its_interval():
    reference = {"a": cz.Segmentation(6, (2,)), "b": cz.Segmentation(6), "c": cz.Segmentation(6)}
    scored = cz.Corpus([cz.Document(id=key, n_units=6, scores=(0.0, 1.0, 0.0, 1.0, 0.0)) for key in reference])
    swept = cz.sweep(reference, {"m": scored}, ["F1"], thresholds=[0.5], resamples=200).points["m"][0]
    chosen = {key: cz.Segmentation(6, (2, 4)) for key in reference}
    whole = intervals(cz.evaluate(reference, {"m": chosen}, ["BOR"]), resamples=200)["m"]["BOR"]
    assert swept.intervals["BOR"] == (whole.low, whole.high)
    assert whole.high == math.inf


def test_the_reference_may_be_named():
    reference, scorers = made(documents=3)
    options = {"metrics": ["F1"], "thresholds": [0.5], "resamples": 5}
    named = cz.sweep(reference=reference, scorers=scorers, **options)
    assert named.points == cz.sweep(reference, scorers, **options).points
    with pytest.raises(ComparabilityError, match="given twice"):
        cz.sweep(reference, scorers, reference=reference)
    with pytest.raises(ComparabilityError, match="no documents given"):
        cz.sweep(scorers=scorers)
    with pytest.raises(ComparabilityError, match="encoder is for a sweep without a reference; add reference=None"):
        cz.sweep(reference, scorers, encoder="default")


def test_results_are_read_back_and_show_the_same(tmp_path):
    reference, scorers = made()
    reference["0"] = S(20)
    result = cz.sweep(reference, scorers, ["W-F1", "BoundaryPrecision"], resamples=20)
    result.policy("good", target_bor=1.0)
    written = result.save(tmp_path / "r.json")
    again = cz.read_results(tmp_path / "r.json")
    assert again == written
    assert list(map(str, tables_of(again))) == list(map(str, result.tables()))
    assert again.question == "sweep"
    assert [source.role for source in again.inputs] == ["reference", "scorer", "scorer"]
    assert again.sweep.choices["good"].why == "BOR nearest 1"


def test_an_infinite_bor_is_read_back(tmp_path):
    scored = corpus_of([[0.5] * 4, [0.5] * 4])
    result = cz.sweep({"0": S(5), "1": S(5)}, {"m": scored}, ["F1"], thresholds=[0.1], resamples=10)
    result.policy(max_units=2).save(tmp_path / "p.json")
    assert result.save(tmp_path / "r.json") == cz.read_results(tmp_path / "r.json")
    assert read_policy(tmp_path / "p.json").reached["BOR"] == math.inf
    assert result.curve("m")[0]["BOR"] == math.inf


def test_no_interval_leaves_the_range_of_its_metric():
    reference = {"a": S(30, (10, 20)), "b": S(30, (15,)), "c": S(30, (5, 10, 15))}
    scores = {"a": 0.9, "b": 0.2, "c": 0.5}
    corpus = cz.Corpus([cz.Document(id=name, n_units=30, scores=(high,) * 29) for name, high in scores.items()])
    found = cz.sweep(reference, {"m": corpus}, metrics=["BOR", "CovN"], thresholds=[0.1, 0.4, 0.8])
    ends = [point.intervals for point in found.results().sweep.curves["m"]]
    assert min(each["BOR"].low for each in ends) == 0
    assert all(0 <= each["CovN"].low <= each["CovN"].high <= 1 for each in ends)
