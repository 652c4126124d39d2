"""Adaptive runs evaluated: delays, rate, regret, by hand."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.errors import ComparabilityError, SegmentationError
from caesura.results import tables_of
from caesura.selectors import AdaptiveSelector
from caesura.tuning.streams import evaluate_stream

S = cz.Segmentation


def corpus(**scores):
    return cz.Corpus([cz.Document(id=key, n_units=len(s) + 1, scores=tuple(s)) for key, s in scores.items()])


def test_by_hand():
    # Threshold 0.5, no movement: gap 1 commits at once; gap 3 needs two steps (0.3 + 0.3) and commits at step 4.
    selector = AdaptiveSelector(rate=0.5, min_gap=2, window=4, step=0.0, threshold=0.5)
    report = evaluate_stream(
        corpus(d=[0.6, 0.0, 0.3, 0.1]), selector, cz.Corpus.from_segmentations({"d": S(5, (1, 3))})
    )
    (document,) = report.documents
    assert document.commits == [(1, 1), (3, 4)]
    assert document.delays == [0, 1]
    # Committed by then among the last four gaps: 1/1, 1/2, 1/3, 2/4; less 0.5.
    assert document.rate_error == pytest.approx([0.5, 0.0, 1 / 3 - 0.5, 0.0])
    assert document.score_regret == pytest.approx(0.0)
    assert (document.score, document.static_score) == (1.0, 1.0)
    summary = report.summary()
    assert summary.delay_mean == 0.5
    assert summary.delay_max == 1
    assert summary.regret == 0.0
    assert summary.rate == 0.5


def test_regret_of_taking_the_first_that_comes():
    selector = AdaptiveSelector(rate=0.5, min_gap=2, window=4, step=0.0, threshold=0.5)
    gold = cz.Corpus.from_segmentations({"d": S(3, (2,))})
    report = evaluate_stream(corpus(d=[0.6, 0.9]), selector, gold, "F1")
    assert report.documents[0].score_regret == pytest.approx(0.3)
    assert report.summary().regret == 1.0
    # For a penalty the sign turns: static is better, so the regret is positive.
    assert evaluate_stream(corpus(d=[0.6, 0.9]), selector, gold, "Pk(k=1)").summary().regret > 0


def test_without_reference_and_without_commits():
    report = evaluate_stream(corpus(d=[0.0, 0.0]), AdaptiveSelector(rate=0.1, step=0.0))
    assert report.documents[0].score is None
    assert report.summary().delay_mean is None
    assert report.summary().regret is None
    (table,) = report.tables()
    assert "boundaries" in str(table)
    assert not any(note.startswith("regret") for note in table.notes)


def test_results_are_read_back_and_show_the_same(tmp_path):
    report = evaluate_stream(
        corpus(d=[0.6, 0.9], e=[0.0]), AdaptiveSelector(rate=0.5), {"d": S(3, (2,)), "e": S(2)}
    )
    written = report.save(tmp_path / "r.json")
    again = cz.read_results(tmp_path / "r.json")
    assert again == written
    assert again.question == "stream"
    assert list(map(str, tables_of(again))) == list(map(str, report.tables()))


def test_refusals():
    selector = AdaptiveSelector()
    with pytest.raises(SegmentationError, match="has no scores"):
        evaluate_stream(cz.Corpus([cz.Document(id="d", n_units=3)]), selector)
    with pytest.raises(ComparabilityError, match="not in the reference"):
        evaluate_stream(corpus(d=[0.1]), selector, cz.Corpus.from_segmentations({"x": S(2)}))
    with pytest.raises(ComparabilityError, match="does not compare two"):
        evaluate_stream(corpus(d=[0.1]), selector, metric="FleissKappa")
