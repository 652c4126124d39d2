"""``caesura spans``."""

from __future__ import annotations

import json

import pytest

from caesura.cli._output import show_results
from caesura.results import read_results

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
    assert len(data["systems"]["chunks"]["Inside"]["interval"]) == 2
    assert data["spans"]["worst"]["chunks"][0]["span"]
    assert data["spans"]["worst"]["all"] == []


def test_tables_and_files(run, files, tmp_path):
    code, out, _ = run("spans", *files, "-o", tmp_path / "r.json", "--csv", tmp_path / "t.csv", "--full")
    assert code == 0
    assert "Inside" in out
    assert "Worst spans" in out
    assert "warm. Birds" in out
    assert json.loads((tmp_path / "r.json").read_text())["systems"]["chunks"]["Cut"]["score"] == pytest.approx(2 / 3)
    assert (tmp_path / "t.csv").read_text().startswith("system,")
    (tmp_path / "r.json").unlink()  # the counts beside it are still there
    code, _, err = run("spans", *files, "-o", tmp_path / "r.json")
    assert code == 2
    assert "r.counts.npz: exists already" in err
    assert "--force" in err
    for how in ("markdown", "latex", "csv"):
        assert run("spans", *files, "--format", how, "--worst", "0").code == 0


@pytest.mark.parametrize(
    ("gold", "hint"),
    [
        ('{"id": "d1", "spans": ["moon"]}', "gold2.jsonl:1: document 'd1': span 1 ('moon') is not in the text"),
        ('{"id": "d1"}', "gold2.jsonl:1: is not a record such as"),
        ('{"id": "d1", "spans": 3}', "gold2.jsonl:1: document 'd1': spans is 3; write a list"),
        ('{"id": "d1", "spans": [[5, 5]]}', "gold2.jsonl:1: document 'd1': span 1 (5..5) is empty"),
        ('{"id": "d1", "spans": [[0, 5], [10, 5]]}', "document 'd1': span 2 (10..5) ends before it starts"),
        ('{"spans": [[0, 5]]}', "gold2.jsonl:1: has no id, but there are 2 documents"),
        ('{"id": "d1", "spans": []}\n{"spans": []}', "gold2.jsonl:2: there are several lines, and one has no id"),
        ("[1, 2", "gold2.jsonl:1: is not JSON"),
        ("\x00", "gold2.jsonl:1: is not JSON"),
        ("", "gold2.jsonl: is empty"),
        ('{"id": null, "spans": []}', "gold2.jsonl:1: the id of a document is None; write"),
        ('{"id": "d1", "spans": []}\n{"id": "d1", "spans": []}', "gold2.jsonl:2: document 'd1' occurs twice"),
        ('{"id": "d9", "spans": [[0, 1]]}', "gold2.jsonl:1: document 'd9' is not among the documents"),
        ('{"id": "d1", "spans": [[0, 99]], "unit": "sentence"}', "span 1 is 0..99, but the document has 3 units"),
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


def test_a_document_without_a_name_has_only_its_own_spans(run, write, tmp_path):
    docs = tmp_path / "tale.txt"
    docs.write_text("The sun rose.\nIt was warm.\n")
    chunks = tmp_path / "c.json"
    chunks.write_text('["The sun rose.", "It was warm."]')
    code, _, err = run(
        "spans", docs, write("gold2.jsonl", {"id": "nope", "spans": [[0, 5]]}), chunks, "--from", "text(by='line')"
    )
    assert code == 2
    assert "gold2.jsonl:1: document 'nope' is not among the documents; check the ids (the only" in err
    assert run("spans", docs, write("gold2.jsonl", {"spans": [[0, 5]]}), chunks, "--from", "text(by='line')").code == 0


def test_gaps_overlaps_and_comparison_are_shown(run, write, files):
    gappy = write(
        "gappy.jsonl",
        {"id": "d1", "chunks": ["The sun rose. It was", "Birds sang."]},
        {"id": "d2", "chunks": ["Rain fell. It was cold.", "It was cold. Nobody sang."]},
    )
    code, out, _ = run("spans", *files, gappy, "--full")
    assert code == 0
    assert "gappy: 5 characters in 1 place are in no chunk" in out
    assert "gappy: 1 chunk overlaps an earlier one, by 10 characters in all" in out
    assert "gappy: 1 span lies partly and 0 wholly in no chunk: such a span counts as cut" in out
    assert "Lost" in out
    assert "chunks - gappy" in out
    assert "with 2 documents no p can be below 0.5" in out
    data = json.loads(run("spans", *files, gappy, "--no-clock", "--format", "json").out)
    assert data["spans"]["chunkers"]["gappy"]["gap_characters"] == 5
    assert data["spans"]["chunkers"]["gappy"]["overlap_characters"] == 10
    (pair,) = data["comparisons"]
    assert (pair["first"], pair["second"], pair["p"]) == ("chunks", "gappy", 1)
    assert pair["difference"] == pytest.approx(-1 / 3)
    assert json.loads(run("spans", *files, "--no-clock", "--format", "json").out)["comparisons"] is None


@pytest.mark.parametrize("options", [(), ("--worst", "0"), ("--seed", "3", "--resamples", "20")])
@pytest.mark.parametrize("how", ["table", "markdown", "latex", "csv", "json"])
def test_a_results_file_shows_what_the_command_printed(run, write, files, tmp_path, capsys, options, how):
    whole = write("whole.jsonl", *[{"id": d["id"], "n_units": 3, "boundaries": []} for d in DOCS])
    gappy = write("gappy.jsonl", {"id": "d1", "chunks": ["The sun rose.", "Birds sang."]}, CHUNKS[1])
    target = tmp_path / "r.json"
    printed = run("spans", *files, whole, gappy, *options, "--format", how, "-o", target).out
    show_results(read_results(target), how)
    assert capsys.readouterr().out == printed


def test_convert_places_chunks_on_sentences(run, files, tmp_path):
    target = tmp_path / "out.jsonl"
    code, out, _ = run("convert", files[2], target, "--project", "units", "--onto", files[0])
    assert code == 0
    assert "boundaries moved by 0 characters at most" in out
    assert "chunks differ from the text in white space" in out
    assert [json.loads(line)["boundaries"] for line in target.read_text().splitlines()] == [[2], [1]]


def test_sentences_without_their_extra(run, files, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "syntok.segmenter", None)
    (tmp_path / "tale.txt").write_text("The sun rose. It was warm.")
    code, _, err = run("spans", tmp_path / "tale.txt", *files[1:])
    assert code == 3
    assert "pip install 'caesura-eval[sentences]'" in err
    assert err.count("\n") == 1


def test_the_format_of_chunks_alone_is_named(run, write, files):
    masses = write("cut.txt", "2 1", "1 2")
    call = (*files[:2], masses, "--match", "order", "--format", "json")
    code, out, err = run("spans", *call, "--chunks-from", "MASSES")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert [entry["format"] for entry in found["inputs"] if entry["role"] == "system"] == ["masses"]
    assert found["systems"]["cut"]["Inside"]["score"] == pytest.approx(1 / 3)
