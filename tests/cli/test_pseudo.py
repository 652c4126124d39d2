"""``caesura evaluate --pseudo-reference``."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def files(write):
    lines = [{"id": f"d{n}", "n_units": 9, "boundaries": [4]} for n in range(3)]
    return write("tiling.jsonl", *lines), write("a.jsonl", *lines)


def test_marked_in_json_and_in_every_table(run, files, tmp_path):
    made, system = files
    out = json.loads(run("evaluate", "--pseudo-reference", made, system, "-m", "F1", "--format", "json").out)
    assert out["against"] == "pseudo:tiling"
    assert out["systems"]["a"]["F1"]["score"] == 1
    assert "ref:pseudo:tiling" in out["systems"]["a"]["F1"]["signature"]
    code, text, _ = run(
        "evaluate", made, system, "-m", "F1", "--pseudo-reference", "--ci", "--skill", "--csv", tmp_path / "t.csv"
    )
    assert code == 0
    titles = [line for line in text.splitlines() if "pseudo-reference tiling, not gold" in line]
    assert len(titles) == 3
    assert "pseudo:tiling" in (tmp_path / "t.csv").read_text()


@pytest.mark.parametrize("option", [["--verdict"], ["--levels"], ["--against", "annotators"]])
def test_what_needs_gold_is_refused(run, files, option):
    code, _, err = run("evaluate", *files, "--pseudo-reference", *option)
    assert code == 2
    assert "--pseudo-reference" in err
    assert err.count("\n") == 1


def test_a_comparison_has_no_verdict(run, files, write):
    other = write("b.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [2]} for n in range(3)))
    made, system = files
    args = (made, system, other, "-m", "F1", "--pseudo-reference")
    out = json.loads(run("compare", *args, "--format", "json").out)
    assert out["comparisons"]
    assert out["verdicts"] is None
    code, _, err = run("gate", *args, "--min", "F1=0.5")
    assert (code, "needs gold" in err) == (2, True)
