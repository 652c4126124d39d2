# SPDX-License-Identifier: Apache-2.0
"""``--against`` in every question about boundaries that people marked, and what each makes of annotators."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.evaluation.inputs import read_source
from caesura.formats import load
from caesura.segmentation import Segmentation
from caesura.training import Config
from caesura.training.data import make_data
from tests.cli.conftest import CATS_AND_RAIN, Run, Write

QUESTIONS = (
    "evaluate", "compare", "gate", "correlate", "sweep", "tune", "bench", "validate", "calibrate", "train", "select",
)  # fmt: skip
N = 12


def annotated(number: int = 6) -> list[dict[str, object]]:
    """Return documents of twelve units: three people mark gap 6, and one each of gaps 3 and 9."""
    texts = [unit for document in CATS_AND_RAIN for unit in document["units"]]
    people = {"a": [6], "b": [3, 6], "c": [6, 9]}
    return [
        {
            "id": f"d{place}",
            "units": [f"{text} {place}" for text in (texts * N)[place : place + N]],
            "annotations": people,
        }
        for place in range(number)
    ]


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_has_the_option(run: Run, question: str) -> None:
    assert "--against WHICH" in run(question, "--help", "--full").out + run("help", question).out


def test_bench_scores_among_annotators(run: Run, write: Write, tmp_path: Path) -> None:
    people = write("people.jsonl", *annotated())
    out = tmp_path / "r.json"
    call = ("bench", people, "--method", "TextTiling(window=2)", "--method", "all", "-m", "W-F1", "-o", out)
    code, _, err = run(*call, "--against", "annotators")
    assert (code, err) == (0, "")
    results = json.loads(out.read_text())
    assert (results["against"], results["question"]) == ("annotators", "compare")
    assert results["comparisons"]
    code, _, _ = run(*call, "--against", "consensus=1", "--force")
    assert json.loads(out.read_text())["against"] == "consensus=1"
    assert run(*call, "--against", "all", "--force").code == 2
    refused = run("bench", people, "--method", "all", "--against", "annotators", "--spans", "answers.jsonl")
    assert (refused.code, "--against and --spans are two questions" in refused.err) == (2, True)


def test_validate_damages_a_consensus(run: Run, write: Write, tmp_path: Path) -> None:
    people, out = write("people.jsonl", *annotated()), tmp_path / "r.json"
    assert run("validate", people, "-m", "ARPpair", "--draws", 1).code == 2
    code, _, err = run("validate", people, "-m", "ARPpair", "--draws", 1, "--against", "consensus=0.5", "-o", out)
    assert (code, err) == (0, "")
    results = json.loads(out.read_text())
    assert (results["against"], results["validity"]["gold"]) == ("consensus=0.5", True)
    refused = run("validate", people, "--against", "annotators")
    assert (refused.code, refused.err.count("\n"), "consensus=0.5" in refused.err) == (2, 1, True)


@pytest.mark.parametrize(
    ("against", "each"), [("consensus=0.5", 1), ("consensus=0", 3), ("annotators", 2), ("annotator=b", 2)]
)
def test_select_takes_the_density_of_people(run: Run, write: Write, tmp_path: Path, against: str, each: int) -> None:
    people, out = write("people.jsonl", *annotated()), tmp_path / "selected.jsonl"
    rng = np.random.default_rng(0)
    scores = write("s.jsonl", *({"id": f"x{n}", "n_units": N, "scores": rng.random(N - 1).tolist()} for n in range(5)))
    code, _, err = run("select", scores, "--reference", people, "--against", against, "-o", out)
    assert code == 0
    assert f"{against}: " in err
    selected = load(out)
    assert [document.segmentation and document.segmentation.n_boundaries for document in selected] == [each] * 5


def test_select_refuses_what_says_two_things(run: Run, write: Write) -> None:
    people = write("people.jsonl", *annotated())
    scores = write("s.jsonl", {"id": "x", "n_units": 3, "scores": [0.2, 0.4]})
    for words, said in (
        (("--reference", people, "--per-100", 5), "leave out --per-100"),
        (("--threshold", 0.5, "--against", "consensus=1"), "--against needs --reference"),
        (("--reference", people, "--threshold", 0.5, "--against", "consensus=1"), "exactly one of"),
        (("--reference", people, "--against", "all"), "many references"),
    ):
        code, _, err = run("select", scores, *words)
        assert (code, said in err) == (2, True), err


def test_a_stream_is_scored_against_a_consensus(run: Run, write: Write, tmp_path: Path) -> None:
    people, out = write("people.jsonl", *annotated()), tmp_path / "r.json"
    scores = write(
        "s.jsonl", *({"id": f"d{n}", "n_units": N, "scores": [0.1] * 5 + [0.9] + [0.1] * 5} for n in range(6))
    )
    words = ("--adaptive", "--rate", 0.1, "--stream-report", "--reference", people, "--results", out)
    assert run("select", scores, *words, "--against", "consensus=1").code == 0
    assert json.loads(out.read_text())["against"] == "consensus=1"
    assert run("select", scores, *words, "--against", "best", "--force").code == 2


def corpus(number: int) -> Corpus:
    people = {"a": Segmentation(N, (6,)), "b": Segmentation(N, (3, 6)), "c": Segmentation(N, (6,))}
    return Corpus(
        Document(id=f"d{n}", n_units=N, units=tuple(f"text {n} {u}" for u in range(N)), annotations=people)
        for n in range(number)
    )


def test_a_scorer_learns_from_every_coding_and_is_tested_on_one_of_each_document() -> None:
    source = read_source(corpus(20), "people")
    data = make_data(Config(against="annotators"), {"people": source})
    assert len(data.train) + len(data.validation) == 3 * (20 - len(data.test))
    marked = [document.segmentation and document.segmentation.boundaries for document in data.train]
    assert marked.count((6,)) == 2 * marked.count((3, 6)) == 2 * len(data.train) // 3
    assert {document.segmentation for document in data.test} == {Segmentation(N, (6,))}
    # No text is on two sides, and pieces to join are taken from each document once.
    texts = [{document.units for document in part} for part in (data.train, data.validation, data.test)]
    assert sum(map(len, texts)) == len(set().union(*texts)) == 20
    assert len(data.pieces) == len(texts[0])
    one = make_data(Config(against="annotator=a"), {"people": source})
    assert {document.segmentation for document in one.train} == {Segmentation(N, (6,))}
    with pytest.raises(ComparabilityError, match="many references"):
        make_data(Config(against="best"), {"people": source})
