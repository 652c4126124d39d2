"""``caesura segment`` and ``caesura segmenters``."""

from __future__ import annotations

import json
import sys
import types

import pytest

UNITS = ["cats purr", "a cat purrs", "cats sleep", "rain falls", "the rain fell", "falling rain"]
DOCS = [{"id": "d1", "units": UNITS, "boundaries": [3]}, {"id": "d2", "units": UNITS[:2], "boundaries": []}]


@pytest.fixture
def docs(write):
    return write("docs.jsonl", *DOCS)


def test_one_method_is_one_file_with_scores(run, docs, tmp_path):
    target = tmp_path / "tt.jsonl"
    code, out, err = run("segment", docs, "--method", "TextTiling(window=2)", "-o", target)
    assert (code, err) == (0, "")
    assert out.startswith(f"{target}: 2 documents, 12.5 boundaries per 100 units, ")
    first, second = map(json.loads, target.read_text().splitlines())
    assert first["boundaries"] == [3]
    assert len(first["scores"]) == 5
    assert first["made_by"]["method"] == "TextTiling(window=2)"
    assert second["boundaries"] == []
    assert run("evaluate", docs, target, "--strict").code == 0
    code, _, err = run("segment", docs, "--method", "TextTiling", "-o", target)
    assert code == 2
    assert "exists already" in err
    assert run("select", target, "--top-k", "2").out.count("boundaries") == 2


def test_several_methods_are_a_folder(run, docs, tmp_path):
    folder = tmp_path / "systems"
    call = ("segment", docs, "--method", "TextTiling(window=2)", "--method", "even", "-o", folder)
    assert run(*call).code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["TextTiling-window-2.jsonl", "even-oracle.jsonl"]
    assert run(*call).code == 2
    assert run(*call, "--force").code == 0
    assert run("compare", docs, *folder.iterdir()).code == 0
    code, _, err = run("segment", docs, "--method", "none", "--method", "all")
    assert (code, err) == (2, "caesura: give a folder for the outputs of several methods: -o FOLDER\n")
    code, _, err = run("segment", docs, "--method", "none", "--method", "all", "-o", docs)
    assert code == 2
    assert "is an input" in err


def test_one_failing_method_keeps_the_others(run, write, tmp_path):
    bare = write("bare.jsonl", {"id": "d", "n_units": 5})
    call = ("segment", bare, "--method", "TextTiling", "--method", "none", "-o", tmp_path / "out")
    code, out, err = run(*call)
    assert code == 4
    assert "none.jsonl" in out
    assert err == ("caesura: TextTiling: document 'd' has no text to segment; add 'units', the text of each unit\n")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["none.jsonl"]
    code, _, err = run("segment", bare, "--method", "TextTiling", "-o", tmp_path / "x.jsonl")
    assert code == 2
    assert not (tmp_path / "x.jsonl").exists()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise SystemExit(3)", "somebodys:cut fails on document 'd1' (SystemExit: 3); repair it"),
        ("return [float('nan')] * 5", "document 'd1': somebodys:cut returned a score that is not finite; repair it"),
        ("return None", "document 'd1': somebodys:cut returned a NoneType; return a list of boundaries, scores or chunks"),
    ],
)  # fmt: skip
def test_a_failing_function_is_named_once_and_keeps_the_others(run, docs, tmp_path, monkeypatch, body, message):
    module = types.ModuleType("somebodys")
    exec(f"def cut(units):\n    {body}", module.__dict__)
    monkeypatch.setitem(sys.modules, "somebodys", module)
    call = ("segment", docs, "--method", "somebodys:cut", "--method", "none", "-o", tmp_path / "out")
    code, _, err = run(*call)
    assert (code, err) == (4, f"caesura: {message}\n")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["none.jsonl"]


def test_text_in_and_lines_out(run, write):
    text = write("notes.txt", "Cats purr.", "A cat purrs.", "Rain falls.", "The rain fell.")
    code, out, _ = run("segment", text, "--from", "text(by='line')", "--method", "TextTiling(window=1)")
    assert code == 0
    assert json.loads(out)["boundaries"] == [2]


def test_vectors_of_an_encoder(run, docs):
    method = "ScoreThenSelect(scorer='VectorDepth', selector='TopKSelector(k=1)')"
    code, out, _ = run("segment", docs, "--method", method)
    assert code == 0
    recipe = json.loads(out.splitlines()[0])["made_by"]
    assert recipe["encoder"].startswith("default ")


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("TextTilling", "'TextTilling' is not a segmenter; did you mean TextTiling"),
        ("TextTiling(n_segments=0)", "parameter n_segments is 0; it must be a number of at least 1"),
        ("TextTiling(stop_words='nowhere.txt')", "stop_words is 'nowhere.txt', which cannot be read"),
        ("TextTiling(n_segments='oracle', per_100=3.0)", "give n_segments or per_100, not both"),
    ],
)
def test_bad_methods_are_one_line(run, docs, method, message):
    code, out, err = run("segment", docs, "--method", method)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_segmenters_are_listed_and_described(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = run("segmenters").out
    assert "TextTiling" in out
    assert max(map(len, out.splitlines())) <= 80
    out = run("segmenters", "TextTiling").out
    assert "window=6: units in each block" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "is not a segmenter" in run("segmenters", "Nothing").err
