"""The demonstration: its answers, its page, and the example files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import caesura as cz
from caesura.cli.demo import program
from caesura.demo import ABOUT, chat_systems, example_files


def test_it_answers_within_a_screen_and_80_columns(run, tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS")
    page = tmp_path / "page.html"
    code, out, err = run("demo", "--report", str(page))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) < 60
    assert all(len(line) <= 80 for line in lines if str(tmp_path) not in line)
    # One segmenter of three wins, and the numbers are there; the people agree beyond chance.
    words = " ".join(out.split())
    assert (
        "VectorTiling is better than TextTiling and C99 on B (0.370; TextTiling 0.264, adjusted p < 0.001; C99 0.219, "
        in words
    )
    assert "VectorTiling  0.370*" in out
    assert "The annotators agree beyond chance" in words
    assert "  caesura demo --files examples" in out
    assert lines[-1].strip() == page.as_uri()
    assert "<html" in page.read_text()[:200]


def test_it_is_called_by_its_path_if_it_is_not_on_the_path(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [".venv/bin/caesura", "demo"])
    assert program() == ".venv/bin/caesura"
    monkeypatch.setattr(sys, "argv", ["src/caesura/__main__.py", "demo"])
    assert program() == "python -m caesura"
    (tmp_path / "caesura").touch(mode=0o755)
    assert program() == "caesura"


def test_as_json_it_has_the_results_of_every_question(run):
    results = json.loads(run("demo", "--format", "json").out)
    assert list(results) == ["chats", "novel", "readers"]
    scores = {name: row["B"]["score"] for name, row in results["chats"]["systems"].items()}
    similar, chats = cz.metric("B"), cz.bundled("tiage")
    assert scores == pytest.approx(
        {
            name: sum(similar(chat.segmentation, found[chat.id]) for chat in chats) / len(chats)
            for name, found in chat_systems(chats).items()
        },
        abs=1e-12,
    )


def test_full_prints_every_table(run):
    assert "Contested gaps" in run("demo", "--full").out


def test_the_example_files_are_readable_and_complete(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo", "--files", "examples")
    assert (code, err) == (0, "")
    assert all(len(line) <= 80 for line in out.splitlines())
    written = {path.relative_to("examples").parts[0] for path in Path("examples").rglob("*.*")}
    assert written == {name.strip("/") for name in ABOUT}
    assert {str(p.relative_to("examples")) for p in Path("examples").rglob("*.*")} == set(example_files())
    assert len(cz.load("examples/gold.jsonl")) == 8
    chats = cz.load("examples/chats.jsonl")
    assert (len(chats), sum(d.n_units for d in chats)) == (100, 1564)
    assert sum(d.segmentation.n_boundaries for d in chats) == 315
    assert cz.load("examples/gold.jsonl")["ch1"].units == cz.bundled("moonstone")["ch1"].units


def test_four_people_from_three_tools_are_the_readers_again(tmp_path, run):
    run("demo", "--files", str(tmp_path))
    together = cz.load(tmp_path / "people")
    novel = cz.bundled("moonstone")
    chapters = [d for d in novel if set(d.annotations) == {"an1", "an2", "an3", "an4"}]
    assert len(together) == len(chapters) == 4
    for merged, chapter in zip(together, chapters, strict=True):
        assert {name: s.boundaries for name, s in merged.annotations.items()} == {
            name: s.boundaries for name, s in chapter.annotations.items()
        }


def test_files_that_exist_are_kept(run, tmp_path):
    (tmp_path / "gold.jsonl").write_text("mine")
    code, _, err = run("demo", "--files", str(tmp_path))
    assert code != 0
    assert "gold.jsonl" in err
    assert [path.name for path in tmp_path.rglob("*.*")] == ["gold.jsonl"]
    assert (tmp_path / "gold.jsonl").read_text() == "mine"
    assert run("demo", "--files", str(tmp_path), "--force").code == 0
    assert len(cz.load(tmp_path / "gold.jsonl")) == 8
