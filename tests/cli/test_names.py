"""Names on the command line: in any case, several between commas, and a name for a method."""

from __future__ import annotations

import json

import click
import pytest

from caesura.cli._options import complete_metrics


def _scored(run, *words):
    code, out, err = run(*words, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def test_metrics_in_any_case_and_between_commas(run, files):
    gold, good, bad = files
    plain = _scored(run, "evaluate", gold, good, bad, "-m", "Pk", "-m", "WD", "-m", "WindowDiff(k=3, edge='lamprier')")
    other = _scored(run, "evaluate", gold, good, bad, "-m", "pk,wd", "-m", "windowdiff(k=3, edge='lamprier')")
    assert list(other["systems"]["good"]) == ["Pk", "WD", "WindowDiff(k=3, edge='lamprier')"]
    assert other["systems"] == plain["systems"]
    assert other["metrics"] == plain["metrics"]


def test_profile_and_dataset_and_format_in_any_case(run, files):
    gold, good, _ = files
    found = _scored(run, "evaluate", f"{gold}::JSONL", good, "-m", "pk", "--profile", "NLTK")
    assert found["profile"] == "nltk"
    assert [entry["format"] for entry in found["inputs"]] == ["jsonl", "jsonl"]
    assert run("datasets", "tiage") == run("datasets", "TIAGE")
    assert run("formats", "JSONL") == run("formats", "jsonl")
    assert run("segmenters", "texttiling") == run("segmenters", "TextTiling")
    assert run("metrics", "boundarysimilarity") == run("metrics", "BoundarySimilarity")


def test_gates_in_any_case_and_between_commas(run, files):
    gold, good, _ = files
    found = _scored(run, "gate", gold, good, "--min", "w-f1=0.1,pk=0.9")
    assert found["gates"]["limits"] == {"W-F1": 0.1, "Pk": 0.9}
    assert "Coverage" in found["systems"]["good"]  # both are in the standard set


@pytest.mark.parametrize("name", ["clock", "Every", "every", "periodic"])
def test_a_comparison_with_a_clock(run, files, name):
    gold, good, _ = files
    found = _scored(run, "compare", gold, good, "--with", name, "--baselines", "EVERY", "-m", "W-F1")
    assert {item["second"] for item in found["comparisons"]} == {"every (oracle)"}


@pytest.mark.parametrize("asked", [["mine=TextTiling(window=4),c99"], ["mine=TextTiling(window=4)", "C99"]])
def test_a_method_gets_a_name(run, docs, tmp_path, asked):
    methods = [word for text in asked for word in ("--method", text)]
    found = _scored(run, "bench", docs, *methods, "--gold", "-m", "Pk", "--systems", tmp_path / "made")
    assert list(found["systems"]) == ["mine", "C99", "every (oracle)"]
    assert found["costs"]["mine"]["method"] == "TextTiling(window=4)"
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["C99.jsonl", "mine.jsonl"]
    code, _, err = run("segment", docs, *methods, "-o", tmp_path / "cut")
    assert (code, err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "cut").iterdir()) == ["C99.jsonl", "mine.jsonl"]
    line = json.loads((tmp_path / "cut" / "mine.jsonl").read_text().splitlines()[0])
    assert line["made_by"]["method"] == "TextTiling(window=4)"


def test_two_methods_of_one_name_are_refused(run, files):
    code, out, err = run("bench", files[0], "--method", "a=C99,a=TextTiling", "--gold")
    assert (code, out) == (2, "")
    assert err == "caesura: two methods are called 'a'; name them apart: --method NAME=METHOD\n"


def test_an_equals_sign_in_a_command_is_no_name(run, docs):
    code, out, err = run("segment", docs, "--method", "command:false --a=b,c=d")
    assert (code, out) == (2, "")
    assert "command:false --a=b,c=d" in err


def test_completion_knows_names_in_any_case_and_after_a_comma():
    command = click.Command("evaluate")
    found = complete_metrics(click.Context(command), click.Option(["-m"]), "Pk,windowd")
    assert found == ["Pk,WindowDiff"]
