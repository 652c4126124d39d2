# SPDX-License-Identifier: Apache-2.0
"""Baselines: what each sets, that it is seeded, and the tables of the granularity paper they come from."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, DeclarationError, SegmentationError
from caesura.evaluation.evaluate import evaluate
from caesura.placements import all_gaps, even, every, none, random_boundaries, random_gaps
from caesura.segmentation import Segmentation
from caesura.segmenters import SEGMENTERS, Baseline, baseline_systems, segmenter
from caesura.segmenters.baselines import Random
from tests.corpora import corpus_file, needs
from tests.strategies import segmentations

REFERENCE = Corpus.from_segmentations(
    {
        "one": Segmentation(1, unit="turn"),
        "bare": Segmentation(7, unit="turn"),
        "some": Segmentation(20, (4, 9, 15), unit="turn"),
        "full": Segmentation(4, (1, 2, 3), unit="turn"),
    }
)


def masses(corpus):
    return [corpus.segmentation(row).masses for row in range(len(corpus))]


def numbers(corpus):
    return np.diff(corpus.flat.ptr).tolist()


# ------------------------------------------------------------------------------------------- one document


def test_functions_of_one_document():
    assert none(5).masses == (5,)
    assert all_gaps(4).masses == (1, 1, 1, 1)
    assert all_gaps(1).masses == (1,)
    assert every(10, 4).masses == (4, 4, 2)
    assert every(8, 4).masses == (4, 4)
    assert even(10, 2).masses == (3, 3, 4)
    assert even(10, 0).masses == (10,)
    assert even(3, 7).masses == (1, 1, 1)
    assert random_boundaries(5, 4, seed=0).masses == (1,) * 5
    assert random_gaps(5, 0.0, seed=0).masses == (5,)


@given(st.integers(1, 300), st.integers(0, 300))
def test_even_is_the_rule_of_the_released_code(n_units, count):
    step = n_units / (count + 1)
    wanted = {math.floor(i * step) for i in range(1, count + 1)}
    assert set(even(n_units, count).boundaries) == {gap for gap in wanted if 1 <= gap < n_units}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: every(5, 0), "length is 0"),
        (lambda: even(5, -1), "count is -1"),
        (lambda: random_boundaries(5, 5, seed=0), "5 units have 4 gaps"),
        (lambda: random_gaps(5, 1.5, seed=0), "p is 1.5"),
        (lambda: random_gaps(5, 0.5, seed=-2), "seed is -2"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(SegmentationError, match=message):
        call()


# ------------------------------------------------------------------------------------------- by name


def test_what_each_sets():
    assert numbers(segmenter("none").segment(REFERENCE)) == [0, 0, 0, 0]
    assert numbers(segmenter("all").segment(REFERENCE)) == [0, 6, 19, 3]
    assert masses(segmenter("every(n=4)").segment(REFERENCE)) == [(1,), (4, 3), (4,) * 5, (4,)]
    # 32 units in 10 segments make 3.2, rounded 3
    assert masses(segmenter("every").segment(REFERENCE)) == masses(segmenter("every(n=3)").segment(REFERENCE))
    assert masses(segmenter("even").segment(REFERENCE)) == [(1,), (7,), (5, 5, 5, 5), (1, 1, 1, 1)]
    assert numbers(segmenter("even(k=2)").segment(REFERENCE)) == [0, 2, 2, 2]
    assert numbers(segmenter("random_density").segment(REFERENCE)) == [0, 0, 3, 3]
    assert numbers(segmenter("random_count(k=2)").segment(REFERENCE)) == [0, 2, 2, 2]
    assert numbers(segmenter("random_share").segment(REFERENCE)) == [0, 0, 1, 0]
    assert numbers(segmenter("random_share(share=0.5)").segment(REFERENCE)) == [0, 3, 9, 1]
    assert numbers(segmenter("random(p=1.0)").segment(REFERENCE)) == [0, 6, 19, 3]


def test_as_many_as_the_mean_annotator():
    votes = {"a": Segmentation(9, (3, 6)), "b": Segmentation(9, (3,)), "c": Segmentation(9, (4, 5, 7))}
    corpus = Corpus([Document(id="d", n_units=9, annotations=votes)])
    assert numbers(segmenter("random_annotators").segment(corpus)) == [2]
    with pytest.raises(ComparabilityError, match="document 'one' has no annotators"):
        segmenter("random_annotators").segment(REFERENCE)
    with pytest.raises(ComparabilityError, match="document 'd' of the reference has no segmentation"):
        segmenter("random_density").segment(corpus)


@pytest.mark.parametrize("cls", [cls for cls in SEGMENTERS if issubclass(cls, Baseline)], ids=lambda cls: cls.name())
def test_every_baseline_can_be_evaluated(cls):
    """Same documents, same unit; and it prints as the text that makes it."""
    votes = {"a": Segmentation(9, (3, 6))}
    reference = Corpus([Document(id="d", n_units=9, segmentation=votes["a"], annotations=votes)])
    baseline = cls()
    assert SEGMENTERS.parse(str(baseline)) == baseline
    made = baseline.segment(reference)
    assert made.ids == reference.ids
    assert evaluate(reference, {str(baseline): made}, ["W-F1"]).scores[str(baseline)]
    assert cls.card.title


@pytest.mark.parametrize("name", ["random(p=0.3)", "random_density", "random_count(k=3)", "random_share(share=0.4)"])
def test_seeds_and_independence_of_other_documents(name):
    corpus = Corpus.from_segmentations({str(i): Segmentation(60, (9, 20, 33, 51)) for i in range(6)})
    first = segmenter(name).segment(corpus, seed=5)
    assert masses(first) == masses(segmenter(name).segment(corpus, seed=5))
    assert masses(first) != masses(segmenter(name).segment(corpus, seed=6))
    assert len(set(masses(first))) > 1
    others = Corpus.from_segmentations(
        {str(i): Segmentation(60, (9, 20, 33, 51)) if i == 3 else Segmentation(11) for i in range(4)}
    )
    assert masses(first)[3] == masses(segmenter(name).segment(others, seed=5))[3]


@given(st.lists(segmentations(), min_size=1, max_size=4), st.sampled_from(["every", "even", "random_density"]))
def test_oracles_on_anything(documents, name):
    corpus = Corpus.from_segmentations({str(i): d for i, d in enumerate(documents)})
    made = segmenter(name).segment(corpus)
    assert made.flat.n_units.tolist() == corpus.flat.n_units.tolist()
    if name == "random_density":
        assert numbers(made) == numbers(corpus)


def test_several_by_name():
    found = baseline_systems("none, every(n=4),random(p=0.5)", REFERENCE, seed=1)
    assert list(found) == ["none", "every(n=4)", "random(p=0.5)"]
    assert list(baseline_systems(["none", "all,even"], REFERENCE)) == ["none", "all", "even (oracle)"]
    assert str(Random(p=0.25)) == "random(p=0.25)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("evry", "'evry' is not a segmenter; did you mean every"),
        ("every(k=3)", "unknown parameter 'k'"),
        ("every(n=0)", "it must be at least 1"),
        ("random(p=2)", "it must be at most 1"),
        ("none,none", "given twice"),
        (",", "no baseline given; choose from all, "),
    ],
)
def test_bad_names(text, message):
    with pytest.raises(DeclarationError, match=message):
        baseline_systems(text, REFERENCE)


def test_all_on_milliseconds_is_refused():
    corpus = Corpus.from_segmentations({"d": Segmentation(2**35, (9,), unit="ms")})
    with pytest.raises(
        DeclarationError, match=r"baseline all on the unit 'ms' takes memory for each of 34,359,738,368"
    ):
        segmenter("all").segment(corpus)
    assert numbers(segmenter("random_density").segment(corpus)) == [1]


# ------------------------------------------------------------------------------------------- the paper


FIXTURE = "reproduction/dialseg711_masses.json"


@needs(FIXTURE)
def test_printed_rows_of_the_granularity_paper():
    """Table 3, DialSeg711: Every-N has N = 4, W-F1 .639, BOR .97; none has W-F1 0, purity .438, coverage 1."""
    rows = json.loads(corpus_file(FIXTURE).read_text())["dialogues"]
    reference = Corpus.from_segmentations(
        {str(row["id"]): Segmentation(row["user_turns"]["n"], row["user_turns"]["as_run_boundaries"]) for row in rows}
    )
    names = ["W-F1", "BOR", "Purity", "Coverage"]
    scores = evaluate(reference, baseline_systems("none,every", reference), names, profile="as_run").scores
    assert [round(scores["every (oracle)"][name], d) for name, d in zip(names, (3, 2, 3, 3), strict=True)] == [
        0.639,
        0.97,
        0.812,
        0.823,
    ]
    assert [round(scores["none"][name], 3) for name in names] == [0.0, 0.0, 0.438, 1.0]
