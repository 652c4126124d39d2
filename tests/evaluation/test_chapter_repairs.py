# SPDX-License-Identifier: Apache-2.0
"""Machine-made lists of chapters are repaired by a stated rule and listed; lengths of many recordings come from a file."""

from __future__ import annotations

import json
import wave
from pathlib import Path

import pytest
from click.testing import CliRunner

from caesura.cli import cli
from caesura.errors import CaesuraError, CaesuraWarning, ComparabilityError, FormatError
from caesura.evaluation.evaluate import evaluate
from caesura.evaluation.explain.run import explain
from caesura.formats import load, read_durations

GOLD = "0:00 Intro\n2:00 One\n10:00 Two\n"
F1 = "BoundaryF1(tolerance='10s')"
BROKEN = {
    "order": ("2:05 One\n0:00 Intro\n9:55 Two\n", (125_000, 595_000), "sorted by start"),
    "twice": ("0:00 Intro\n2:05 One\n2:05 Again\n", (125_000,), "of chapters with the same start, the first kept"),
    "late": ("0:12 Intro\n2:00 One\n", (12_000, 120_000), "a segment before the first chapter, at 00:00:12.000, added"),
    "after": ("0:00 Intro\n2:00 One\n15:00 X\n50:00 Y\n", (120_000,), "2 chapters after the end left out"),
    "empty": ("", (), "no chapter, so one segment"),
    "times": ("0:00 Intro\n1:75 Bad\n9:58 Two\n", (598_000,), "1 entry left out"),
}  # fmt: skip


def folder(place: Path, name: str, files: dict[str, str]) -> Path:
    made = place / name
    made.mkdir()
    for key, text in files.items():
        (made / f"{key}.txt").write_text(text)
    return made


def both(place: Path) -> tuple[Path, Path]:
    system = {key: text for key, (text, *_) in BROKEN.items()} | {"whole": GOLD}
    return folder(place, "gold", dict.fromkeys(system, GOLD)), folder(place, "auto", system)


def test_a_system_is_repaired_counted_and_listed(tmp_path: Path) -> None:
    gold, auto = both(tmp_path)
    lengths = dict.fromkeys([*BROKEN, "whole"], 900)
    e = evaluate(gold, auto, F1, durations=lengths)
    made = e.systems["auto"].corpus
    for key, (_, boundaries, rule) in BROKEN.items():
        segmentation = made[key].segmentation
        assert segmentation is not None
        assert (segmentation.n_units, segmentation.boundaries) == (900_000, boundaries)
        assert made[key].extra["repaired"] == rule
        assert len(made[key].extra["segment_titles"]) == len(boundaries) + 1
    assert made["twice"].extra["segment_titles"] == ["Intro", "One"]
    assert "repaired" not in made["whole"].extra
    (note,) = [note for note in e.results().notes if "repaired" in note]
    assert note.startswith("repaired 6 lists of chapters of 7: after (2 chapters after the end left out), empty (no")
    # By hand, with the boundaries above against 2:00 and 10:00: 1, 2/3, 1/2, 2/3, 0, 2/3, and 1 for the whole one.
    assert e.scores["auto"][F1] == pytest.approx((1 + 2 / 3 + 1 / 2 + 2 / 3 + 0 + 2 / 3 + 1) / 7)


