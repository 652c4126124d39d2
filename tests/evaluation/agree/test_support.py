"""Support, prominence, consensus, and what two annotators differ in."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation.agree import agreement
from caesura.evaluation.agree.contested import disagreements, kind_of_disagreement, tally
from caesura.evaluation.agree.report import boundary_support, prominence_class
from caesura.metrics import metric
from caesura.metrics.agreement import _support, candidates_of
from caesura.segmentation import Segmentation
from tests.metrics import brute_panels as brute
from tests.metrics.brute import as_float
from tests.strategies import panels, segmentations

Codings = dict[str, Segmentation]


def one(people: Codings) -> Corpus:
    return Corpus([Document(id="d", n_units=next(iter(people.values())).n_units, annotations=people)])


@settings(max_examples=100)
@given(people=panels(min_annotators=1))
def test_support_restated(people: Codings) -> None:
    window = brute.pooled(list(people.values()))
    found = boundary_support(Panel.of(people))
    if len(people) == 1:
        assert found == []
        return
    for name, tolerance in (("exact", 0), ("half", Fraction(window, 2)), ("full", window)):
        expected = brute.support(people, tolerance)
        assert [item.gap for item in found] == list(expected)
        assert [getattr(item, name) for item in found] == pytest.approx([float(v) for v in expected.values()])
    for item in found:
        assert item.marked_by == tuple(name for name, coding in people.items() if item.gap in coding.boundaries)
        assert len(item.marked_by) / item.annotators == pytest.approx(item.exact)
        assert item.exact <= item.half <= item.full <= 1
        assert item.prominence == prominence_class(item.half)


@pytest.mark.parametrize(
    ("support", "name"),
    [(1.0, "unanimous"), (0.999, "majority"), (0.5, "majority"), (0.4999, "minority"), (0.2, "minority")],
)
def test_classes_of_prominence(support: float, name: str) -> None:
    assert prominence_class(support) == name


def test_nobody_marked_anything_has_no_support() -> None:
    report = agreement(one({"x": Segmentation(9), "y": Segmentation(9)}))
    assert report.support == []
    assert report.contested == []
    assert math.isnan(report.statistics()["support_half_median"])
    shown = next(table for table in report.tables() if table.title.startswith("Boundaries marked"))
    assert [row[1] for row in shown.rows] == [0, 0, 0]


@settings(max_examples=100)
@given(data=st.data(), people=panels(min_annotators=1))
def test_prominence_restated(data: st.DataObject, people: Codings) -> None:
    hypothesis = data.draw(segmentations(n_units=people["a1"].n_units))
    precision, recall = brute.prominence(people, hypothesis)
    assert metric("ProminencePrecision")(people, hypothesis) == pytest.approx(as_float(precision), nan_ok=True)
    assert metric("ProminenceRecall")(people, hypothesis) == pytest.approx(as_float(recall), nan_ok=True)


def test_prominence_by_hand() -> None:
    """N = 20, 3 annotators with 3 + 2 + 3 = 8 segments: mean 7.5, window 4 (3.75 rounded), half of it 2."""
    people = [Segmentation(20, (5, 12)), Segmentation(20, (6,)), Segmentation(20, (5, 16))]
    # Supports within 2: 5, 6 -> 1; 12 -> 1/3; 16 -> 1/3.
    assert metric("ProminencePrecision")(people, Segmentation(20, (7, 9))) == 0.5  # 7 takes 6; 9 is near nothing
    assert metric("ProminenceRecall")(people, Segmentation(20, (7,))) == pytest.approx(2 / (2 + 2 / 3))
    assert math.isnan(metric("ProminencePrecision")(people, Segmentation(20)))
    assert metric("ProminenceRecall")(people, Segmentation(20)) == 0.0
    nobody = [Segmentation(20)] * 2
    assert metric("ProminencePrecision")(nobody, Segmentation(20, (7,))) == 0.0
    assert math.isnan(metric("ProminenceRecall")(nobody, Segmentation(20, (7,))))


# ---------------------------------------------------------------------------------------------- consensus


@settings(max_examples=100)
@given(people=panels(min_annotators=1, max_annotators=8), percent=st.integers(0, 100))
def test_consensus_restated(people: Codings, percent: int) -> None:
    found = one(people).consensus(percent / 100, min_annotators=1)["d"].segmentation
    assert found is not None
    assert list(found.boundaries) == brute.consensus(people, Fraction(percent, 100))


def test_a_share_is_reached_by_exactly_that_many() -> None:
    """5 of 6 reach 5/6 and 3 of 10 reach 0.3, whatever the nearest floating-point numbers are."""
    for h in range(1, 12):
        for votes in range(1, h + 1):
            people = {str(i): Segmentation(6, (3,) if i < votes else ()) for i in range(h)}
            corpus = one(people)
            assert corpus.consensus(votes / h, min_annotators=1)["d"].segmentation == Segmentation(6, (3,))
            if votes < h:
                above = (votes + 1) / h
                assert corpus.consensus(above, min_annotators=1)["d"].segmentation == Segmentation(6)


def test_union_and_unanimity() -> None:
    corpus = one({"x": Segmentation(9, (3, 6)), "y": Segmentation(9, (3,)), "z": Segmentation(9, (3, 4))})
    assert corpus.consensus(0)["d"].segmentation == Segmentation(9, (3, 4, 6))
    assert corpus.consensus(1)["d"].segmentation == Segmentation(9, (3,))
    # 2 of 5 is no majority; the authors' program takes floor(5 / 2).
    five = one({str(i): Segmentation(4, (2,) if i < 2 else ()) for i in range(5)})
    assert five.consensus(0.5)["d"].segmentation == Segmentation(4)
    assert five.consensus(0.4)["d"].segmentation == Segmentation(4, (2,))
    assert corpus.consensus(np.float64(0.5))["d"].segmentation == Segmentation(9, (3,))
    assert corpus.consensus(0.5).name.endswith("[consensus=0.5]")


@pytest.mark.parametrize("threshold", [-0.1, 1.01, math.nan])
def test_no_share(threshold: float) -> None:
    with pytest.raises(ComparabilityError, match="it must be a share between 0 and 1"):
        one({"x": Segmentation(4)}).consensus(threshold)


def test_single_annotators() -> None:
    corpus = Corpus(
        [
            Document(id="d1", n_units=4, annotations={"x": Segmentation(4, (1,)), "y": Segmentation(4, (2,))}),
            Document(id="d2", n_units=5, annotations={"y": Segmentation(5, (3,))}),
        ]
    )
    assert corpus.annotator("x").ids == ["d1"]
    assert [d.segmentation for d in corpus.annotator("y")] == [Segmentation(4, (2,)), Segmentation(5, (3,))]
    with pytest.raises(ComparabilityError, match="no document is annotated by 'z'; the annotators are x, y"):
        corpus.annotator("z")
    assert corpus.subset(["d2"]).ids == ["d2"]
    bare = Corpus([Document(id="d", n_units=4, segmentation=Segmentation(4))])
    with pytest.raises(ComparabilityError, match="the documents have no annotations"):
        bare.annotator("x")
    with pytest.raises(ComparabilityError, match="has no annotations"):
        bare.consensus(0.5)


# ---------------------------------------------------------------------------------------------- what two differ in


@settings(max_examples=150)
@given(people=panels(max_units=14, max_annotators=3), window=st.integers(2, 7))
def test_kinds_of_disagreement_restated(people: Codings, window: int) -> None:
    first, second, *_ = people.values()
    kind, only_first, only_second = kind_of_disagreement(first, second, window)
    matched = first.n_boundaries - len(only_first)
    assert matched == second.n_boundaries - len(only_second)
    assert matched == brute.most_matched(first.boundaries, list(second.boundaries), window // 2)
    assert set(only_first) <= set(first.boundaries)
    assert set(only_second) <= set(second.boundaries)
    if not only_first and not only_second:
        assert kind == "none"
    elif not only_first or not only_second:
        assert kind == "granularity"
    else:
        paired = all(any(abs(x - y) <= window for y in only_second) for x in only_first)
        paired = paired and all(any(abs(x - y) <= window for x in only_first) for y in only_second)
        assert kind == ("placement" if paired else "mixed")


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ((5, 10), (5, 10), "none"),
        ((5, 10), (6, 9), "none"),  # near misses within half a window are matched
        ((5,), (5, 10, 15), "granularity"),
        ((), (10,), "granularity"),
        ((5, 30), (8, 30), "placement"),
        ((5, 30), (8, 30, 35), "mixed"),
        ((5,), (25,), "mixed"),
    ],
)
def test_kinds_by_hand(first: tuple[int, ...], second: tuple[int, ...], kind: str) -> None:
    a, b = Segmentation(40, first), Segmentation(40, second)
    assert kind_of_disagreement(a, b, 4)[0] == kind
    assert kind_of_disagreement(b, a, 4)[0] == kind


def test_every_pair_of_every_document_is_labelled() -> None:
    corpus = Corpus(
        [
            Document(
                id="d1",
                n_units=40,
                annotations={n: Segmentation(40, g) for n, g in {"x": (10,), "y": (10, 20), "z": (30,)}.items()},
            ),
            Document(id="d2", n_units=10, annotations={"x": Segmentation(10, (5,))}),
        ]
    )
    labelled = disagreements(Panel.from_corpus(corpus))
    # 3 annotators, 40 units, 7 segments: mean 17.1, window 9 (8.57), half of it 4.
    assert [(d.document, d.first, d.second, d.kind) for d in labelled] == [
        ("d1", "x", "y", "granularity"),
        ("d1", "x", "z", "mixed"),
        ("d1", "y", "z", "mixed"),
    ]
    assert labelled[0].only_second == (20,)
    assert tally(labelled) == {"none": 0, "granularity": 1, "placement": 0, "mixed": 2}


@pytest.mark.parametrize("dense", [0, 1000])
@given(people=st.lists(panels(min_units=1, max_units=14, min_annotators=1, max_annotators=4), min_size=1, max_size=3))
def test_votes_are_those_of_the_candidates(dense: int, people: list[dict[str, Segmentation]]) -> None:
    documents = [Document(id=str(i), n_units=p["a1"].n_units, annotations=p) for i, p in enumerate(people)]
    panel = Panel.from_corpus(Corpus(documents))
    gaps = candidates_of(panel)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_support, "_DENSE", dense)
        document, votes = _support.votes_of(panel)
    assert document.tolist() == gaps.document.tolist()
    assert votes.tolist() == gaps.votes.tolist()
