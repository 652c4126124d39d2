"""Two sides in different units meet by themselves, if one knows its times or its text; signature and note say so."""

from __future__ import annotations

import json

import pytest

import caesura as cz

UNITS = [f"Sentence number {place} is spoken." for place in range(12)]
TIMES = [[place * 10 + 0.5, place * 10 + 10] for place in range(12)]
TEXT = "\n".join(UNITS)
HALVES = [half for unit in UNITS for half in (unit[: unit.index(" is")], unit[unit.index(" is") + 1 :])]
VTT = "WEBVTT\n\n00:00.000 --> 00:31.700\nA\n\n00:31.700 --> 01:10.500\nB\n\n01:10.500 --> 02:05.000\nC\n"


@pytest.fixture
def files(tmp_path, monkeypatch, write):
    """Return a current folder with one talk: a transcript, chapters, characters, clauses, and bare sentences."""
    monkeypatch.chdir(tmp_path)
    sentences = {"id": "talk", "units": UNITS, "unit": "sentence", "boundaries": [3, 7]}
    write("transcript.jsonl", {**sentences, "unit_times": TIMES})
    write("sentences.jsonl", sentences)
    write("bare.jsonl", {"id": "talk", "n_units": 12, "unit": "sentence", "boundaries": [3, 7]})
    (tmp_path / "chapters.vtt").write_text(VTT)
    (tmp_path / "list.txt").write_text("0:00 A\n0:31 B\n1:10 C\n")
    places = [TEXT.index("Sentence number 3") + 4, TEXT.index("Sentence number 7")]
    write("characters.jsonl", {"id": "talk", "n_units": len(TEXT), "unit": "character", "boundaries": places})
    write("clauses.jsonl", {"id": "talk", "units": HALVES, "unit": "clause", "boundaries": [6, 13]})
    return tmp_path


@pytest.mark.parametrize(
    ("system", "note"),
    [
        ("chapters.vtt", "counts ms, projected onto the sentence of the reference: 2 boundaries moved by 0.6 s in the median, 1.2 s at most"),
        ("list.txt", "counts ms, projected onto the sentence of the reference: 2 boundaries moved by 0.5 s in the median, 0.5 s at most"),
        ("characters.jsonl", "counts character, projected onto the sentence of the reference: 2 boundaries moved by 2 characters in the median, 4 characters at most"),
        ("clauses.jsonl", "counts clause, projected onto the sentence of the reference: 2 boundaries moved by 5.5 characters in the median, 11 characters at most"),
    ],
)  # fmt: skip
def test_a_system_is_projected_onto_the_units_of_the_reference(run, files, system, note):
    code, out, _ = run("evaluate", "transcript.jsonl", system, "-m", "Pk", "-o", "r.json")
    assert code == 0
    assert "|project:units|" in out
    assert note in out
    scores = cz.evaluate("transcript.jsonl", {"system": system, "same": "sentences.jsonl"}, ["Pk", "B"]).scores
    assert scores["system"] == scores["same"]
    assert json.loads((files / "r.json").read_text())["inputs"][1]["assumed"]["project"] == "units"
    code, _, err = run("report", "r.json", "-o", "page.html")
    assert (code, err) == (0, "")


@pytest.mark.parametrize("reference", ["chapters.vtt", "list.txt"])
def test_a_transcript_is_projected_onto_the_time_of_chapters(run, files, reference):
    code, out, _ = run("evaluate", reference, "transcript.jsonl", "-m", "BoundaryF1(tolerance='10s')", "-o", "r.json")
    assert code == 0
    assert "|project:ms|" in out
    assert "counts sentence, projected onto the ms of the reference: 2 boundaries moved by 0 s" in out
    assert "unknown on both sides" not in out
    unit, end = "ms", 125_000 if reference == "chapters.vtt" else 120_000
    starts = (31_700, 70_500) if reference == "chapters.vtt" else (31_000, 70_000)
    gold, system = cz.Segmentation(end, starts, unit=unit), cz.Segmentation(end, (30_500, 70_500), unit=unit)
    by_hand = cz.evaluate({"a": gold}, {"s": {"a": system}}, ["Pk", "WindowDiff"]).scores["s"]
    assert cz.evaluate(reference, "transcript.jsonl", ["Pk", "WindowDiff"]).scores["transcript"] == by_hand


def test_sentences_are_projected_onto_the_characters_of_the_reference(run, files):
    code, out, _ = run("evaluate", "characters.jsonl", "sentences.jsonl", "-m", "Pk")
    assert code == 0
    assert "|project:character|" in out
    write = {"id": "talk", "n_units": len(TEXT) + 1, "unit": "character", "boundaries": [9]}
    (files / "other.jsonl").write_text(json.dumps(write) + "\n")
    for pair in (("other.jsonl", "sentences.jsonl"), ("sentences.jsonl", "other.jsonl")):
        code, _, err = run("evaluate", *pair, "-m", "Pk")
        assert code == 2
        assert f"{len(TEXT)}" in err
        assert f"{len(TEXT) + 1}" in err


def test_compare_and_explain_do_it_too(run, files):
    code, out, _ = run("compare", "transcript.jsonl", "a=chapters.vtt", "b=clauses.jsonl", "-m", "Pk")
    assert code == 0
    assert "a, counts ms, projected onto the sentence of the reference" in out
    assert "b, counts clause, projected onto the sentence of the reference" in out
    code, out, _ = run("explain", "transcript.jsonl", "chapters.vtt", "-m", "Pk")
    assert code == 0
    assert "hypothesis: counts ms, projected onto the sentence of the reference: 2 boundaries moved by 0.6 s" in out
    assert "hypothesis  12 sentences, 2 boundaries: 3-4-5" in out


@pytest.mark.parametrize(
    ("reference", "system"),
    [("bare.jsonl", "chapters.vtt"), ("chapters.vtt", "bare.jsonl"), ("bare.jsonl", "clauses.jsonl"), ("characters.jsonl", "chapters.vtt")],
)  # fmt: skip
def test_where_no_side_knows_the_way_it_is_asked_for(run, files, reference, system):
    code, _, err = run("evaluate", reference, system, "-m", "Pk")
    assert code == 2
    assert "project one onto the other first (caesura convert --project" in err
