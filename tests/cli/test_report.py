"""``caesura report``: one page from results files."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import re

import pytest

from caesura.results import read_results


def part(path, name):
    """Return a part of the data of a page."""
    text = re.search(rf'<script type="text/plain" id="{name}">([^<]*)</script>', path.read_text())[1]
    return json.loads(gzip.decompress(base64.b64decode(text)))


@pytest.fixture
def stored(run, files, tmp_path):
    """Return the results file of an evaluation, beside the files that were measured."""
    path = tmp_path / "results.json"
    assert run("evaluate", *files, "-m", "Pk", "-m", "W-F1", "-m", "BOR", "-o", path).code == 0
    return path


def test_a_page_with_tables_documents_and_scores(run, stored, tmp_path):
    target = tmp_path / "report.html"
    done = run("report", stored, "-o", target)
    assert done.code == 0, done.err
    assert done.err == ""
    assert done.out.startswith(f"{target}: 0.")
    (section,) = part(target, "index")["sections"]
    assert section["name"] == "results.json"
    assert section["results"]["systems"] == json.loads(stored.read_text())["systems"]
    assert len(section["results"]["per_document"]["good"]["Pk"]) == 30
    assert section["documents"]["systems"] == ["good", "bad"]
    first = part(target, "block-0-0")[0]
    assert first["id"] == "d0"
    assert first["ref"]
    assert section["command"].startswith("caesura evaluate gold.jsonl good.jsonl bad.jsonl -m Pk")


def test_an_existing_page_is_kept_without_force(run, stored, tmp_path):
    target = tmp_path / "report.html"
    target.write_text("mine")
    done = run("report", stored, "-o", target)
    assert done.code == 2
    assert "--force" in done.err
    assert target.read_text() == "mine"
    assert run("report", stored, "-o", target, "--force").code == 0


def test_an_input_is_never_replaced(run, stored):
    before = stored.read_text()
    assert run("report", stored, "-o", stored, "--force").code == 2
    assert stored.read_text() == before


def test_without_the_files_the_page_says_what_to_do(run, stored, files, tmp_path):
    for path in files:
        path.unlink()
    target = tmp_path / "report.html"
    done = run("report", stored, "-o", target)
    assert done.code == 0
    where = f"{stored.parent.resolve()}, the folder of {stored}; name the file with --inputs"
    assert f"gold.jsonl: not found (looked for gold.jsonl in {where}); its documents are not shown" in done.err
    (section,) = part(target, "index")["sections"]
    assert section["documents"] is None
    assert "--inputs FILE" in section["hint"]


def test_several_results_are_sections_of_one_page(run, stored, files, tmp_path):
    other = tmp_path / "other.json"
    assert run("compare", *files, "-m", "W-F1", "--resamples", 50, "--permutations", 99, "-o", other).code == 0
    target = tmp_path / "report.html"
    assert run("report", stored, other, stored, "-o", target).code == 0
    names = [section["name"] for section in part(target, "index")["sections"]]
    assert names == ["results.json", "other.json", "results.json (2)"]
    assert part(target, "block-2-0")[0]["id"] == "d0"


@pytest.mark.parametrize("data", [b"{}", b"{", b'{"schema": "caesura.results/9"}', b"\xff", b""])
def test_a_file_that_is_no_results_file_is_refused_in_one_line(run, tmp_path, data):
    path = tmp_path / "results.json"
    path.write_bytes(data)
    done = run("report", path, "-o", tmp_path / "r.html")
    assert done.code == 2
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "r.html").exists()


def test_figures(run, stored, tmp_path):
    pytest.importorskip("vl_convert", reason="the extra report is not installed")
    target, folder = tmp_path / "report.html", tmp_path / "figures"
    done = run("report", stored, "-o", target, "--figures", folder)
    assert done.code == 0, done.err
    assert {path.name for path in folder.iterdir()} >= {
        "results.svg",
        "results.png",
        "results.pdf",
        "results.csv",
        "results-1.csv",
    }
    results = read_results(stored)
    rows = list(csv.DictReader((folder / "results.csv").open()))
    for metric in results.metrics:
        drawn = {row["system"]: float(row["score"]) for row in rows if row["panel"].startswith(f"{metric} (")}
        wanted = {name: scores[metric].score for name, scores in results.systems.items()}
        assert drawn in ({}, {name: score for name, score in wanted.items() if score is not None})
    assert len(rows) > len(results.systems)
    assert run("report", stored, "-o", tmp_path / "other.html", "--figures", folder).code == 2
    assert not (tmp_path / "other.html").exists()


def test_a_figure_beside_what_is_printed(run, files, tmp_path):
    pytest.importorskip("vl_convert", reason="the extra report is not installed")
    done = run("evaluate", *files, "-m", "Pk", "--figure", tmp_path / "scores.svg")
    assert done.code == 0, done.err
    assert (tmp_path / "scores.svg").read_text().startswith("<svg")
    assert run("evaluate", *files, "-m", "Pk", "--figure", tmp_path / "scores.gif").code == 2


def test_the_title_of_a_page_and_of_a_bundle(run, stored, tmp_path):
    target, folder = tmp_path / "report.html", tmp_path / "site"
    assert run("report", stored, "-o", target, "--title", "A & B").code == 0
    assert "<title>A &amp; B</title>" in target.read_text()
    assert run("explore", stored, "--bundle", folder, "--title", "A & B").code == 0
    assert "<title>A &amp; B</title>" in (folder / "index.html").read_text()
