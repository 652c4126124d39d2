"""What every metric of several annotators promises; a new one is tested the moment its file exists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.flat import Flat
from caesura.batches.panel import Panel, PanelPairs
from caesura.corpus import Corpus, Document
from caesura.declare import parameters
from caesura.errors import ComparabilityError, MetricError, SegmentationError
from caesura.metrics import METRICS, metric
from caesura.metrics.agreement import AGREEMENT, PANEL, AgreementMetric, PanelMetric
from caesura.segmentation import Segmentation
from tests.strategies import metrics, panels, segmentations

EVERY = pytest.mark.parametrize("cls", [*AGREEMENT, *PANEL], ids=[*AGREEMENT.names(), *PANEL.names()])
TINY = 1e-9
Codings = dict[str, Segmentation]
Several = AgreementMetric | PanelMetric


def drawn(cls: type[Several], data: st.DataObject) -> Several:
    return data.draw(metrics(cls))  # type: ignore[arg-type,return-value]


def scored(candidate: Several, people: Any, hypothesis: Segmentation) -> float:
    if isinstance(candidate, PanelMetric):
        return candidate(people, hypothesis)
    return candidate(people)


def rows(candidate: Several, documents: list[tuple[Codings, Segmentation]]) -> np.ndarray:
    """Count a batch of documents."""
    corpus = Corpus(
        [Document(id=str(i), n_units=h.n_units, annotations=people) for i, (people, h) in enumerate(documents)]
    )
    panel = Panel.from_corpus(corpus)
    if isinstance(candidate, PanelMetric):
        return candidate.count(PanelPairs(panel, Flat.from_segmentations([h for _, h in documents])))
    return candidate.count(panel)


def same(first: float, second: float) -> bool:
    return (math.isnan(first) and math.isnan(second)) or abs(first - second) < TINY


@st.composite
def judged(draw: st.DrawFn) -> tuple[Codings, Segmentation]:
    people = draw(panels(min_annotators=1))
    return people, draw(segmentations(n_units=people["a1"].n_units))


# ---------------------------------------------------------------------------------------------- the value of a score


@EVERY
@given(data=st.data())
def test_score_lies_within_its_bounds(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    score = scored(candidate, *data.draw(judged()))
    low, high = candidate.facts().bounds
    assert isinstance(score, float)
    assert math.isnan(score) or low - TINY <= score <= high + TINY


@EVERY
@given(data=st.data())
def test_all_alike_is_perfect_where_defined(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    if candidate.options().get("as_run"):
        return  # the authors' program need not give 0 to a perfect guess
    reference, number = data.draw(segmentations()), data.draw(st.integers(1, 5))
    score = scored(candidate, [reference] * number, reference)
    assert math.isnan(score) or same(score, candidate.facts().perfect)


@EVERY
def test_perfect_lies_within_the_bounds(cls: type[Several]) -> None:
    facts = cls().facts()
    low, high = facts.bounds
    assert low <= facts.perfect <= high
    assert facts.perfect == (high if facts.direction == "higher" else low)
    assert scored(cls(), [Segmentation(12, (4, 8))] * 3, Segmentation(12, (4, 8))) == pytest.approx(facts.perfect)


@EVERY
@pytest.mark.parametrize("n_units", [1, 2, 3, 7])
@pytest.mark.parametrize("number", [1, 2, 5])
def test_extreme_documents_are_scored_or_undefined(cls: type[Several], n_units: int, number: int) -> None:
    nothing, everything = Segmentation(n_units), Segmentation(n_units, range(1, n_units))
    low, high = cls().facts().bounds
    for people in ([nothing] * number, [everything] * number, [nothing, everything] * number):
        for hypothesis in (nothing, everything):
            score = scored(cls(), people, hypothesis)
            assert math.isnan(score) or low <= score <= high
    if issubclass(cls, AgreementMetric):
        assert math.isnan(scored(cls(), [nothing] * number, nothing))
        assert math.isnan(scored(cls(), [everything] * number, nothing))


# ---------------------------------------------------------------------------------------------- symmetries


@EVERY
@given(data=st.data())
def test_order_and_names_of_annotators_change_nothing(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    people, hypothesis = data.draw(judged())
    expected = scored(candidate, people, hypothesis)
    order = data.draw(st.permutations(list(people.values())))
    assert same(scored(candidate, order, hypothesis), expected)
    assert same(scored(candidate, {f"n{i}": c for i, c in enumerate(order)}, hypothesis), expected)


@EVERY
@given(data=st.data())
def test_mirror_image_changes_nothing_where_declared(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    people, hypothesis = data.draw(judged())
    if candidate.facts().mirror:
        mirrored = [coding.mirrored() for coding in people.values()]
        assert same(scored(candidate, mirrored, hypothesis.mirrored()), scored(candidate, people, hypothesis))


# ---------------------------------------------------------------------------------------------- text and value


@EVERY
@given(data=st.data())
def test_text_and_metric_are_inverse(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    again = metric(str(candidate))
    assert again == candidate
    assert hash(again) == hash(candidate)
    assert again.options() == candidate.options()


@EVERY
def test_names(cls: type[Several]) -> None:
    assert str(cls()) == cls.name() == cls.__name__
    assert metric(cls.name()) == cls()
    assert cls.name() not in METRICS


def test_multi_pi_is_fleiss_kappa() -> None:
    assert metric("MultiPi") == metric("FleissKappa")
    assert metric("MultiPi(include_end=True)") == metric("FleissKappa(include_end=True)")


@EVERY
def test_card_is_filled(cls: type[Several]) -> None:
    card = cls.card
    assert card.title
    assert card.citation
    assert card.equation
    assert card.formula
    assert card.aggregation == "macro"
    assert cls().why_undefined()
    assert all(p.help for p in parameters(cls))


@EVERY
def test_parameters_of_the_wrong_kind_are_refused(cls: type[Several]) -> None:
    for p in parameters(cls):
        with pytest.raises(MetricError, match=rf"^{cls.name()}: parameter {p.name} is \[\]; it must be "):
            cls(**{p.name: []})


# ---------------------------------------------------------------------------------------------- counts


@EVERY
@given(data=st.data())
def test_batch_rows_are_document_rows(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    documents = data.draw(st.lists(judged(), min_size=1, max_size=4))
    table = rows(candidate, documents)
    assert table.shape == (len(documents), len(candidate.columns))
    for row, (people, hypothesis) in zip(table, documents, strict=True):
        assert same(float(candidate.score(row)), scored(candidate, people, hypothesis))
    scores = candidate.score(table)
    assert scores.shape == (len(documents),)
    np.testing.assert_array_equal(candidate.included(table), ~np.isnan(scores))


@EVERY
@given(data=st.data())
def test_counts_add_over_documents(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    documents = data.draw(st.lists(judged(), min_size=1, max_size=4))
    if not candidate.facts().additive:
        return
    pooled = float(candidate.score(rows(candidate, documents).sum(axis=0)))
    low, high = candidate.facts().bounds
    assert math.isnan(pooled) or low - TINY <= pooled <= high + TINY
    twice = float(candidate.score(rows(candidate, documents + documents).sum(axis=0)))
    # Alpha corrects for the size of the sample, so that twice the same documents are a little more.
    if candidate.name() != "KrippendorffAlpha":
        assert same(twice, pooled)


@EVERY
@given(data=st.data())
def test_score_is_deterministic(cls: type[Several], data: st.DataObject) -> None:
    candidate = drawn(cls, data)
    documents = data.draw(st.lists(judged(), min_size=1, max_size=3))
    assert rows(candidate, documents).tobytes() == rows(metric(str(candidate)), documents).tobytes()


# ---------------------------------------------------------------------------------------------- inputs


@EVERY
def test_unlike_inputs_are_refused(cls: type[Several]) -> None:
    candidate, ten = cls(), Segmentation(10, (4,))
    for people, error, says in (
        (ten, MetricError, "give a list of segmentations, one per annotator"),
        ([], ComparabilityError, "has no annotator; give at least one segmentation"),
        ([ten, Segmentation(9)], ComparabilityError, "annotator '1' coded 10 units, '2' 9; all annotators of a"),
        ([ten, (1, 2)], SegmentationError, "annotator '2' is a tuple, not a Segmentation"),
        (
            [ten.with_unit("turn"), ten.with_unit("page")],
            ComparabilityError,
            "counts 'page', earlier annotators count 'turn'",
        ),
    ):
        with pytest.raises(error, match=says) as caught:
            scored(candidate, people, ten)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cls", list(PANEL), ids=PANEL.names())
def test_unlike_hypotheses_are_refused(cls: type[PanelMetric]) -> None:
    ten = Segmentation(10, (4,))
    with pytest.raises(ComparabilityError, match="reference has 10 units, hypothesis has 9"):
        cls()([ten, ten], Segmentation(9))
    with pytest.raises(MetricError, match=f"{cls.name()}: hypothesis is a str; it must be a Segmentation"):
        cls()([ten, ten], "0001")  # type: ignore[arg-type]
    with pytest.raises(ComparabilityError, match="counts 'page'"):
        cls()([ten.with_unit("turn")], ten.with_unit("page"))
