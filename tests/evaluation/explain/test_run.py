"""Conventions and the reasons why their numbers differ."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.explain.conventions import CAESURA, CONVENTIONS, conventions_of
from caesura.evaluation.explain.run import EXPLAINED_METRICS, explain
from caesura.evaluation.explain.text import explanation_text
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.strategies import UNTITLED, Pair, corpora, pairs

PAIR = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])

# Every tool that runs, on the one pair (13 units; reference 6-3-4, hypothesis 4-4-5): k, Pk, WindowDiff.
ONE_PAIR = {
    "segeval": (2, 0.545, 0.545),
    "segeval, Lamprier edges": (2, None, 0.375),
    "NLTK, gap string": (3, 0.400, None),
    "NLTK, gap string, same k": (2, 0.545, 0.545),
    "NLTK, unit string ending 0": (3, 0.364, None),
    "NLTK, unit string ending 1": (2, 0.500, None),
    "SuperDialseg": (2, 0.500, 0.500),
}


def test_super_dialseg_closes_its_labels_with_0() -> None:
    """Two of the three windows over 0000 and 0010 differ; closed by 1, it would be one."""
    explanation = explain(Segmentation(4), Segmentation.from_masses([3, 1]))
    assert explanation.row("Pk", "SuperDialseg").outcome.score == pytest.approx(2 / 3)
    assert explanation.row("Pk", "NLTK, unit string ending 1").outcome.score == pytest.approx(1 / 3)


@pytest.mark.parametrize("convention", ONE_PAIR)
def test_one_pair_many_answers(convention: str) -> None:
    k, *scores = ONE_PAIR[convention]
    explanation = explain(*PAIR)
    for name, score in zip(("Pk", "WindowDiff"), scores, strict=True):
        if score is not None:
            row = explanation.row(name, convention)
            assert (row.k, round(row.outcome.score, 3)) == (k, score)


def test_episodic_takes_a_quarter_of_a_reference_without_boundaries() -> None:
    pair = Segmentation(12), Segmentation.from_masses([1, 5, 5, 1])
    row = explain(*pair, metrics="WindowDiff").row("WindowDiff", "Episodic")
    assert (row.k, row.fraction) == (3, (5, 9))  # golden rand-23
    assert row.reasons == ("k = 3, not 6: a quarter of a document without boundaries, 12/4 = 3",)


def test_segeval_called_without_a_class_gives_one_number_for_both() -> None:
    pair = Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)
    explanation = explain(*pair, metrics=["EditPrecision", "EditRecall", "EditF1"])
    by_name = {(row.metric, row.convention): row for row in explanation.rows}
    for name in ("EditPrecision", "EditRecall"):
        row = by_name[name, "segeval, default call"]
        assert row.outcome.score == pytest.approx(1 / 9)
        assert row.reasons == (
            "sums over both classes of the confusion matrix, boundary and none, so that what either side has alone is an "
            "error of precision and recall alike",
        )
    assert ("EditF1", "segeval, default call") not in by_name  # its fmeasure(cm) is that of boundaries


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@settings(max_examples=60)
@given(pair=pairs(min_units=2))
def test_segeval_prints_precision_and_recall_of_its_default_call(pair: Pair) -> None:
    segeval: Any = pytest.importorskip(
        "segeval", reason="the oracle segeval is not installed (dependency group oracles)"
    )
    reference, hypothesis = pair
    if not (reference.n_boundaries or hypothesis.n_boundaries):
        return  # segeval fails
    matrix = segeval.boundary_confusion_matrix(tuple(hypothesis.masses), tuple(reference.masses))
    explanation = explain(*pair, metrics=["EditPrecision", "EditRecall"])
    for name, theirs in (("EditPrecision", segeval.precision), ("EditRecall", segeval.recall)):
        ours = explanation.row(name, "segeval, default call").outcome.score
        assert ours == pytest.approx(float(theirs(matrix)))


def test_without_any_boundary() -> None:
    scores = explain(*PAIR).without_boundaries()
    assert {name: round(score, 3) for name, score in scores.items()} == {"Pk": 0.364, "WindowDiff": 0.364}


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@settings(max_examples=60)
@given(pair=pairs(min_units=4))
def test_segeval_prints_the_same(pair: Pair) -> None:
    segeval: Any = pytest.importorskip(
        "segeval", reason="the oracle segeval is not installed (dependency group oracles)"
    )
    explanation = explain(*pair, metrics=["Pk", "WindowDiff"])
    if not explanation.row("Pk").fraction[1]:  # type: ignore[index]
        return  # segeval gives 0 where there is no window, or fails
    # segeval takes the hypothesis first.
    masses = pair[1].masses, pair[0].masses
    assert explanation.row("Pk", "segeval").outcome.score == pytest.approx(float(segeval.pk(*masses)))
    assert explanation.row("WindowDiff", "segeval").outcome.score == pytest.approx(float(segeval.window_diff(*masses)))
    lamprier = float(segeval.window_diff(*masses, lamprier_et_al_2007_fix=True))
    assert explanation.row("WindowDiff", "segeval, Lamprier edges").outcome.score == pytest.approx(lamprier)


@settings(max_examples=60)
@given(pair=pairs(min_units=4))
def test_nltk_prints_the_same(pair: Pair) -> None:
    pytest.importorskip("nltk", reason="the oracle NLTK is not installed (dependency group oracles)")
    from nltk.metrics.segmentation import pk, windowdiff

    explanation = explain(*pair, metrics=["Pk", "WindowDiff"])
    for name, end in (
        ("NLTK, gap string", ""),
        ("NLTK, unit string ending 0", "0"),
        ("NLTK, unit string ending 1", "1"),
    ):
        strings = pair[0].bits + end, pair[1].bits + end
        row = explanation.row("Pk", name)
        assert row.outcome.score == pytest.approx(pk(*strings, boundary="1"))
        if isinstance(row.k, int) and row.k > 0:
            assert explanation.row("WindowDiff", name).outcome.score == pytest.approx(windowdiff(*strings, row.k))
    base = explanation.row("Pk")
    if base.fraction and base.fraction[1]:
        k = int(str(base.k))
        same = explanation.row("Pk", "NLTK, gap string, same k").outcome.score
        assert same == pytest.approx(pk(pair[0].bits, pair[1].bits, k))
        weighted = windowdiff(pair[0].bits, pair[1].bits, k, weighted=True)
        assert explanation.row("WindowDiff", "NLTK, same k, weighted").outcome.score == pytest.approx(weighted)


# ---------------------------------------------------------------------- reasons


def why(metric_text: str, convention: str, *pair: Any) -> str:
    return explain(*(pair or PAIR), metrics=[metric_text]).row(metric_text, convention).why


def test_the_window_is_worked_out_in_words() -> None:
    assert why("Pk", "Caesura") == "k = 2: half the mean reference segment, 13/3/2 = 2.17, rounded to 2"
    assert why("Pk", "NLTK, gap string") == "k = 3, not 2: the 12 gaps over twice the 2 boundaries, 12/4 = 3"
    assert "13/4 = 3.25, rounded to 3" in why("Pk", "NLTK, unit string ending 0")
    assert "k = 2 by its rule too" in why("Pk", "NLTK, unit string ending 1")
    half = Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6])
    assert "10/2/2 = 2.5, rounded to the even 2" in why("Pk", "Caesura", *half)
    assert "k = 3, not 2" in why("Pk", "HAPS, many references", *half)
    assert "rounded up to 3" in why("Pk", "HAPS, many references", *half)
    short = Segmentation.from_masses([1, 1, 1, 3]), Segmentation.from_masses([3, 3])
    assert "rounded to 1, raised to the minimum, 2" in why("Pk", "Caesura", *short)
    assert "rounded down to 0, with no minimum" in why("Pk", "HAPS, one reference", *short)


def test_windows_and_edges_in_words() -> None:
    assert "one window more: character 13, a 1" in why("Pk", "NLTK, unit string ending 1")
    assert "one window more: character 13, a 0" in why("Pk", "SuperDialseg")
    assert "no window: 0, not undefined" in why("WindowDiff", "Episodic", Segmentation(2), Segmentation(2, (1,)))
    assert "makes N + k = 15 windows, not 11" in why("WindowDiff", "Lamprier edges")
    assert "divides by N + k + 1 = 16, where 15 windows were summed" in why("WindowDiff", "segeval, Lamprier edges")
    crowded = Segmentation.from_masses([1, 1, 1, 7]), Segmentation.from_masses([5, 5])
    assert "instead of counting" in why("WindowDiff", "NLTK, same k, weighted", *crowded)


def test_a_window_of_nothing() -> None:
    every = Segmentation.from_masses([1] * 6), Segmentation(6)
    row = explain(*every, metrics="Pk").row("Pk", "NLTK, gap string")
    assert (row.k, row.outcome.score) == (0, 0.0)
    assert "a window of 0 sees nothing" in row.why


def test_the_reference_without_boundary() -> None:
    assert "none counting as one" in why("Pk", "NLTK, gap string", Segmentation(9), Segmentation(9, [3]))


def test_undefined_says_why() -> None:
    empty = Segmentation(9), Segmentation(9)
    assert "undefined (segeval fails), not 1" in why("B", "segeval", *empty)
    assert "not the case here" in why("B", "segeval")
    assert explain(*empty, metrics="B").row("B", "segeval").differs


def test_one_side_without_boundaries() -> None:
    pair = Segmentation(9, [3]), Segmentation(9)
    row = explain(*pair, metrics="BoundaryPrecision").row("BoundaryPrecision", "empty side counts 1")
    assert row.outcome.score == 1.0
    assert row.why == "only one side has boundaries: the side with nothing to judge counts as 1, not 0"


def test_matchings_in_words() -> None:
    pair = Segmentation(20, [5]), Segmentation(20, [4, 6])
    row = explain(*pair, metrics="W-F1").row("W-F1", "one to one")
    assert row.differs
    assert row.why.startswith("finds 1 of 1 reference and 1 of 2 hypothesis boundaries, not 1 and 2")
    assert "though each boundary serves only once" in why("W-F1", "one to one")


def test_precision_and_recall_change_places() -> None:
    pair = Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)
    e = explain(*pair, metrics=["EditPrecision", "EditRecall"])
    assert e.row("EditPrecision", "segeval").outcome.score == e.row("EditRecall").outcome.score
    assert "change places" in e.row("EditPrecision", "segeval").why
    assert e.row("EditPrecision", "swapped").why.startswith("this is EditRecall as given")
    assert "both are equal here" in why("EditPrecision", "segeval")
    wide = Segmentation(20, [5]), Segmentation(20, [6])
    assert "d/n_t" in why("EditF1(n_t=3)", "segeval", *wide)


def test_a_twin_is_named_only_where_it_is_one() -> None:
    # Exchanged, the window comes from the other side, so precision need not be the recall as given.
    pair = Segmentation.from_masses([2, 2, 2, 14]), Segmentation.from_masses([5, 15])
    e = explain(*pair, metrics=["WinPrecision", "WinRecall"])
    swapped, recall = e.row("WinPrecision", "swapped"), e.row("WinRecall")
    assert ("as given" in swapped.why) == (swapped.outcome.score == pytest.approx(recall.outcome.score))


def test_coverage_of_exactly_gamma() -> None:
    pair = Segmentation.from_masses([17, 23]), Segmentation.from_masses([23, 17])
    row = explain(*pair, metrics="CovN").row("CovN", "gamma reached")
    assert row.differs
    assert "is enough" in row.why
    assert "no segment's coverage is exactly" in why("CovN", "gamma reached")


@settings(max_examples=60)
@given(batch=corpora())
def test_every_row_has_reasons_and_every_score_is_the_metrics_own(batch: list[Pair]) -> None:
    reference = {f"d{i}": pair[0] for i, pair in enumerate(batch)}
    hypothesis = {f"d{i}": pair[1] for i, pair in enumerate(batch)}
    explanation = explain(reference, hypothesis)
    for row in explanation.rows:
        assert all(row.reasons)
        outcome = row.outcome
        first, second = (hypothesis, reference) if outcome.convention.swap else (reference, hypothesis)
        how = outcome.aggregate.aggregation
        again = evaluate(first, {"x": second}, [outcome.metric], by=how).scores["x"][str(outcome.metric)]
        assert outcome.score == pytest.approx(again, nan_ok=True)
        if (
            outcome.metric == explanation.row(row.metric).outcome.metric
            and not outcome.convention.swap
            and not outcome.convention.by
        ):
            assert not row.differs
    explanation_text(explanation)


# ---------------------------------------------------------------------- what is explained


def test_every_metric_of_the_registry_can_be_explained() -> None:
    for name in UNTITLED:
        rows = explain(*PAIR, metrics=[name]).rows
        assert rows[0].convention == CAESURA.name
        assert rows[0].outcome.score == pytest.approx(metric(name)(*PAIR))


def test_every_convention_is_used_by_some_metric() -> None:
    asked = [*UNTITLED, "W-F1", "BoundaryF1(matching='one_to_one')"]
    used = {convention.name for text in asked for convention, _ in conventions_of(text, 2)}
    assert used == {convention.name for convention in CONVENTIONS}


def test_what_the_text_says_is_kept() -> None:
    explanation = explain(*PAIR, metrics=["WindowDiff(k=4)", "CovN(gamma=0.5)"], gamma=0.7)
    assert {row.k for row in explanation.rows if row.metric.startswith("Window")} == {4}
    assert all(getattr(row.outcome.metric, "gamma", 0.5) == 0.5 for row in explanation.rows)


def test_gamma_reaches_the_metrics_that_have_one() -> None:
    explanation = explain(*PAIR, metrics=["CovN"], gamma=0.7)
    assert explanation.row("CovN").outcome.metric == metric("CovN(gamma=0.7)")


def test_corpus_is_pooled_both_ways() -> None:
    reference = {"a": PAIR[0], "b": Segmentation(40, [20])}
    hypothesis = {"a": PAIR[1], "b": Segmentation(40, [20])}
    explanation = explain(reference, hypothesis)
    pk = explanation.row("Pk", "micro")
    assert pk.fraction == (6, 41)
    assert explanation.row("Pk").fraction is None
    assert "summed first" in pk.why
    assert explanation.row("CovN", "macro").outcome.aggregate.aggregation == "macro"
    assert explanation.row("Pk").k == "2-10"
    assert explanation.worst(1) == [("a", pytest.approx(6 / 11))]
    assert explanation.views() == {}
    assert "another k in" in explanation.row("Pk", "NLTK, gap string").why


def test_one_document_of_a_corpus() -> None:
    reference = Corpus.from_segmentations({"a": PAIR[0], "b": Segmentation(40, [20])})
    # A fault of another document does not matter.
    explanation = explain(reference, {"a": PAIR[1]}, document="a")
    assert explanation.pair == PAIR
    assert explanation.documents == ["a"]
    with pytest.raises(ComparabilityError, match="no document 'c' in the reference"):
        explain(reference, reference, document="c")


def test_bad_input_is_refused() -> None:
    with pytest.raises(MetricError, match="is not a metric"):
        explain(*PAIR, metrics=["Pkk"])
    with pytest.raises(MetricError, match="'FleissKappa' is not a pairwise metric; use one such as"):
        explain(*PAIR, metrics=["FleissKappa"])
    with pytest.raises(MetricError, match="no metric"):
        explain(*PAIR, metrics=[])
    with pytest.raises(ComparabilityError, match="no documents"):
        explain({}, {})
    with pytest.raises(ComparabilityError, match="same units"):
        explain(PAIR[0], Segmentation(12))
    with pytest.raises(MetricError, match="longest document"):
        explain(*PAIR, metrics=["Pk(k=20)"])
    with pytest.raises(MetricError, match="no row"):
        explain(*PAIR).row("Pk", "NLTK")


def test_time_needs_a_tolerance_and_draws_no_windows() -> None:
    pair = Segmentation.from_seconds([60, 90], 120), Segmentation.from_seconds([55, 90.5], 120)
    assert "W-F1" not in {row.metric for row in explain(*pair).rows}
    explanation = explain(*pair, metrics=["Pk"])
    assert "too many to draw" in explanation.views()["windows"][0]
    with pytest.raises(MetricError, match="is meaningless on the unit 'ms'"):
        explain(*pair, metrics=["W-F1"])


# ---------------------------------------------------------------------- tables and plain data


def test_tables() -> None:
    explanation = explain(*PAIR)
    assert len(explanation.table().rows) == len(explanation.rows)
    assert {row[1] for row in explanation.segment_table().rows} == {"reference", "hypothesis"}
    assert {row.metric for row in explanation.rows} == set(EXPLAINED_METRICS)


def test_plain_data_survives_json() -> None:
    empty = Segmentation(9), Segmentation(9, [3])
    for pair in (PAIR, empty):
        data = json.loads(msgspec.json.encode(explain(*pair).to_dict()))
        assert data["schema"] == "caesura.explain/1"
        assert sum(data["outcomes"]["reference"].values()) == pair[0].n_segments
        assert "".join(data["views"]["mass"])
        for row in data["conventions"]:
            assert row["why"]
            assert row["score"] is None or row["score"] == "inf" or isinstance(row["score"], float)
    corpus = explain({"a": PAIR[0], "b": PAIR[0]}, {"a": PAIR[1], "b": PAIR[0]}).to_dict()
    assert "views" not in corpus
    assert corpus["documents"] == 2


# ---------------------------------------------------------------------- for people


def test_the_text_fits_a_terminal() -> None:
    long = Segmentation.from_masses([7, 3, 11, 2] * 12), Segmentation.from_masses([5, 5, 8, 5] * 12)
    corpus = {"a": PAIR[0], "b": long[0]}, {"a": PAIR[1], "b": long[1]}
    for pair in (PAIR, long, corpus):
        for width in (80, 100):
            lines = explanation_text(explain(*pair), width).split("\n")
            assert max(len(line) for line in lines) <= width
    assert not any("\n\n\n" in explanation_text(explain(*pair)) for pair in (long, corpus))


def test_the_text_tells_the_story() -> None:
    text = explanation_text(explain(*PAIR))
    for score in ("0.364  4/11", "0.400  4/10", "0.500  6/12", "0.545  6/11", "0.375  6/16"):
        assert score in text
    assert "edge effect" in text
    many = Segmentation.from_masses([1, 2] * 20), Segmentation.from_masses([2, 1] * 20)
    assert "... and 10 more" in explanation_text(explain(*many))
    corpus = explanation_text(explain({"a": PAIR[0], "b": PAIR[0]}, {"a": PAIR[1], "b": PAIR[0]}))
    assert "Worst by Pk: a (0.545), b (0.000)" in " ".join(corpus.split())
