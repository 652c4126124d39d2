"""Splices: real pieces, joins between different documents, nothing that gives a join away; and the control."""

from __future__ import annotations

import dataclasses
import itertools
import os
from pathlib import Path

import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.formats import load
from caesura.segmentation import Segmentation
from caesura.training.config import Splicing
from caesura.training.stages import controls, is_stock, segments_of, spliced


def dialogue(number: int) -> Document:
    """Two segments of seven units, each framed by stock phrases; every unit names its document, segment and place."""
    units = []
    for segment in "ab":
        units += ["Hello there!", *(f"doc{number} {segment} unit{place}" for place in range(5)), "Thanks, goodbye."]
    return Document(id=f"d{number}", n_units=14, units=tuple(units), segmentation=Segmentation(14, (7,)))


CORPUS = Corpus([dialogue(number) for number in range(6)])


def origin(unit: str) -> tuple[str, str]:
    document, segment, _ = unit.split()
    return document, segment


@pytest.mark.parametrize("trim", [0, 1, 2])
def test_pieces_are_successive_units_of_one_segment_and_joins_are_boundaries(trim):
    how = Splicing(documents=50, pieces=(2, 4), units=(2, 4), trim=trim)
    for made in spliced(CORPUS, how, 50, [0]):
        edges = [0, *made.segmentation.boundaries, made.n_units]
        seen = set()
        for start, stop in itertools.pairwise(edges):
            piece = made.units[start:stop]
            assert 2 <= len(piece) <= 4
            assert len({origin(unit) for unit in piece}) == 1
            places = [int(unit[-1]) for unit in piece]
            assert places == list(range(places[0], places[0] + len(places)))
            seen.add(origin(piece[0])[0])
        assert len(seen) == len(edges) - 1  # every piece is of another document


def test_no_opener_or_closer_is_left_at_a_join():
    for how in (Splicing(units=(2, 4), trim=1, stock=False), Splicing(units=(2, 4), trim=0, stock=True)):
        assert not any(is_stock(unit) for made in spliced(CORPUS, how, 30, [0]) for unit in made.units)
    careless = Splicing(units=(2, 7), trim=0, stock=False)
    assert any(is_stock(unit) for made in spliced(CORPUS, careless, 30, [0]) for unit in made.units)


def test_the_control_has_one_segment_in_each_document():
    made = controls(CORPUS, Splicing(control=8, units=(2, 4)), [0])
    assert len(made) == 8
    for document in made:
        assert document.segmentation.boundaries == ()
        assert len({origin(unit) for unit in document.units}) == 1


def test_draws_depend_on_the_seed_alone():
    how = Splicing(units=(2, 4))
    one, two, other = (spliced(CORPUS, how, 10, [seed]) for seed in (1, 1, 2))
    assert [d.units for d in one] == [d.units for d in two] != [d.units for d in other]


def test_too_few_documents_are_refused():
    with pytest.raises(ComparabilityError, match=r"0 of 6 documents have a segment of 9 units"):
        spliced(CORPUS, Splicing(units=(9, 12)), 10, [0])
    bare = Corpus([Document(id="d", n_units=3, units=("a", "b", "c"), segmentation=Segmentation(3))])
    assert len(segments_of(bare, Splicing(units=(2, 4)))) == 1


DATA, PAGE = Path(os.environ.get("CAESURA_DATA", "")), Path(__file__).parents[2] / "docs" / "train.md"


def marked(document: Document) -> Document:
    """Mark the units with which a segment opens or closes; the mark is no word of its own."""
    assert document.segmentation is not None
    ends = {end for start, stop in document.segmentation.spans for end in (start, stop - 1)}
    units = tuple(f"{unit}|{'end' * (place in ends)}" for place, unit in enumerate(document.units or ()))
    return dataclasses.replace(document, units=units)


@pytest.mark.parametrize(
    ("called", "file", "share"),
    [
        ("MultiWOZ", "multiwoz/multiwoz21_test_multidomain.jsonl.gz", 29),
        ("DialSeg711", "dialseg711/dialseg711_shared500.jsonl.gz", 60),
        ("TIAGE", "tiage/tiage_train.jsonl.gz", 70),
        ("SuperDialseg", "superdialseg/superseg_test.jsonl.gz", 80),
    ],
)
@pytest.mark.filterwarnings("ignore::caesura.errors.CaesuraWarning")
def test_ends_of_short_segments_stay_beside_joins_as_the_page_says(called, file, share):
    if not (DATA / file).is_file():
        pytest.skip(f"CAESURA_DATA has no {file}; the corpora are not shipped")
    corpus = Corpus([marked(document) for document in load(DATA / file)])
    beside = [
        any(unit.endswith("|end") for unit in made.units[gap - 1 : gap + 1])
        for made in spliced(corpus, Splicing(), 200, [0])
        for gap in made.segmentation.boundaries
    ]
    assert round(100 * sum(beside) / len(beside)) == share
    assert f"{share} % of {'those of ' if share == 29 else ''}{called}" in " ".join(PAGE.read_text().split())
