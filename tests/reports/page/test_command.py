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


@pytest.fixture
def files(run, tmp_path, monkeypatch):
    """Work in a folder with the example files."""
    run("demo", "--files", tmp_path)
    monkeypatch.chdir(tmp_path)
    gold = [json.loads(line) for line in Path("gold.jsonl").read_text("utf-8").splitlines()]
    spans = [{"id": document["id"], "spans": [" ".join(document["units"][1:3])]} for document in gold]
    Path("spans.jsonl").write_text("".join(json.dumps(span) + "\n" for span in spans), "utf-8")
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
    "tune": "tune gold.jsonl TextTiling --try window=2,4 --try 'smoothing=0,1' --random 3 -m W-F1 --folds 2 --seed 4",
    "bench": "bench gold.jsonl --method TextTiling --method 'TextTiling(window=3)' --gold -m W-F1",
}


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


def test_results_without_files_have_no_command():
    assert command_of(Results()) == ""
    corpus = cz.bundled("moonstone").consensus(0.5)
    assert command_of(cz.evaluate(corpus, {"same": corpus}, metrics=["Pk"]).results()) == ""
