"""``caesura reproduce``."""

from __future__ import annotations

import json

import pytest

from caesura.results import read_results
from tests.corpora import corpus_file, needs


def test_a_paper_without_any_data(run, tmp_path, monkeypatch):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    path = tmp_path / "000.json"
    code, out, err = run("reproduce", "ghinassi2024", "-o", path)
    assert (code, err) == (0, "")
    assert "All 39 numbers that can be exact have every printed digit" in out
    assert "misprint: T2 SegReFree, WD mean 0.56 for 0.05" in out
    plain = json.loads(path.read_text())
    assert plain["reproduction"]["matched"] is True
    assert {"item", "row", "column", "printed", "ours", "difference", "profile", "status", "note"} <= set(
        plain["cells"][0]
    )
    assert "exists" in run("reproduce", "000", "-o", path).err
    assert run("show", path) == (0, out, "")
    assert run("show", path, "--format", "json").out == path.read_text()
    for line in out.splitlines():
        assert len(line) <= 80


@needs("reproduction")
@pytest.mark.parametrize("folder", ["", "reproduction"])
def test_one_item_from_a_folder(run, monkeypatch, folder):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    code, out, _ = run("reproduce", "003", "t3", "--data", corpus_file(folder), "--format", "json")
    cells = json.loads(out)["cells"]
    assert code == 0
    assert {cell["item"] for cell in cells} == {"T3"}
    (random,) = [c for c in cells if (c["row"], c["column"]) == ("Random | DialSeg711", "W-F1")]
    assert (random["printed"], random["status"], random["profile"]) == ("0.528", "exact", "as_run")


@pytest.mark.filterwarnings("default::caesura.errors.CaesuraWarning")
def test_a_variable_without_a_folder_is_no_data(run, monkeypatch, tmp_path):
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    without = run("reproduce", "002", "T5")
    monkeypatch.setenv("CAESURA_DATA", "")
    assert run("reproduce", "002", "T5") == without
    monkeypatch.setenv("CAESURA_DATA", str(tmp_path / "nowhere"))
    told = run("reproduce", "002", "T5")
    assert told[:2] == without[:2]
    assert (told.err.count("\n"), "nowhere', which is not a folder, so it is ignored" in told.err) == (1, True)


def test_list_and_refusals(run, monkeypatch, tmp_path):
    everything, listed = run("reproduce"), run("reproduce", "--list")
    assert everything == listed
    assert listed.code == 0
    for word in ("003", "coen2025", "T4", "FigB", "bouchekif2016"):
        assert word in listed.out
    one = json.loads(run("reproduce", "coen2025", "--list", "--format", "json").out)
    assert {row["paper"] for row in one} == {"003"}
    code, _, err = run("reproduce", "103", "--data", tmp_path)
    assert (code, "did you mean 003" in err) == (2, True)
    code, _, err = run("reproduce", "003", "T13")
    assert (code, "has no item 'T13'" in err, err.count("\n")) == (2, True, 1)
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    code, _, err = run("reproduce", "002", "T4")
    assert (code, err.count("\n")) == (2, 1)
    assert "CAESURA_DATA" in err
    code, _, err = run("reproduce", "002", "T4", "--data", tmp_path / "nowhere")
    assert (code, "no such folder" in err, err.count("\n")) == (2, True, 1)
    for option in (("-o", tmp_path / "r.json"), ("--unmatched",), ("--data", tmp_path)):
        code, _, err = run("reproduce", *option)
        assert (code, "needs PAPER" in err) == (2, True)


@pytest.mark.parametrize("target", ["table", "csv", "json", "markdown"])
def test_what_does_not_come_out_fails_and_is_shown_again(run, monkeypatch, tmp_path, target):
    """One printed number changed: the command fails, and says which."""
    from caesura_reproductions import run as reproductions

    entries = reproductions._printed("000")
    place = ("Silhouette", "All mean")
    wrong = {**entries, "T2": {**entries["T2"], place: entries["T2"][place]._replace(printed="0.64")}}
    monkeypatch.setattr(reproductions, "_printed", lambda number: wrong)
    monkeypatch.delenv("CAESURA_DATA", raising=False)  # what needs data has no printed number that can be exact
    path = tmp_path / "wrong.json"
    printed = run("reproduce", "000", "--unmatched", "-o", path, "--format", target)
    assert (printed.code, printed.err) == (1, "")
    assert "All mean" in printed.out
    if target == "table":
        assert "38 of the 39 numbers that can be exact have every printed digit; not T2 Silhouette" in " ".join(
            printed.out.split()
        )
    assert run("show", path, "--format", target).out == printed.out
    results = read_results(path)
    places = [(cell.row, cell.column) for cell in results.cells]
    assert place in places
    assert ("SegReFree", "WD mean") in places
    assert not results.reproduction.matched
