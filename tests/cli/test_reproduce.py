"""``caesura reproduce``."""

from __future__ import annotations

import json
import os

import pytest

from caesura.experiments import reproductions
from caesura.experiments.reproductions import Reproduction
from caesura.results import read_results
from caesura.results.reproduction import Absent, Cell, FileCheck

DATA = os.environ.get("CAESURA_DATA")


@pytest.mark.skipif(not DATA, reason="CAESURA_DATA is not set; the released gold is not shipped")
def test_paper_003(run, tmp_path):
    path = tmp_path / "003.json"
    code, out, err = run("reproduce", "003", "-o", path)
    assert (code, err) == (0, "")
    for text in ("printed", "as_run", "paper", "matched", "Released files", "Not reproduced here"):
        assert text in out
    plain = json.loads(path.read_text())["reproduction"]
    assert plain["matched"] is True
    assert {"item", "dataset", "row", "column", "printed", "as_run", "paper", "reason"} <= set(
        plain["cells"][0]
    )
    assert "exists" in run("reproduce", "003", "-o", path).err
    assert run("show", path) == (0, out, "")
    assert run("show", path, "--format", "json").out == path.read_text()


def test_list_and_refusals(run, monkeypatch, tmp_path):
    code, out, _ = run("reproduce")
    assert code == 0
    assert "003" in out
    code, _, err = run("reproduce", "103", "--data", tmp_path)
    assert (code, "did you mean 003" in err) == (2, True)
    monkeypatch.delenv("CAESURA_DATA", raising=False)
    code, _, err = run("reproduce", "003")
    assert (code, err.count("\n")) == (2, 1)
    assert "CAESURA_DATA" in err
    for option in (("-o", tmp_path / "r.json"), ("--unmatched",), ("--data", tmp_path)):
        code, _, err = run("reproduce", *option)
        assert (code, "needs PAPER" in err) == (2, True)


@pytest.mark.parametrize("target", ["table", "csv", "json"])
def test_what_does_not_match_fails_and_is_shown_again(run, monkeypatch, tmp_path, target):
    cells = [
        Cell("Table 1", "d", "r", "W-F1", "0.53", 0.5279, 0.5, "another rule"),
        Cell("Table 1", "d", "r", "BOR", "1.00", 0.5),
    ]
    files = [FileCheck("f.csv", "n", 10, 0.0, 0.0)]
    wrong = Reproduction("003", "a title", cells, files, [Absent("Table 2", "all of it", "needs a model")])
    monkeypatch.setattr(reproductions, "reproduce", lambda paper, folder: wrong)
    path = tmp_path / "wrong.json"
    printed = run("reproduce", "003", "--unmatched", "-o", path, "--format", target)
    assert (printed.code, printed.err) == (1, "")
    assert "0.5279" not in printed.out
    assert "f.csv" not in printed.out
    if target != "csv":
        assert "1 of 2 printed numbers" in printed.out
    assert run("show", path, "--format", target).out == printed.out
    found = read_results(path).reproduction
    assert found is not None
    assert (found.matched, found.cells, found.files) == (False, cells[1:], [])