@pytest.mark.parametrize("key", BROKEN)
def test_the_same_file_is_refused_as_a_reference_in_one_line(tmp_path: Path, key: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(BROKEN[key][0])
    other = tmp_path / "b.txt"
    other.write_text(GOLD)
    with pytest.raises(CaesuraError) as caught:
        evaluate(path, other, F1, duration="15:00")
    assert "\n" not in str(caught.value)


def test_strict_refuses_a_system_too(tmp_path: Path) -> None:
    gold, auto = both(tmp_path)
    with pytest.raises(FormatError, match="must be in order"):
        evaluate(gold, auto / "order.txt", F1, strict=True, duration="15:00")
    with pytest.raises(FormatError, match="must be in order"):
        load(auto / "order.txt")
    assert load(auto / "order.txt", repair=True)["order"].extra["repaired"] == "sorted by start"


def test_a_list_of_another_length_ends_with_the_reference(tmp_path: Path) -> None:
    gold, auto = tmp_path / "gold.json", tmp_path / "auto.json"
    gold.write_text(
        json.dumps({"duration": 900, "chapters": [{"start": 0, "title": "a"}, {"start": 120, "title": "b"}]})
    )
    for ends, rule in ((880, "ends 0:00:20 before the recording"), (905, "ends 0:00:05 after the recording")):
        entries = [{"start": 0, "end": 118, "title": "x"}, {"start": 118, "end": ends, "title": "y"}]
        auto.write_text(json.dumps({"chapters": entries}))
        e = evaluate(gold, auto, F1)
        assert e.pairs["auto"].n_units.tolist() == [900_000]
        assert any(rule in note for note in e.notes())
        assert e.scores["auto"][F1] == 1.0


def test_repairs_and_missing_documents_together(tmp_path: Path) -> None:
    gold, auto = both(tmp_path)
    (auto / "whole.txt").unlink()
    e = evaluate(gold, auto, F1, missing="skip", durations=dict.fromkeys(BROKEN, "15:00"))
    assert any("1 of 7 documents missing" in note for note in e.notes())
    assert any("repaired 6 lists of chapters of 6" in note for note in e.notes())


def test_explain_repairs_too(tmp_path: Path) -> None:
    gold, auto = both(tmp_path)
    made = explain(gold / "order.txt", auto / "order.txt", "Pk", duration="15:00")
    assert made.pairs.hyp_pos.tolist() == [125_000, 595_000]


def test_durations_of_many(tmp_path: Path) -> None:
    gold = folder(tmp_path, "gold", {"a": GOLD, "b": GOLD})
    with pytest.raises(ComparabilityError, match=r"2 recordings, which do not all last 40:00; .*--durations FILE"):
        evaluate(gold, gold, F1, duration="40:00")
    expected = {"a": 2_400_000, "b": 900_000}
    table, bare, plain = tmp_path / "l.csv", tmp_path / "bare.tsv", tmp_path / "l.json"
    table.write_text("episode,length\na,40:00\nb,15min\n")
    bare.write_text("a\t2400\nb\t900.0\n")
    plain.write_text(json.dumps({"a": {"duration": 2400}, "b": {"duration": "15:00"}}))
    transcripts = tmp_path / "transcripts"
    transcripts.mkdir()
    (transcripts / "a.tsv").write_text("start\tend\ttext\n0\t2400000\tHi.\n")
    with wave.open(str(transcripts / "b.wav"), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(10)
        sound.writeframes(bytes(9000))
    (transcripts / "cover.jpg").write_bytes(b"\xff\xd8\0")
    for source in (table, bare, plain):
        assert read_durations(source) == expected
    with pytest.warns(CaesuraWarning, match="1 file without a length ignored"):
        assert read_durations(transcripts) == expected
    for given in (table, {"a": 2400, "b": "15:00"}):
        e = evaluate(gold, gold, F1, durations=given)
        assert e.pairs["gold"].n_units.tolist() == list(expected.values())
        assert "durations:given" in e.results().systems["gold"][F1].signature
    assert json.loads((e.results().inputs[0].assumed or {})["durations"]) == {"a": "0:40:00", "b": "0:15:00"}


@pytest.mark.parametrize(
    ("durations", "message"),
    [
        ({"c": 9}, r"durations: no length of any recording, such as 'a'; the ids there are 'c'"),
        ({"a": "soon"}, r"the length of 'a' is 'soon'; write seconds, or a time"),
        ({"a": 0}, r"the length of 'a' is 0; write seconds"),
        ({"a": 60, "b": 900}, r"'reference' has a boundary at 0:10:00, but the recording lasts 0:01:00"),
    ],
)
def test_durations_that_cannot_be(tmp_path: Path, durations: dict[str, str | float], message: str) -> None:
    gold = folder(tmp_path, "gold", {"a": GOLD, "b": GOLD})
    with pytest.raises(CaesuraError, match=message):
        evaluate(gold, gold, F1, durations=durations)


def test_convert_takes_lengths(tmp_path: Path) -> None:
    gold = folder(tmp_path, "gold", {"a": GOLD, "b": GOLD})
    lengths = tmp_path / "l.csv"
    lengths.write_text("id,length\na,900\nb,1000\n")
    out, one = str(tmp_path / "out.jsonl"), str(tmp_path / "one.vtt")
    made = CliRunner().invoke(cli, ["convert", str(gold), out, "--durations", str(lengths)])
    assert made.exit_code == 0, made.output
    assert load(out).flat.n_units.tolist() == [900_000, 1_000_000]
    made = CliRunner().invoke(cli, ["convert", str(gold / "a.txt"), one, "--duration", "15:00"])
    assert made.exit_code == 0, made.output
    assert load(one)["one"].n_units == 900_000


def test_the_page_shows_what_was_scored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from caesura.reports.page.inputs import find_inputs

    both(tmp_path)
    monkeypatch.chdir(tmp_path)
    results = evaluate("gold", "auto", F1, durations=dict.fromkeys([*BROKEN, "whole"], 900)).results()
    found = find_inputs(results, folder=tmp_path)
    assert found.lacking == ()
    assert found.systems["auto"]["late"].segmentation is not None
    assert found.systems["auto"]["late"].segmentation.boundaries == (12_000, 120_000)
    assert found.systems["auto"]["after"].n_units == 900_000
