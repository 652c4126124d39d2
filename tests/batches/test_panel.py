"""Panels: what goes in comes out, whoever annotated what."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.batches.panel import Panel, PanelPairs
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, SegmentationError
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.strategies import panels

NAMES = ("ann", "bob", "cyd", "dee", "eve", "fay")
Codings = dict[str, Segmentation]


@st.composite
def documents(draw: st.DrawFn) -> list[Codings]:
    """Draw documents with different annotators and different numbers of them."""
    found = []
    for codings in draw(st.lists(panels(max_units=12, min_annotators=1), min_size=1, max_size=5)):
        who = draw(st.permutations(NAMES))
        found.append(dict(zip(who, codings.values(), strict=False)))
    return found


def corpus_of(found: list[Codings]) -> Corpus:
    return Corpus(
        [
            Document(id=f"d{place}", n_units=next(iter(codings.values())).n_units, annotations=codings)
            for place, codings in enumerate(found)
        ]
    )


@given(found=documents())
def test_a_corpus_comes_back(found: list[Codings]) -> None:
    panel = Panel.from_corpus(corpus_of(found))
    assert len(panel) == len(found)
    assert [panel.of_document(row) for row in range(len(panel))] == found
    assert [list(panel.of_document(row)) for row in range(len(panel))] == [list(codings) for codings in found]
    assert panel.n_annotators.tolist() == [len(codings) for codings in found]
    assert set(panel.names) == {name for codings in found for name in codings}
    assert panel.n_boundaries.sum() == sum(s.n_boundaries for codings in found for s in codings.values())


@given(found=documents(), data=st.data())
def test_take_keeps_documents_in_that_order(found: list[Codings], data: st.DataObject) -> None:
    panel = Panel.from_corpus(corpus_of(found))
    rows = data.draw(st.lists(st.integers(0, len(found) - 1), min_size=1, max_size=6))
    taken = panel.take(rows)
    assert [taken.of_document(place) for place in range(len(taken))] == [found[row] for row in rows]
    assert taken.ids == tuple(f"d{row}" for row in rows)
    assert taken.n_units.tolist() == [next(iter(found[row].values())).n_units for row in rows]
    assert taken.names == panel.names


@given(found=documents(), data=st.data())
def test_keep_drops_codings_and_empty_documents(found: list[Codings], data: st.DataObject) -> None:
    panel = Panel.from_corpus(corpus_of(found))
    size = len(panel.annotator)
    chosen = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    left = panel.keep(np.array(chosen))
    flags, expected = iter(chosen), {}
    for place, codings in enumerate(found):
        kept = {name: coding for name, coding in codings.items() if next(flags)}
        if kept:
            expected[f"d{place}"] = kept
    assert left.ids == tuple(expected)
    assert [left.of_document(row) for row in range(len(left))] == list(expected.values())


@given(found=documents())
def test_one_annotator_can_be_left_out(found: list[Codings]) -> None:
    panel = Panel.from_corpus(corpus_of(found))
    for name in panel.names:
        rest = panel.keep(panel.annotator != panel.names.index(name))
        expected = [{n: s for n, s in codings.items() if n != name} for codings in found]
        assert [rest.of_document(row) for row in range(len(rest))] == [codings for codings in expected if codings]


@given(found=documents())
def test_documents_are_counted_apart(found: list[Codings]) -> None:
    """A batch of documents with different annotators counts each as if it were alone."""
    panel = Panel.from_corpus(corpus_of(found))
    for text in ("FleissKappa", "MultiKappa", "KrippendorffAlpha(include_end=True)", "AgreementB(n_t=3)", "AgreementS"):
        ours = metric(text)
        rows = ours.count(panel)
        for row, codings in zip(rows, found, strict=True):
            np.testing.assert_allclose(row, ours.count(Panel.of(codings))[0], rtol=1e-12)


@given(found=documents())
def test_hypotheses_are_counted_apart(found: list[Codings]) -> None:
    panel = Panel.from_corpus(corpus_of(found))
    first = np.cumsum([0, *(len(codings) for codings in found)])[:-1]
    pairs = PanelPairs(panel, panel.codings.take(first))
    assert len(pairs) == len(found)
    for text in ("MultiWindowDiff", "MultiWindowDiff(as_run=True)", "ProminencePrecision", "ProminenceRecall"):
        ours = metric(text)
        for row, codings in zip(ours.count(pairs), found, strict=True):
            alone = PanelPairs.of(codings, next(iter(codings.values())))
            np.testing.assert_allclose(row, ours.count(alone)[0], rtol=1e-12)


def test_lists_are_numbered_and_mappings_named() -> None:
    two = [Segmentation(5, (2,)), Segmentation(5)]
    assert Panel.of(two).names == ("1", "2")
    assert Panel.of({"x": two[0], "y": two[1]}).names == ("x", "y")
    assert Panel.of(tuple(two)).of_document(0) == {"1": two[0], "2": two[1]}
    assert PanelPairs.of({"x": two[0]}, two[1]).panel.names == ("x",)


def test_the_unit_is_kept() -> None:
    panel = Panel.of([Segmentation(5, (2,)), Segmentation(5, unit="turn")])
    assert panel.unit == "turn"
    assert panel.of_document(0)["1"].unit == "turn"


def test_documents_nobody_annotated_are_left_out() -> None:
    found = Corpus(
        [
            Document(id="a", n_units=4, annotations={"x": Segmentation(4, (1,))}),
            Document(id="b", n_units=4, segmentation=Segmentation(4)),
        ]
    )
    assert Panel.from_corpus(found).ids == ("a",)
    with pytest.raises(ComparabilityError, match="has no annotations; give each document 'annotations'"):
        Panel.from_corpus(found.subset(["b"]))


def test_unlike_codings_are_refused() -> None:
    with pytest.raises(ComparabilityError, match="'x' coded 4 units, 'y' 5; all annotators of a document must code"):
        Panel.of({"x": Segmentation(4), "y": Segmentation(5)})
    with pytest.raises(SegmentationError, match="annotator 'y' is a tuple, not a Segmentation"):
        Panel.of({"x": Segmentation(4), "y": (1, 3)})  # type: ignore[dict-item]
    with pytest.raises(ComparabilityError, match="has no annotator"):
        Panel.of({})


@given(people=panels(), data=st.data())
def test_order_and_names_of_annotators_change_nothing(people: Codings, data: st.DataObject) -> None:
    order = data.draw(st.permutations(list(people.values())))
    hypothesis = people["a1"]
    for text in ("FleissKappa", "MultiKappa", "KrippendorffAlpha", "AgreementB", "AgreementS(kappa=True)"):
        before, after = metric(text)(people), metric(text)(order)
        assert before == pytest.approx(after, abs=1e-12) or (math.isnan(before) and math.isnan(after))
    for text in ("MultiWindowDiff", "ProminencePrecision", "ProminenceRecall"):
        before, after = metric(text)(people, hypothesis), metric(text)(order, hypothesis)
        assert before == pytest.approx(after, abs=1e-12) or (math.isnan(before) and math.isnan(after))
