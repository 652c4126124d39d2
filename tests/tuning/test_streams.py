"""Adaptive runs evaluated: delays, rate, regret, by hand."""

from __future__ import annotations

import numpy as np
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
    (document,) = report.stream.documents
    assert document.commits == [(1, 1), (3, 4)]
    assert document.delays == [0, 1]
    # Committed by then among the last four gaps: 1/1, 1/2, 1/3, 2/4; less 0.5.
    assert document.rate_error == pytest.approx([0.5, 0.0, 1 / 3 - 0.5, 0.0])
    assert document.score_regret == pytest.approx(0.0)
    assert (document.score, document.static_score) == (1.0, 1.0)
    summary = report.stream.summary
    assert summary.delay_mean == 0.5
    assert summary.delay_max == 1
    assert summary.regret == 0.0
    assert summary.rate == 0.5


def test_regret_of_taking_the_first_that_comes():
    selector = AdaptiveSelector(rate=0.5, min_gap=2, window=4, step=0.0, threshold=0.5)
    gold = cz.Corpus.from_segmentations({"d": S(3, (2,))})
    report = evaluate_stream(corpus(d=[0.6, 0.9]), selector, gold, "F1")
    assert report.stream.documents[0].score_regret == pytest.approx(0.3)
    assert report.stream.summary.regret == 1.0
    # For a penalty the sign turns: static is better, so the regret is positive.
    assert evaluate_stream(corpus(d=[0.6, 0.9]), selector, gold, "Pk(k=1)").stream.summary.regret > 0


def test_without_reference_and_without_commits():
    report = evaluate_stream(corpus(d=[0.0, 0.0]), AdaptiveSelector(rate=0.1, step=0.0))
    assert report.stream.documents[0].score is None
    assert report.stream.summary.delay_mean is None
    assert report.stream.summary.regret is None
    table, _ = report.tables()
    assert "boundaries" in str(table)
    assert "regret" not in [column.title for column in table.columns]


def test_results_are_read_back_and_show_the_same(tmp_path):
    report = evaluate_stream(corpus(d=[0.6, 0.9], e=[0.0]), AdaptiveSelector(rate=0.5), {"d": S(3, (2,)), "e": S(2)})
    written = report.save(tmp_path / "r.json")
    again = cz.read_results(tmp_path / "r.json")
    assert again == written
    assert again.question == "select"
    assert list(map(str, tables_of(again))) == list(map(str, report.tables()))


def test_refusals():
    selector = AdaptiveSelector()
    with pytest.raises(SegmentationError, match="has no scores"):
        evaluate_stream(cz.Corpus([cz.Document(id="d", n_units=3)]), selector)
    with pytest.raises(ComparabilityError, match="not in the reference"):
        evaluate_stream(corpus(d=[0.1]), selector, cz.Corpus.from_segmentations({"x": S(2)}))
    with pytest.raises(ComparabilityError, match="does not compare two"):
        evaluate_stream(corpus(d=[0.1]), selector, metric="FleissKappa")


def test_the_rate_holds_over_documents_whatever_the_candidates():
    """Figure 3 of the granularity paper: two candidate thresholds, one target rate, horizon 3, one stream."""
    from caesura.tuning.select import select_corpus

    rng = np.random.default_rng(0)
    scored = corpus(**{f"d{i}": rng.random(26).tolist() for i in range(700)})
    chosen = []
    for candidates in (0.265, 0.423):  # 73.5 % and 57.7 % of the gaps
        selector = AdaptiveSelector(rate=0.167, horizon=3, min_gap=2, candidate_threshold=candidates)
        selected = select_corpus(scored, selector)
        chosen.append({(d.id, gap) for d in selected for gap in d.segmentation.boundaries})
        assert len(chosen[-1]) / (700 * 26) == pytest.approx(0.167, rel=0.1)
        report = evaluate_stream(scored, selector)
        assert {(d.id, gap) for d in report.stream.documents for gap, _ in d.commits} == chosen[-1]
    assert len(chosen[0] & chosen[1]) / len(chosen[0] | chosen[1]) > 0.9


def test_spacing_and_candidates_end_with_their_document():
    selector = AdaptiveSelector(rate=0.5, threshold=0.5, step=0.0, min_gap=3, horizon=9)
    runs = list(selector.run_all([[0.1, 0.9], [0.9, 0.1], [0.3], []]))
    assert [[commit.gap for commit in commits] for commits in runs] == [[2], [1], [], []]
    assert runs[1][0].step == 1
