"""``caesura compare``: all pairs, or every system with one."""

from __future__ import annotations

import json

import pytest


def test_all_pairs(run, files):
    code, out, err = run(
        "compare", *files, "-m", "W-F1", "-m", "Pk", "--resamples", 200, "--baselines", "none", "--format", "json"
    )
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert result["question"] == "compare"
    pairs = {(c["metric"], c["first"], c["second"]): c for c in result["comparisons"]}
    assert len(pairs) == 2 * 3
    pair = pairs["W-F1", "good", "bad"]
    assert pair["better"] == "good"
    assert pair["p_corrected"] < 0.05
    assert pair["density"] + pair["placement"] == pytest.approx(pair["difference"])
    # For Pk lower is better: the same system wins with a negative difference.
    errors = pairs["Pk", "good", "bad"]
    assert errors["difference"] < 0
    assert errors["better"] == "good"


def test_with_one(run, files):
    code, out, _ = run("compare", *files, "-m", "W-F1", "--with", "bad", "--baselines", "none", "--format", "json")
    assert code == 0
    assert [(c["first"], c["second"]) for c in json.loads(out)["comparisons"]] == [("good", "bad"), ("none", "bad")]
    code, _, err = run("compare", *files, "--with", "baad")
    assert (code, err) == (2, "caesura: 'baad' is not one of the systems; did you mean bad?\n")


def test_one_system_cannot_be_compared(run, files):
    code, _, err = run("compare", files[0], files[1])
    assert code == 2
    assert "a comparison needs at least two" in err


def test_the_results_file_keeps_it(run, files, tmp_path):
    target = tmp_path / "r.json"
    assert run("compare", *files, "-m", "W-F1", "--resamples", 50, "-o", target).code == 0
    stored = json.loads(target.read_text())
    assert stored["comparisons"][0]["metric"] == "W-F1"
    assert stored["resampling"] == {
        "resamples": 50,
        "seed": 0,
        "level": 0.95,
        "permutations": 9999,
        "unit": "documents",
    }
    assert stored["counts"]["file"] == "r.counts.npz"
