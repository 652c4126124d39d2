"""``caesura show`` prints a stored file as the command itself did, byte for byte."""

from __future__ import annotations

import json

import pytest

CALLS = {
    "plain": ("evaluate",),
    "additions": ("evaluate", "--ci", "--skill", "--verdict", "--resamples", 50, "--baselines", "none,every"),
    "per document": ("evaluate", "--per-document", "--verdict"),
    "pseudo": ("evaluate", "--pseudo-reference", "--ci"),
    "profile": ("evaluate", "--profile", "segeval", "-m", "B", "-m", "Pk"),
    "undefined": ("evaluate", "-m", "BoundaryPrecision(length='short', cut=99)", "--baselines", "none"),
    "compare": ("compare", "--resamples", 50, "--permutations", 99),
    "compare with": ("compare", "--with", "bad", "-m", "BOR"),
    "gate": ("gate", "--min", "W-F1=0"),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("target", ["table", "csv", "markdown", "latex", "json"])
def test_the_same_bytes(run, files, tmp_path, call, target):
    command, *options = CALLS[call]
    stored = tmp_path / "r.json"
    code, printed, _ = run(command, *files, *options, "-o", stored, "--format", target)
    assert code == 0
    shown = run("show", stored, "--format", target)
    assert shown.code == 0
    if target == "json":  # what is stored also names the file of counts
        ours, theirs = json.loads(printed), json.loads(shown.out)
        assert theirs.pop("counts") == json.loads(stored.read_text())["counts"]
        ours.pop("counts")
        assert ours == theirs
    else:
        assert shown.out == printed


def test_against_annotators(run, write, tmp_path):
    gold = write("gold.jsonl", *({"id": f"d{n}", "n_units": 9, "annotations": {"a": [3], "b": [4]}} for n in range(3)))
    system = write("s.jsonl", *({"id": f"d{n}", "n_units": 9, "boundaries": [3]} for n in range(3)))
    stored = tmp_path / "r.json"
    printed = run("evaluate", gold, system, "--against", "annotators", "-o", stored).out
    assert "Among the annotators" in printed
    assert run("show", stored).out == printed


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda text: text[: len(text) // 2], "is not a results file"),
        (lambda text: text.replace("results/2", "results/3"), "update caesura"),
        (lambda text: text.replace('"direction"', '"directoin"', 1), "directoin"),
        (lambda text: text.replace('"documents": 30', '"documents": "many"', 1), "$.inputs[0].documents"),
        (lambda text: "[1, 2]", "has no 'schema'"),
        (lambda text: text.replace('"question": "evaluate"', '"question": "spans"'), "of question 'spans' are missing"),
        (lambda text: text.replace('"question": "evaluate"', '"question": "agree"'), "of question 'agree' are missing"),
        (lambda text: json.dumps({**json.loads(text), "metrics": {}}), "do not fit together"),
        (lambda text: json.dumps({**json.loads(text), "systems": {"a": {}, "b": {}}}), "do not fit together"),
    ],
)
def test_damaged_files_are_one_line(run, files, tmp_path, damage, words):
    stored = tmp_path / "r.json"
    assert run("evaluate", *files, "-m", "Pk", "-o", stored).code == 0
    stored.write_text(damage(stored.read_text()))
    code, out, err = run("show", stored)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err
    assert "r.json" in err


def test_several_files_are_one_table(run, files, tmp_path):
    gold, good, bad = files
    for name in ("news", "talks"):
        assert run("evaluate", gold, good, bad, "-m", "Pk", "-o", tmp_path / f"{name}.json").code == 0
    shown = run("show", tmp_path / "news.json", tmp_path / "talks.json", "--latex")
    assert shown.code == 0
    assert shown.out.count(r"\begin{tabular}") == 1
    assert "news & good" in shown.out
    assert "talks & bad" in shown.out
    assert run("show", tmp_path / "news.json", tmp_path / "talks.json", "--full").code == 2
    assert run("evaluate", gold, good, "-m", "B", "-o", tmp_path / "other.json").code == 0
    refused = run("show", tmp_path / "news.json", tmp_path / "other.json")
    assert refused.code == 2
    assert "different columns" in refused.err


def test_a_stored_file_is_drawn_as_by_its_command(run, files, tmp_path):
    stored, figures = tmp_path / "r.json", [tmp_path / "by-command.json", tmp_path / "by-show.json"]
    done = run("evaluate", *files, "-m", "Pk", "-o", stored, "--figure", figures[0])
    shown = run("show", stored, "--figure", figures[1])
    assert (shown.code, shown.out) == (done.code, done.out) == (0, done.out)
    assert figures[0].read_bytes() == figures[1].read_bytes()
    assert "exists" in run("show", stored, "--figure", figures[1]).err
    assert run("show", stored, "--figure", figures[1], "--force").code == 0
    stored.with_name("other.json").write_bytes(stored.read_bytes())
    two = run("show", stored, stored.with_name("other.json"), "--figure", tmp_path / "x.svg")
    assert "--figure draws the results of one file" in two.err
