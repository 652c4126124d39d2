"""``caesura sweep`` and ``caesura select --policy``."""

from __future__ import annotations

import json

import pytest

GOLD = ({"id": "a", "n_units": 6, "boundaries": [3]}, {"id": "b", "n_units": 5, "boundaries": [2]})
SCORED = (
    {"id": "a", "n_units": 6, "scores": [0.1, 0.2, 0.9, 0.3, 0.1]},
    {"id": "b", "n_units": 5, "scores": [0.1, 0.8, 0.4, 0.2]},
)


@pytest.fixture
def files(write):
    return write("gold.jsonl", *GOLD), write("m.jsonl", *SCORED)


def test_json(run, files):
    code, out, err = run(
        "sweep",
        *files,
        "--thresholds",
        "0.05:0.95:0.05",
        "--min-gap",
        3,
        "--resamples",
        50,
        "--format",
        "json",
    )
    assert (code, err) == (0, "")
    rows = json.loads(out)["curves"]["m"]
    assert len(rows) == 19
    assert rows[0]["threshold"] == 0.05
    assert rows[-1]["threshold"] == 0.95
    at_half = next(row for row in rows if row["threshold"] == 0.5)
    assert (at_half["BOR"], at_half["W-F1"], at_half["Purity"], at_half["Coverage"]) == (1.0, 1.0, 1.0, 1.0)
    assert len(at_half["W-F1_ci"]) == 2


@pytest.mark.parametrize("target", ["table", "csv", "markdown", "latex"])
def test_other_formats(run, files, target):
    code, out, _ = run("sweep", *files, "--thresholds", "0.2,0.5", "--resamples", 20, "--format", target)
    assert code == 0
    assert "W-F1" in out


def test_policy_from_sweep_to_select(run, files, tmp_path):
    policy = tmp_path / "policy.json"
    code, out, _ = run("sweep", *files, "--target-bor", 1, "--save-policy", policy, "--resamples", 20)
    assert code == 0
    assert "Chosen for m: StaticSelector(" in out
    out = run("select", files[1], "--policy", policy).out
    assert [json.loads(line)["boundaries"] for line in out.splitlines()] == [[3], [2]]
    code, _, err = run("sweep", *files, "--target-bor", 1, "--save-policy", policy)
    assert code == 2
    assert "--force" in err


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--thresholds", "a:b:c"], "cannot be read"),
        (["--thresholds", "0.9:0.1:0.1"], "cannot be read"),
        (["--thresholds", "0.1:0.9"], "cannot be read"),
        (["--save-policy", "p.json"], "needs a choice"),
        (["--best", "Pk"], "was not swept"),
        (["--purity-floor", "2"], "no threshold"),
        (["--max-units", "0.5"], "the shortest are"),
        (["--target-bor", "-1"], "above 0"),
    ],
)
def test_bad_usage(run, files, options, hint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("sweep", *files, *options, "--resamples", 10)
    assert (code, out) == (2, "")
    assert hint in err
    assert err.count("\n") == 1


def test_a_policy_leaves_no_other_choice(run, files, tmp_path):
    policy = tmp_path / "policy.json"
    run("sweep", *files, "--best", "W-F1", "--save-policy", policy, "--resamples", 10)
    assert run("select", files[1], "--policy", policy, "--threshold", "0.5").code == 2
    assert run("select", files[1], "--policy", files[0]).code == 2
