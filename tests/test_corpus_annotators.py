"""What is made of annotators: a consensus that joins near misses, smaller panels, other names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from caesura.batches.panel import Panel
from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.metrics.agreement import pooled_window
from caesura.segmentation import Segmentation
from tests.strategies import panels

Codings = dict[str, Segmentation]


def one(people: Codings) -> Corpus:
    return Corpus([Document(id="d", n_units=next(iter(people.values())).n_units, annotations=people)])


def brute(people: Codings) -> list[tuple[int, int]]:
    """Join by the definition: look at every gap again after every choice."""
    reach = int(pooled_window(Panel.of(people))[0]) // 2
    free = {name: set(coding.boundaries) for name, coding in people.items()}
    found = []
    while any(free.values()):
        best: tuple[int, int, int] | None = None
        for gap in sorted(set().union(*free.values())):
            near = sum(any(abs(p - gap) <= reach for p in own) for own in free.values())
            key = (near, sum(gap in own for own in free.values()), -gap)
            best = key if best is None or key > best else best
        assert best is not None
        gap = -best[2]
        for own in free.values():
            close = sorted((abs(p - gap), p) for p in own if abs(p - gap) <= reach)
            if close:
                own.remove(close[0][1])
        found.append((gap, best[0]))
    return found


@settings(max_examples=150)
@given(people=panels(max_units=24, max_annotators=5))
def test_near_misses_are_joined_by_the_definition(people: Codings) -> None:
    corpus, joined = one(people), brute(people)
    before: set[int] = set()
    for threshold in (1.0, 0.75, 0.5, 0.25, 0.0):  # rising support is nested
        expected = {gap for gap, votes in joined if votes / len(people) >= threshold}
        found = corpus.consensus(threshold, near=True, min_annotators=1)["d"].segmentation
        assert found is not None
        assert set(found.boundaries) == expected >= before
        before = expected


def test_the_place_with_most_support() -> None:
    people = {name: Segmentation(40, (gap,)) for name, gap in zip("abcd", (9, 10, 10, 30), strict=True)}
    corpus = one(people)
    assert corpus.consensus(0.75)["d"].segmentation == Segmentation(40, ())
    assert corpus.consensus(0.75, near=True)["d"].segmentation == Segmentation(40, (10,))
    assert corpus.consensus(0, near=True)["d"].segmentation == Segmentation(40, (10, 30))
    assert corpus.consensus(0.5, near=True).name == "[consensus=0.5, near]"


def test_annotators_are_left_out() -> None:
    corpus = Corpus(
        [
            Document(id="d", n_units=9, annotations={"a": Segmentation(9, (3,)), "b": Segmentation(9)}),
            Document(id="e", n_units=5, annotations={"b": Segmentation(5, (1,))}),
        ]
    )
    rest = corpus.without_annotators(["b"])
    assert [list(document.annotations) for document in rest] == [["a"], []]
    with pytest.raises(ComparabilityError, match="there is no annotator 'z'; there are a, b"):
        corpus.without_annotators(["z"])


def test_annotators_and_documents_get_names() -> None:
    corpus = one({"1": Segmentation(9, (3,)), "2": Segmentation(9)})
    named = corpus.renamed({"1": "Anna"}, {"d": "first talk"})
    assert named.ids == ["first talk"]
    assert list(named["first talk"].annotations) == ["Anna", "2"]
    with pytest.raises(ComparabilityError, match="two annotators would be named '2'"):
        corpus.renamed({"1": "2"})
    assert list(corpus.renamed({"1": "2", "2": "1"})["d"].annotations) == ["2", "1"]
    with pytest.raises(ComparabilityError, match="there is no document '7'; there are d"):
        corpus.renamed(documents={"7": "x"})
