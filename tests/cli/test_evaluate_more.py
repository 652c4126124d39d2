"""``caesura evaluate`` with what can be added: baselines, intervals, comparison, skill, verdict, levels, gates."""

from __future__ import annotations

import json

import numpy as np
import pytest


@pytest.fixture
def files(write):
    rng = np.random.default_rng(5)
    gold, good, bad = [], [], []
    for number in range(30):
        boundaries = sorted((np.flatnonzero(rng.random(29) < 0.2) + 1).tolist()) or [7]
        moved = sorted({min(29, max(1, b + int(rng.integers(0, 2)))) for b in boundaries})
        noise = sorted(rng.choice(29, size=len(boundaries), replace=False) + 1)
        for rows, chosen in ((gold, boundaries), (good, moved), (bad, [int(b) for b in noise])):
            rows.append({"id": f"d{number}", "n_units": 30, "boundaries": chosen})
    return write("gold.jsonl", *gold), write("good.jsonl", *good), write("bad.jsonl", *bad)


def test_everything_at_once_as_json(run, files):
    code, out, err = run(
        "evaluate", *files, "-m", "W-F1", "-m", "Pk", "--compare", "--ci", "--skill", "--verdict", "--resamples", 200,
        "--baselines", "none,every,random_density", "--format", "json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert list(result["systems"]) == ["good", "bad", "none", "every", "random_density"]
    assert result["seed"] == 0
    low, high = result["intervals"]["good"]["W-F1"]
    assert low <= result["systems"]["good"]["W-F1"]["score"] <= high
    assert result["skill"]["good"]["W-F1"]["skill"] > result["skill"]["bad"]["W-F1"]["skill"]
    assert result["verdicts"]["good"]["verdict"] == "calibrated"
    pair = next(
        c for c in result["comparisons"] if (c["metric"], c["first"], c["second"]) == ("W-F1", "good", "bad")
    )
    assert pair["better"] == "good"
    assert pair["p_corrected"] < 0.05
    assert pair["density"] + pair["placement"] == pytest.approx(pair["difference"])
    assert set(pair) >= {
        "difference",
        "ci",
        "p",
        "p_corrected",
        "delta_bor",
        "density",
        "placement",
        "regimes",
    }
    # For Pk lower is better: the same system wins with a negative difference.
    errors = next(
        c for c in result["comparisons"] if (c["metric"], c["first"], c["second"]) == ("Pk", "good", "bad")
    )
    assert errors["difference"] < 0
    assert errors["better"] == "good"


@pytest.mark.parametrize("target", ["table", "csv", "markdown", "latex"])
def test_tables_of_every_addition(run, files, target):
    code, out, err = run(
        "evaluate",
        *files,
        "-m",
        "W-F1",
        "--compare",
        "--ci",
        "--skill",
        "--verdict",
        "--resamples",
        50,
        "--format",
        target,
    )
    assert (code, err) == (0, "")
    assert "good" in out


def test_results_file_keeps_the_additions(run, files, tmp_path):
    target = tmp_path / "r.json"
    assert run("evaluate", *files, "-m", "W-F1", "--compare", "--resamples", 50, "-o", target).code == 0
    stored = json.loads(target.read_text())
    assert stored["comparisons"][0]["metric"] == "W-F1"
    assert stored["counts"]["file"] == "r.counts.npz"


def test_gates(run, files):
    gold, good, bad = files
    assert run("evaluate", gold, good, "-m", "W-F1", "--gate", "W-F1=0.5").code == 0
    code, out, err = run(
        "evaluate", gold, good, bad, "-m", "W-F1", "-m", "Pk", "--gate", "W-F1=0.8", "--gate", "Pk=0.9"
    )
    assert code == 1
    assert "W-F1" in out
    assert err.count("\n") == 1
    assert err.startswith("caesura: gate: bad, W-F1: is 0.")
    assert "must be at least 0.8" in err
    code, _, err = run("evaluate", gold, good, "-m", "W-F1", "--gate", "Nonsense=0.5")
    assert code == 2
    assert err.count("\n") == 1


def test_a_drop_fails_only_if_it_is_significant(run, files, tmp_path):
    gold, good, bad = files
    last = tmp_path / "last.json"
    assert run("evaluate", gold, f"mine={good}", "-m", "W-F1", "-o", last).code == 0
    assert (
        run("evaluate", gold, f"mine={good}", "-m", "W-F1", "--against", last, "--max-drop", "0.02").code == 0
    )
    code, _, err = run("evaluate", gold, f"mine={bad}", "-m", "W-F1", "--against", last, "--max-drop", "0.02")
    assert code == 1
    assert "caesura: gate: mine, W-F1" in err
    assert (
        run("evaluate", gold, f"mine={bad}", "-m", "W-F1", "--against", last, "--max-drop", "0.9").code == 0
    )
    code, _, err = run("evaluate", gold, good, "-m", "W-F1", "--against", gold)
    assert code == 2
    assert err.count("\n") == 1


def test_levels(run, write):
    gold = write("gold.jsonl", {"id": "d", "n_units": 9, "boundaries": [3, 6], "hierarchy": [[6], [3, 6]]})
    fine = write("fine.jsonl", {"id": "d", "n_units": 9, "boundaries": [3, 6]})
    code, out, _ = run("evaluate", gold, fine, "--levels", "--format", "json")
    assert code == 0
    matched = json.loads(out)["matches"]["fine"]
    assert (matched["by_score"], matched["by_density"]) == (2, 2)
    assert run("evaluate", gold, fine, "--levels").code == 0
    code, _, err = run("evaluate", fine, fine, "--levels")
    assert code == 2
    assert err.count("\n") == 1


def test_additions_need_one_reference(run, write):
    gold = write("gold.jsonl", {"id": "d", "n_units": 9, "annotations": {"a": [3], "b": [4]}})
    system = write("s.jsonl", {"id": "d", "n_units": 9, "boundaries": [3]})
    for option in (["--compare"], ["--skill"], ["--verdict"], ["--ci"], ["--gate", "W-F1=0.1"]):
        code, out, err = run("evaluate", gold, system, "--reference", "annotators", *option)
        assert (code, out) == (2, "")
        assert "one reference" in err
    assert (
        run(
            "evaluate", gold, system, "--reference", "annotators", "--baselines", "none,random_annotators"
        ).code
        == 0
    )


def test_baseline_names(run, files, write):
    code, _, err = run("evaluate", files[0], files[1], "--baselines", "nonne")
    assert code == 2
    assert "none" in err
    clash = write("none.jsonl", *files[1].read_text().splitlines())
    code, _, err = run("evaluate", files[0], clash, "--baselines", "none")
    assert code == 2
    assert "both called 'none'" in err


def test_verdicts_of_documents_and_their_lines(run, files):
    code, out, _ = run(
        "evaluate", *files, "-m", "W-F1", "--verdict", "--per-document", "--verdict-lines", "low_bor=0.5,percentile=99",
        "--format", "json",
    )  # fmt: skip
    assert code == 0
    result = json.loads(out)
    for verdict in result["verdicts"].values():
        assert set(verdict["documents"]) == set(result["documents"])
        assert "bor:0.5..1.2|high:>p99" in verdict["signature"]
        assert set(verdict["advice"]) == {"summarising", "retrieval", "exploration"}
    assert result["regime"]["annotation"]["documents"] == len(result["documents"])
    assert set(result["regime"]["density_error"]) == set(result["verdicts"])
    out = run("evaluate", *files, "-m", "W-F1", "--verdict").out
    for use in ("for summarising:", "for retrieval:", "for exploration:"):
        assert use in out
    code, _, err = run("evaluate", *files, "--verdict", "--verdict-lines", "low_br=1")
    assert (code, "did you mean low_bor" in err) == (2, True)
    assert "write NAME=NUMBER" in run("evaluate", *files, "--verdict", "--verdict-lines", "low_bor=x").err
