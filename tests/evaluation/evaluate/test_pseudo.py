"""A pseudo-reference gives the numbers of a reference, and says everywhere that it is none."""

from __future__ import annotations

import json

import pytest

from caesura.errors import ComparabilityError
from caesura.evaluation.evaluate import evaluate
from caesura.reports import render
from caesura.segmentation import Segmentation

MADE = {"d1": Segmentation(9, (4,)), "d2": Segmentation(9, (5,))}
SYSTEM = {"a": {"d1": Segmentation(9, (4,)), "d2": Segmentation(9, (2,))}}


@pytest.fixture
def files(tmp_path):
    made, system = tmp_path / "tiling.jsonl", tmp_path / "a.jsonl"
    for path, corpus in ((made, MADE), (system, SYSTEM["a"])):
        lines = [{"id": key, "n_units": 9, "boundaries": list(s.boundaries)} for key, s in corpus.items()]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return made, system


def test_the_numbers_are_those_of_any_reference():
    assert evaluate(MADE, SYSTEM, ["Pk", "F1"], against="pseudo").scores == evaluate(MADE, SYSTEM, ["Pk", "F1"]).scores


def test_every_way_out_is_marked(files):
    found = evaluate(files[0], [files[1]], ["F1"], against="pseudo")
    assert "|ref:pseudo:tiling|" in found.signature("F1")
    assert "|ref:pseudo:tiling|" in found.signature("F1", short=True)
    results = found.results()
    assert results.against == "pseudo:tiling"
    assert results.inputs[0].role == "pseudo-reference"
    assert "machine-made" in results.notes[0]
    for table in (found.table(), found.tables(per_document=True)[0]):
        assert table.title == "Against the pseudo-reference tiling, not gold"
        for how in ("table", "csv", "markdown", "latex"):
            assert "pseudo" in render(table, how)


def test_names_cannot_break_a_signature():
    found = evaluate(MADE, SYSTEM, ["F1"], against="pseudo:bars")
    assert "|ref:pseudo:bars|" in found.signature("F1")
    assert "|ref:pseudo:reference|" in evaluate(MADE, SYSTEM, ["F1"], against="pseudo").signature("F1")
    with pytest.raises(ComparabilityError, match="annotator=NAME, best, all or pseudo"):
        evaluate(MADE, SYSTEM, ["F1"], against="psuedo")


def test_a_reference_is_not_marked():
    found = evaluate(MADE, SYSTEM, ["F1"])
    assert found.table().title == ""
    assert found.table().columns[0].title == "system"
    assert found.results().inputs[0].role == "reference"
