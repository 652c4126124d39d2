"""``caesura sweep`` and ``caesura select --policy``."""

from __future__ import annotations

import json
import sys

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
        "sweep", *files, "--thresholds", "0.05:0.95:0.05", "--min-gap", 3, "--resamples", 50, "--format", "json"
    )
    assert (code, err) == (0, "")
    rows = json.loads(out)["sweep"]["curves"]["m"]
    assert len(rows) == 19
    assert rows[0]["threshold"] == 0.05
    assert rows[-1]["threshold"] == 0.95
    at_half = next(row for row in rows if row["threshold"] == 0.5)
    assert [at_half["scores"][name] for name in ("BOR", "W-F1", "Purity", "Coverage")] == [1.0, 1.0, 1.0, 1.0]
    assert len(at_half["intervals"]["W-F1"]) == 2


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
        (["--save-policy", "p.json"], "--save-policy needs a choice"),
        (["--scorer", "m"], "--scorer needs a choice"),
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


def test_the_results_file_shows_what_was_printed(run, files, write, tmp_path, shown):
    other, results = write("other.jsonl", *SCORED), tmp_path / "r.json"
    command = ["sweep", *files, other, "--resamples", 20, "-o", results, "--force"]
    for choice in ([], ["--target-bor", 1, "--scorer", "m"]):
        for target in ("table", "json", "csv", "markdown", "latex"):
            code, out, _ = run(*command, *choice, "--format", target)
            assert code == 0
            assert shown(results, target) == out
    assert "exists" in run(*command[:-1]).err


@pytest.mark.parametrize("kind", ["svg", "png", "html", "json"])
def test_figure(run, files, write, tmp_path, kind):
    if kind != "json":
        pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    other = write("other.jsonl", *SCORED)
    path = tmp_path / f"curves.{kind}"
    code, _, err = run(
        "sweep", *files, other, "-m", "W-F1", "--resamples", 10, "--figure", path, "--target-bor", 1, "--scorer", "m"
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert path.stat().st_size > 1000
    assert "exists" in run("sweep", *files, "--figure", path).err


def test_a_figure_without_the_part_that_draws(run, files, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    code, out, err = run("sweep", *files, "--figure", tmp_path / "curves.svg")
    assert (code, out, err.count("\n")) == (3, "", 1)
    assert "pip install 'caesura-eval[report]'" in err
    assert run("sweep", *files, "--resamples", 10, "--figure", tmp_path / "curves.json").code == 0


def test_a_figure_of_no_kind(run, files, tmp_path):
    code, _, err = run("sweep", *files, "--figure", tmp_path / "curves.gif")
    assert (code, "end its name in .svg, .png, .pdf, .html, .json" in err) == (2, True)
    assert "is not a figure" in run("sweep", *files, "--figure", files[1], "--force").err


def test_a_density_out_of_reach_is_said(run, files, tmp_path):
    policy = tmp_path / "policy.json"
    code, out, _ = run("sweep", *files, "--target-bor", 9, "--min-gap", 4, "--resamples", 10, "--save-policy", policy)
    assert code == 0
    assert "out of reach: these thresholds with min_gap=4 give at most 1" in out
    assert "out of reach" in json.loads(policy.read_text())["why"]
    code, _, err = run("sweep", *files, "--target-bor", 1, "--format", "csv", "--resamples", 10)
    assert (code, "chosen for m: StaticSelector(" in err) == (0, True)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"scores": [0.1, 0.2, 0.9, 0.3]}, "scores has 4 entries; it must have 5, one per gap"),
        ('{"id": "a", "n_units": 6, "scores": [0.1, NaN, 0.9, 0.3, 0.1]}', "NaN is not allowed"),
        ('{"id": "a", "n_units": 6, "scores": [0.1, Infinity, 0.9, 0.3, 0.1]}', "Infinity is not allowed"),
        ('{"id": "a", "n_units": 6, "scores": [0.1, 1e999, 0.9, 0.3, 0.1]}', "out of range"),
        ({"n_units": 7, "scores": [0.1] * 6}, "reference has 6 units, scorer 'x' 7"),
        ({"boundaries": [2]}, "has no scores"),
        ({"id": "z", "scores": [0.1] * 5}, "'a' of the reference is missing from 'x'"),
    ],
)
def test_bad_scores_are_one_line(run, files, write, row, message):
    bad = write("x.jsonl", row if isinstance(row, str) else {"id": "a", "n_units": 6, **row}, SCORED[1])
    for command in ("sweep", "calibrate"):
        code, out, err = run(command, files[0], bad)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_no_such_scorer(run, files):
    code, _, err = run("sweep", *files, "--target-bor", 1, "--scorer", "n", "--resamples", 10)
    assert (code, err.count("\n")) == (2, 1)
    assert "there is no scorer 'n'" in err


def test_scores_that_are_all_equal_and_references_without_boundaries(run, write, tmp_path):
    gold = write("none.jsonl", *({**row, "boundaries": []} for row in GOLD))
    flat = write("flat.jsonl", *({**row, "scores": [0.5] * (row["n_units"] - 1)} for row in GOLD))
    code, out, _ = run("sweep", gold, flat, "-m", "W-F1", "--resamples", 10, "--format", "json",
                       "--figure", tmp_path / "f.json")  # fmt: skip
    assert code == 0
    rows = json.loads(out)["sweep"]["curves"]["flat"]
    assert {row["scores"]["BOR"] for row in rows} == {"inf", 1.0}
    assert {row["boundaries"] for row in rows} == {9, 0}


def test_without_a_reference_the_results_file_shows_what_was_printed(run, write, tmp_path, shown):
    texts = ["The cat sat.", "The cat slept.", "Rates rose.", "Banks lent less.", "Rain fell.", "Snow fell."]
    docs = write("docs.jsonl", *({"id": key, "n_units": 6, "units": texts} for key in "ab"))
    scores = [0.1, 0.8, 0.2, 0.7, 0.3]
    scored = write("m.jsonl", *({"id": key, "n_units": 6, "scores": scores} for key in "ab"))
    results, figure = tmp_path / "r.json", tmp_path / "f.json"
    command = ["sweep", docs, scored, "--no-reference", "--draws", 3, "--resamples", 5, "--thresholds", "0.25,0.5"]
    for target in ("table", "json", "csv"):
        code, out, _ = run(*command, "-o", results, "--figure", figure, "--force", "--format", target)
        assert code == 0
        assert shown(results, target) == out
    panels = json.loads(figure.read_text())["concat"]
    assert [panel["title"]["text"] for panel in panels] == [
        f"{metric} above chance" for metric in ("Support", "Placement", "ARPpair", "Silhouette")
    ]
    # Two documents are too few to know whether a metric may be used, so no point is recommended and marked.
    assert not any("shape" in panel["layer"][-1]["mark"] for panel in panels)
    assert json.loads(results.read_text())["sweep"].get("choices") is None


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (["--no-reference", "--purity-floor", 1], "--purity-floor needs a reference; leave out --no-reference"),
        (["--max-tokens", 9], "--max-tokens needs --no-reference"),
        (["--no-cache"], "--no-cache needs --no-reference"),
    ],
)
def test_options_of_the_other_form(run, files, options, hint):
    code, out, err = run("sweep", *files, *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert hint in err
