"""``caesura calibrate`` and ``caesura select --temperature``."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest

GOLD = ({"id": "a", "n_units": 6, "boundaries": [3]}, {"id": "b", "n_units": 5, "boundaries": [2]})
LOGITS = (
    {"id": "a", "n_units": 6, "scores": [-4.0, 3.0, 5.0, -2.0, -6.0]},
    {"id": "b", "n_units": 5, "scores": [-3.0, 4.0, -1.0, -2.0]},
)


@pytest.fixture
def files(write):
    return write("gold.jsonl", *GOLD), write("m.jsonl", *LOGITS)


def test_fit_save_apply(run, files, tmp_path):
    saved, applied = tmp_path / "t.json", tmp_path / "p.jsonl"
    code, out, err = run("calibrate", *files, "-o", saved, "--apply", applied)
    assert (code, err) == (0, "")
    for text in ("Calibration of m", "before", "after", "ECE", "Reliability"):
        assert text in out
    t = json.loads(saved.read_text())["temperature"]
    rows = [json.loads(line) for line in applied.read_text().splitlines()]
    assert rows[0]["scores"] == pytest.approx([1 / (1 + math.exp(-z / t)) for z in LOGITS[0]["scores"]])
    by_file = run("select", files[1], "--temperature", saved, "--threshold", 0.7).out
    assert by_file == run("select", applied, "--threshold", 0.7).out
    assert [json.loads(line)["boundaries"] for line in by_file.splitlines()] != [[], []]
    assert "exists" in run("calibrate", *files, "-o", saved).err
    assert "is an input" in run("calibrate", *files, "--apply", files[1], "--force").err


def test_the_answer_says_what_was_fitted_and_on_what(run, files, write):
    out = " ".join(run("calibrate", *files).out.split())
    assert out.startswith("The temperature of m is ")
    assert "fitted on 2 documents with 2 boundaries in 9 gaps." in out
    assert "other documents were not tried" in out
    wrong = [{**line, "scores": [-score for score in line["scores"]]} for line in LOGITS]
    done = run("calibrate", files[0], write("wrong.jsonl", *wrong))
    said = " ".join(done.out.split())
    assert said.startswith("No temperature is best for wrong on 2 documents with 2 boundaries in 9 gaps: ")
    assert "is only the limit of the search; do not use it, and check the scores first." in said
    assert "*" not in done.out


@pytest.mark.parametrize("target", ["json", "csv", "markdown", "latex"])
def test_formats(run, files, target):
    code, out, _ = run("calibrate", *files, "--format", target)
    assert code == 0
    if target == "json":
        found = json.loads(out)["calibration"]
        assert found["after"]["ece"] is not None
        assert len(found["before"]["bins"]) == len(found["after"]["bins"]) == 10


def test_the_results_file_shows_what_was_printed(run, files, tmp_path, shown):
    results = tmp_path / "r.json"
    for target in ("table", "json", "csv", "markdown", "latex"):
        out = run("calibrate", *files, "--results", results, "--force", "--format", target).out
        assert shown(results, target) == out


def test_no_optimum_is_one_line_and_not_an_error(run, write, files, tmp_path):
    right = write("right.jsonl", *({**row, "scores": [-1.0] * (row["n_units"] - 1)} for row in GOLD))
    rows = [{**row, "scores": [9.0 if n + 1 in row["boundaries"] else -9.0 for n in range(row["n_units"] - 1)]} for row in GOLD]  # fmt: skip
    separable = write("separable.jsonl", *rows)
    saved = tmp_path / "t.json"
    code, _, err = run("calibrate", files[0], separable, "-o", saved)
    assert (code, err.count("\n")) == (0, 1)
    assert "separable: no temperature is best (every logit is on the right side of 0" in err
    code, _, err = run("select", separable, "--temperature", saved, "--threshold", 0.5)
    assert (code, "no temperature was best" in err) == (0, True)
    assert run("calibrate", files[0], right).code == 0


def test_a_temperature_on_a_stream(files, tmp_path):
    saved = tmp_path / "t.json"
    saved.write_text('{"temperature": 2.0, "interior": true}')
    command = [sys.executable, "-m", "caesura", "select", "--adaptive", "--rate", "0.3", "--min-gap", "2"]
    logits = [-4.0, 3.0, 5.0, -2.0, 6.0]
    plain = "".join(f"{1 / (1 + math.exp(-z / 2.0))!r}\n" for z in logits)
    scaled = subprocess.run(
        [*command, "--temperature", str(saved)],
        input="".join(f"{z}\n" for z in logits),
        capture_output=True,
        text=True,
        check=True,
    )
    assert scaled.stdout == subprocess.run(command, input=plain, capture_output=True, text=True, check=True).stdout
    assert scaled.stdout


@pytest.mark.parametrize("text", ["{}", "[1]", "hello"])
def test_what_is_no_temperature(run, files, tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    code, _, err = run("select", files[1], "--temperature", path, "--threshold", 0.5)
    assert (code, err.count("\n")) == (2, 1)
    assert "is not a temperature; caesura calibrate -o FILE writes one" in err
