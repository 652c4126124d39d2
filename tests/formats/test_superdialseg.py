# SPDX-License-Identifier: Apache-2.0
"""SuperDialseg's JSON, as its loaders describe it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caesura.errors import CaesuraError
from caesura.formats import detect, load

FLAGS = (0, 1, 0, 0, 1, 0)
TOPICS = (0, 0, 1, 1, 1, 2)


def turns(flags: Any = FLAGS, topics: Any = TOPICS) -> list[dict[str, Any]]:
    return [
        {"turn_id": n, "role": "user" if n % 2 else "agent", "utterance": f"Turn {n}.", "topic_id": t, "segmentation_label": f}
        for n, (f, t) in enumerate(zip(flags, topics, strict=True))
    ]  # fmt: skip


def written(folder: Path, *dialogues: list[dict[str, Any]], also: dict[str, Any] | None = None) -> Path:
    path = folder / "test.json"
    data = {"superseg-v2": [{"dial_id": f"d{n}", "turns": each} for n, each in enumerate(dialogues, start=1)]}
    path.write_text(json.dumps({"dial_data": {**data, **(also or {})}}, indent=1))
    return path


def test_dialogues(tmp_path: Path) -> None:
    path = written(tmp_path, turns(), turns(flags=(0,) * 6, topics=(0,) * 6))
    assert detect(path).name() == "superdialseg"
    corpus = load(path)
    assert corpus.ids == ["d1", "d2"]
    assert corpus["d1"].segmentation is not None
    assert corpus["d1"].segmentation.masses == (2, 3, 1)
    assert (corpus["d1"].unit, corpus["d1"].units[0]) == ("turn", "Turn 0.")  # type: ignore[index]
    assert corpus["d1"].speakers == ("agent", "user") * 3
    assert corpus.flat.segmentation(1, "turn").masses == (6,)


def test_the_last_turn_says_nothing_and_either_key_may_be_absent(tmp_path: Path) -> None:
    closed = turns(flags=(0, 1, 0, 0, 1, 1))
    only_topics = [{k: v for k, v in turn.items() if k != "segmentation_label"} for turn in turns()]
    only_flags = [{k: v for k, v in turn.items() if k != "topic_id"} for turn in turns()]
    bare = [{"utterance": "x"}, {"utterance": "y"}]
    corpus = load(written(tmp_path, closed, only_topics, only_flags, bare))
    assert [d.segmentation and d.segmentation.masses for d in corpus] == [(2, 3, 1)] * 3 + [None]


def test_several_corpora_in_one_file_stay_apart(tmp_path: Path) -> None:
    path = written(tmp_path, turns(), also={"tiage": [{"dial_id": "d1", "turns": turns()}]})
    assert load(path).ids == ["superseg-v2/d1", "tiage/d1"]


@pytest.mark.parametrize(
    ("dialogue", "message"),
    [
        (turns(topics=(0, 0, 0, 1, 1, 2)), "'d2': topic_id and segmentation_label disagree: only segmentation_label has a boundary after turn 2"),
        (turns(flags=(0, 1, 0, 0, 0, 0)), "only topic_id has a boundary after turn 5"),
        (turns(flags=(0, 2, 0, 0, 1, 0)), "the segmentation_label of turn 2 is 2; it must be 0 or 1"),
        (turns(flags=(0, None, 0, 0, 1, 0)), "the segmentation_label of turn 2 is None"),
        (turns(topics=(0, 0, None, 1, 1, 2)), "turn 3 has no topic_id, but others do"),
        ([], "dialogue 'd2' has no turns"),
        ([{"role": "user"}], "has no 'utterance'"),
        ([{"utterance": 3}], "utterance is an integer; it must be a string"),
    ],
)  # fmt: skip
def test_damage_is_one_line(tmp_path: Path, dialogue: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(CaesuraError) as caught:
        load(written(tmp_path, turns(), dialogue))
    assert message in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'test.json'}:")
    assert "\n" not in str(caught.value)


def test_repeated_dialogues_and_no_dialogue(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    path.write_text(json.dumps({"dial_data": {"x": [{"dial_id": 1, "turns": turns()}] * 2}}))
    with pytest.raises(CaesuraError, match="'1' appears twice"):
        load(path)
    path.write_text('{"dial_data": {}}')
    with pytest.raises(CaesuraError, match="holds no dialogue"):
        load(path)
