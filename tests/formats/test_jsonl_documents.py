"""Documents with texts, speakers and scores that are made of their lines: as if each line were read by itself."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.formats import load
from caesura.formats._jsonl_lean import LineDetails
from caesura.formats._jsonl_line import read_line

WORDS = ["colons: many: here", 'a "quote"', "back\\slash", "été", "日本", "\u2028", "plain", "", "tab\there"]


def lines(number: int, seed: int = 1) -> list[dict[str, object]]:
    rng = random.Random(seed)
    made: list[dict[str, object]] = []
    for row in range(number):
        units = rng.randint(2, 30)
        document: dict[str, object] = {"id": row if row % 7 == 3 else f"d: {row}"}
        if row >= 5 and rng.random() < 0.7:
            document["units"] = [rng.choice(WORDS) for _ in range(units)]
        if "units" not in document or rng.random() < 0.5:
            document["n_units"] = units
        if row >= 5 and rng.random() < 0.3:
            document["speakers"] = [rng.choice("AB") for _ in range(units)]
        if row >= 5 and rng.random() < 0.5:
            document["scores"] = [rng.choice([0, 1, 0.25, -1e-3]) for _ in range(units - 1)]
        gaps = sorted(rng.sample(range(1, units), rng.randint(0, units - 1)))
        if rng.random() < 0.3:
            ends = [0, *gaps, units]
            document["masses"] = [b - a for a, b in itertools.pairwise(ends)]
        else:
            document["boundaries"] = gaps
        made.append(document)
    return made


def write(path: Path, documents: list[dict[str, object]], **options: object) -> Path:
    path.write_text("".join(json.dumps(each, **options) + "\n" for each in documents), encoding="utf-8")
    return path


@pytest.mark.parametrize("ascii_only", [True, False])
def test_documents_are_those_of_their_lines(tmp_path, ascii_only):
    path = write(tmp_path / "d.jsonl", lines(900), ensure_ascii=ascii_only)
    corpus = load(path)
    assert isinstance(corpus._details, LineDetails)
    wanted = [read_line(line, 1)[0] for line in path.read_bytes().splitlines()]
    assert list(corpus) == wanted
    assert corpus.ids == [document.id for document in wanted]
    assert [corpus.segmentation(row) for row in range(900)] == [each.segmentation for each in wanted]


def test_documents_can_be_asked_for_in_any_order(tmp_path):
    path = write(tmp_path / "d.jsonl", lines(900, seed=2))
    wanted = [read_line(line, 1)[0] for line in path.read_bytes().splitlines()]
    corpus = load(path)
    order = list(range(900))
    random.Random(3).shuffle(order)
    for row in order:
        assert corpus[wanted[row].id] == wanted[row]


def test_blank_lines_and_a_missing_last_line_end(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(
        '\n{"id": "a", "units": ["x", "y"], "boundaries": [1]}\n\n  {"id": "b", "units": ["z"], "masses": [1]}'
    )
    assert [document.units for document in load(path)] == [("x", "y"), ("z",)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "b", "units": ["x: y", "z"], "units": ["p", "q"], "boundaries": [1]}', "twice"),
        ('{"id": "b", "n_units": 3, "units": ["x", "z"], "boundaries": [1]}', "n_units"),
        ('{"id": "b", "units": ["x", 5], "boundaries": [1]}', "units"),
        ('{"id": "b", "n_units": 3, "scores": [0.5], "boundaries": [1]}', "scores"),
        ('{"id": "b", "units": ["x", "z"], "speakers": ["A"], "boundaries": [1]}', "speakers"),
        ('{"id": "b", "units": ["x", "z"], "boundaries": [2]}', "boundar"),
        ('{"id": "b", "units": [], "boundaries": []}', "unit"),
        ('{"id": "a", "units": ["x", "z"], "boundaries": []}', "twice"),
    ],
)
def test_a_fault_is_reported_with_its_line(tmp_path, line, message):
    path = tmp_path / "d.jsonl"
    path.write_text('{"id": "a", "units": ["x", "y"], "boundaries": [1]}\n' + line + "\n")
    with pytest.raises(CaesuraError, match=message) as caught:
        load(path)
    assert "2" in str(caught.value)


def test_documents_without_boundaries_are_read_line_by_line(tmp_path):
    path = write(tmp_path / "d.jsonl", [{"id": "a", "units": ["x", "y"]}])
    assert not load(path).complete
