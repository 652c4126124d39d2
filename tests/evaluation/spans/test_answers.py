# SPDX-License-Identifier: Apache-2.0
"""Questions and answers as spans: one line per answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.evaluation.spans import spans

TEXTS = {"d1": ["Cats sleep all day.", "They hunt at dawn."], "d2": ["Rain fell.", "Sellers left the market."]}
CHUNKS = {"m": {key: list(units) for key, units in TEXTS.items()}}


def written(folder: Path, *records: dict[str, object]) -> Path:
    path = folder / "qa.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_every_answer_of_a_document_counts(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        {"id": "q1", "doc_id": "d1", "question": "When?", "answer": "at dawn"},
        {"id": "q2", "doc_id": "d2", "question": "Who?", "answer": "fell. Sellers"},
        {"id": "q3", "doc_id": "d1", "question": "What?", "answer": "all day. They"},
        {"id": "q4", "doc_id": "d1", "question": "Who?", "answer": "Cats"},
    )
    report = spans(TEXTS, path, CHUNKS, resamples=10)
    assert report.scores["m"]["Inside"] == 0.5
    assert report.texts == ["d1", "d2"]
    assert report.documents == ["d1 1", "d1 2", "d1 3", "d2 1"]  # questions are the unit


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"doc_id": "d1", "answer": 3}], "span 1"),
        ([{"doc_id": "d1", "answer": "nowhere at all"}], "is not in the text"),
        ([{"answer": "Cats"}, {"answer": "dawn"}], "one has no id"),
        ([{"doc_id": "x", "answer": "Cats"}], "is not among the documents"),
        ([{"doc_id": "d1", "spans": [[0, 4]]}, {"doc_id": "d1", "spans": [[0, 4]]}], "occurs twice"),
    ],
)
def test_damage_is_one_line(tmp_path: Path, records: list[dict[str, object]], message: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        spans(TEXTS, written(tmp_path, *records), CHUNKS, resamples=10)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
