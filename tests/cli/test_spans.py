"""``caesura spans``."""

from __future__ import annotations

import json

import pytest

DOCS = [
    {"id": "d1", "units": ["The sun rose.", "It was warm.", "Birds sang."]},
    {"id": "d2", "units": ["Rain fell.", "It was cold.", "Nobody sang."]},
]
GOLD = [{"id": "d1", "spans": ["warm. Birds", [0, 7]]}, {"id": "d2", "unit": "sentence", "spans": [[0, 2]]}]
CHUNKS = [
    {"id": "d1", "chunks": ["The sun rose. It was warm.", "Birds sang."]},
    {"id": "d2", "chunks": ["Rain fell.", "It was cold. Nobody sang."]},
]


@pytest.fixture
def files(write):
    return write("docs.jsonl", *DOCS), write("gold.jsonl", *GOLD), write("chunks.jsonl", *CHUNKS)


def test_json_is_in_the_manner_of_evaluate(run, write, files):
    whole = write("whole.jsonl", *[{"id": d["id"], "n_units": 3, "boundaries": []} for d in DOCS])
    code, out, err = run("spans", *files, f"all={whole}", "--format", "json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["systems"]["chunks"]["Inside"]["score"] == pytest.approx(1 / 3)
    assert data["systems"]["chunks"]["Chunks"]["score"] == pytest.approx(5 / 3)
    assert data["systems"]["all"]["Inside"]["score"] == 1
    assert data["against"] == "spans"
    assert len(data["intervals"]["chunks"]["Inside"]) == 2
    assert data["worst"]["chunks"][0]["span"]
    assert data["worst"]["all"] == []


def test_tables_and_files(run, files, tmp_path):
    code, out, _ = run("spans", *files, "-o", tmp_path / "r.json", "--csv", tmp_path / "t.csv")
    assert code == 0
    assert "Inside" in out
    assert "Worst spans" in out
    assert "warm. Birds" in out
    assert json.loads((tmp_path / "r.json").read_text())["systems"]["chunks"]["Cut"][
        "score"
    ] == pytest.approx(2 / 3)
    assert (tmp_path / "t.csv").read_text().startswith("system,")
    code, _, err = run("spans", *files, "-o", tmp_path / "r.json")
    assert code == 2
    assert "--force" in err
    for how in ("markdown", "latex", "csv"):
        assert run("spans", *files, "--format", how, "--worst", "0").code == 0


@pytest.mark.parametrize(
    ("gold", "hint"),
    [
        (
            '{"id": "d1", "spans": ["moon"]}',
            "gold2.jsonl:1: document 'd1': span 1 ('moon') is not in the text",
        ),
        ('{"id": "d1"}', "gold2.jsonl:1: is no record such as"),
        ('{"id": "d1", "spans": 3}', "gold2.jsonl:1: document 'd1': spans is no list"),
        ("[1, 2", "gold2.jsonl:1: is no JSON"),
        ("\x00", "gold2.jsonl:1: is no JSON"),
        ("", "the file is empty"),
        ('{"id": null, "spans": []}', "the id of a document is no text"),
        ('{"id": "d1", "spans": []}\n{"id": "d1", "spans": []}', "gold2.jsonl:2: document 'd1' stands twice"),
        ('{"id": "d9", "spans": [[0, 1]]}', "gold2.jsonl:1: document 'd9' is not among the documents"),
        (
            '{"id": "d1", "spans": [[0, 99]], "unit": "sentence"}',
            "span 1 is 0..99, but the document has 3 units",
        ),
    ],
)
def test_bad_spans_are_one_line(run, write, files, gold, hint):
    code, _, err = run("spans", files[0], write("gold2.jsonl", gold), files[2])
    assert code == 2
    assert hint in err
    assert err.count("\n") == 1


def test_bad_files(run, write, files):
    code, _, err = run("spans", files[0], "nowhere.jsonl", files[2])
    assert code == 2
    assert "nowhere.jsonl: cannot be read" in err
    wrong = write("wrong.jsonl", {"id": "d1", "chunks": ["The moon."]}, CHUNKS[1])
    code, _, err = run("spans", *files[:2], wrong)
    assert code == 2
    assert "document 'd1' of 'wrong': chunk 1 ('The moon.') is not in the text" in err


def test_convert_places_chunks_on_sentences(run, files, tmp_path):
    target = tmp_path / "out.jsonl"
    code, out, _ = run("convert", files[2], target, "--project", "units", "--onto", files[0])
    assert code == 0
    assert "boundaries moved by 0 character at most" in out
    assert "chunks have other white space than the text" in out
    assert [json.loads(line)["boundaries"] for line in target.read_text().splitlines()] == [[2], [1]]


def test_sentences_without_their_extra(run, files, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "syntok.segmenter", None)
    (tmp_path / "tale.txt").write_text("The sun rose. It was warm.")
    code, _, err = run("spans", tmp_path / "tale.txt", *files[1:])
    assert code == 3
    assert "pip install 'caesura[sentences]'" in err
    assert err.count("\n") == 1
