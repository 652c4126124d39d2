# SPDX-License-Identifier: Apache-2.0
"""Label Studio's JSON-MIN, as label-studio-sdk 2.1.2 writes it (``Converter.convert_to_json_min``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import CaesuraError
from caesura.formats import detect, load

SAMPLES = Path(__file__).parent / "samples" / "annotation"


def altered(folder: Path, place: int, **fields: Any) -> Path:
    records = json.loads((SAMPLES / "label_studio_min.json").read_text())
    records[place].update(fields)
    path = folder / "min.json"
    path.write_text(json.dumps([{k: v for k, v in r.items() if v is not ...} for r in records], indent=1))
    return path


def test_records_of_one_task_are_its_annotators() -> None:
    assert detect(SAMPLES / "label_studio_min.json").name() == "label_studio"
    corpus = load(SAMPLES / "label_studio_min.json")
    assert corpus.ids == ["7", "8"]
    assert corpus["7"].units == ("First line.", "Second line.", "Third line.")
    assert {who: coding.masses for who, coding in corpus["7"].annotations.items()} == {
        "ann@example.org": (2, 1),
        "2": (1, 2),
    }
    assert corpus["8"].annotations["2"].masses == (3,)  # submitted without a region: one segment


def test_a_dialogue() -> None:
    (document,) = load(SAMPLES / "label_studio_min_dialogue.json")
    assert document.speakers == ("A", "B", "A")
    assert document.annotations["1"].masses == (2, 1)


def test_other_fields_of_the_task_are_not_its_text(tmp_path: Path) -> None:
    path = altered(tmp_path, 2, sentiment="good", meta={"x": 1}, marks=["a", "b"])
    assert load(path)["8"].annotations["2"].masses == (3,)


@pytest.mark.parametrize(
    ("place", "fields", "message"),
    [
        (1, {"annotator": "ann@example.org"}, "annotator 'ann@example.org' coded it twice"),
        (1, {"annotator": ...}, "annotation 12 has no annotator"),
        (1, {"text": "First line.\nSecond LINE.\nThird line.\n"}, "different texts"),
        (1, {"text": ...}, "name the key of the text with field="),
        (0, {"label": [{"start": 0, "end": 99, "labels": ["T"]}]}, "spans 0 to 99, which is not part of the text"),
        (0, {"label": [{"start": "x", "end": 9, "labels": ["T"]}]}, "which is not part of the text"),
    ],
)
def test_damage_is_one_line(tmp_path: Path, place: int, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        load(altered(tmp_path, place, **fields))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_truncated_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "min.json"
    path.write_text((SAMPLES / "label_studio_min.json").read_text()[:-40])
    with pytest.raises(CaesuraError, match="truncated"):
        load(path)
