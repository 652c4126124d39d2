"""``caesura reproduce``."""

from __future__ import annotations

import json
import os

import pytest

DATA = os.environ.get("CAESURA_DATA")


@pytest.mark.skipif(not DATA, reason="CAESURA_DATA is not set; the released gold is not shipped")
def test_paper_003(run, tmp_path):
    path = tmp_path / "003.json"
    code, out, err = run("reproduce", "003", "-o", path)
    assert (code, err) == (0, "")
    for text in ("printed", "as_run", "paper", "matched", "Released files", "Not made again here"):
        assert text in out
    plain = json.loads(path.read_text())
    assert plain["matched"] is True
    assert {"item", "dataset", "row", "column", "printed", "as_run", "paper", "reason"} <= set(
        plain["cells"][0]
    )
    assert "exists" in run("reproduce", "003", "-o", path).err


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
