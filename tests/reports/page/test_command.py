"""The command of a page measures the same again: it is run, and gives the same scores."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import caesura as cz
from caesura.reports.page.command import command_of
from caesura.results import Results, read_results
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)
from tests.examples import write_example_files


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Work in a folder with the example files."""
    write_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    gold = [json.loads(line) for line in Path("gold.jsonl").read_text("utf-8").splitlines()]
    spans = [{"id": document["id"], "spans": [" ".join(document["units"][1:3])]} for document in gold]
    Path("spans.jsonl").write_text("".join(json.dumps(span) + "\n" for span in spans), "utf-8")
    asked = [
        {"id": each["id"], "questions": [{"question": each["spans"][0][:30], "spans": each["spans"]}]} for each in spans
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in asked), "utf-8")
    return tmp_path


CALLS = {
    "evaluate": "evaluate gold.jsonl reader.jsonl random.jsonl --ci --seed 3",
    "named": "evaluate gold.jsonl first=reader.jsonl --profile segeval -m Pk -m WindowDiff",
    "people": "evaluate annotations.jsonl every13.jsonl --against annotators",
    "consensus": "evaluate annotations.jsonl every13.jsonl --against consensus=0.5 --baselines even",
    "compare": "compare gold.jsonl reader.jsonl random.jsonl -m W-F1 -m BOR",
    "time": "evaluate show.txt auto.json",
    "agree": "agree annotations.jsonl",
    "sweep": "sweep dev.jsonl scores.jsonl --resamples 20",
    "cohesion": "cohesion gold.jsonl reader.jsonl random.jsonl -m Placement",
    "correlate": "correlate gold.jsonl reader.jsonl random.jsonl --baselines even,every --resamples 20 -m ARPpair -m Pk",
    "spans": "spans gold.jsonl spans.jsonl reader.jsonl",
    "spans without clock": "spans gold.jsonl spans.jsonl reader.jsonl --no-clock --max-tokens 50",
    "retrieval": "spans gold.jsonl questions.jsonl reader.jsonl --retrieve bm25 --budget 300 --k 3 --seed 2",
    "tune": "tune gold.jsonl TextTiling --try window=2,4 --try 'smoothing=0,1' --random 3 -m W-F1 --folds 2 --seed 4",
    "bench": "bench gold.jsonl --method TextTiling --method 'TextTiling(window=3)' --gold -m W-F1",
}


CHECKS = {"chapters": "check auto.json --for youtube", "chunks": "check docs.jsonl fixed.jsonl --max-tokens 60"}


@pytest.mark.parametrize("name", CHECKS)
def test_the_command_checks_the_same_rules(run, files, name):
    assert run(*shlex.split(CHECKS[name]), "-o", "first.json").code in (0, 1)
    first = read_results("first.json")
    assert run(*shlex.split(command_of(first))[1:], "-o", "again.json").code in (0, 1)
    assert read_results("again.json").check == first.check
    assert first.check.rules


@pytest.mark.parametrize("name", CALLS)
def test_the_command_gives_the_same_scores(run, files, name):
    assert run(*shlex.split(CALLS[name]), "-o", "first.json").code == 0
    first = read_results("first.json")
    words = shlex.split(command_of(first))
    assert words[0] == "caesura"
    done = run(*words[1:], "-o", "again.json")
    assert done.code == 0, done.err
    again = read_results("again.json")
    assert again.systems.keys() == first.systems.keys()
    for system, scores in first.systems.items():
        assert {metric: score.score for metric, score in again.systems[system].items()} == {
            metric: score.score for metric, score in scores.items()
        }
    assert again.seed == first.seed
    assert again.tuning == first.tuning
    assert [entry.sha256 for entry in again.inputs] == [entry.sha256 for entry in first.inputs]


def test_structure_is_asked_for_as_it_was(run, files):
    (Path.cwd() / "page.md").write_text("# One\n\nCats sleep. They hunt.\n\n- a\n- b\n")
    (Path.cwd() / "cut.jsonl").write_text(
        '{"id": "page", "chunks": ["# One", "Cats sleep. They hunt.", "- a", "- b"]}\n'
    )
    for call in (
        "spans page.md structure cut.jsonl --max-tokens 9",
        "bench page.md --method TextTiling --spans structure",
        "bench page.md --method TextTiling --max-tokens 9",
    ):
        assert run(*shlex.split(call), "-o", "first.json", "--force").code == 0
        assert command_of(read_results("first.json")) == f"caesura {call}"


def test_an_agreement_names_its_earlier_export_and_second_codings(run, files):
    lines = [json.loads(line) for line in Path("annotations.jsonl").read_text("utf-8").splitlines()]
    own = sorted(lines[0]["annotations"])[0]
    for line in lines:
        if own in line["annotations"]:
            line["annotations"]["twice"] = line["annotations"][own]
    Path("now.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    Path("sub").mkdir()
    asked = f"agree now.jsonl --before annotations.jsonl --repeat twice={own}"
    assert run(*shlex.split(asked), "-o", "first.json").code == 0
    first = read_results("first.json")
    words = shlex.split(command_of(first))
    assert words[-4:] == ["--before", "annotations.jsonl", "--repeat", f"twice={own}"]
    assert "--exclude" not in words
    assert run(*words[1:], "-o", "again.json").code == 0
    again = read_results("again.json").agreement
    assert (again.repeats, again.since) == (first.agreement.repeats, first.agreement.since)
    assert run(*shlex.split(asked), "-o", "sub/there.json").code == 0
    assert "--before ../annotations.jsonl" in command_of(read_results("sub/there.json"))
    assert run(*shlex.split(asked), "--anonymous", "-o", "hidden.json").code == 0
    told = command_of(read_results("hidden.json"))
    assert told.endswith("--before annotations.jsonl --anonymous")
    assert own not in told
    assert "twice" not in told


def test_results_without_files_have_no_command():
    assert command_of(Results()) == ""
    corpus = cz.bundled("moonstone").consensus(0.5)
    assert command_of(cz.evaluate(corpus, {"same": corpus}, metrics=["Pk"]).results()) == ""
