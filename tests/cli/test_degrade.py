"""``caesura degrade``."""

from __future__ import annotations

import json

import pytest

from caesura.evaluation.degrade import degrade
from caesura.formats import load
from caesura.segmentation import Segmentation

GOLD = [{"id": "d1", "masses": [4, 3, 5]}, {"id": "d2", "units": ["a", "b", "c"], "boundaries": [1]}]


def test_standard_output_is_a_corpus(run, write):
    code, out, err = run("degrade", write("gold.jsonl", *GOLD), "-d", "Removal(share=1.0)")
    assert (code, err) == (0, "")
    made_by = {"degradations": ["Removal(share=1.0)"]}
    assert [json.loads(line) for line in out.splitlines()] == [
        {"id": "d1", "n_units": 12, "boundaries": [], "made_by": made_by},
        {"id": "d2", "units": ["a", "b", "c"], "boundaries": [], "made_by": made_by},
    ]


def test_what_could_not_be_done_is_one_line_on_stderr(run, write):
    code, _, err = run("degrade", write("gold.jsonl", *GOLD), "-d", "Splitting(count=3)")
    assert code == 0
    assert err == (
        "caesura: note: 4 of 6 changes made in 2 documents; 1 incomplete: "
        "segments of one unit cannot be split (1), every segment that can be split was split once (1)\n"
    )


def test_a_file_is_written_and_can_be_evaluated(run, write, tmp_path):
    gold, target = write("gold.jsonl", *GOLD), tmp_path / "worse.jsonl"
    call = ("degrade", gold, "-d", "Removal(share=0.5)", "-d", "Transposition", "--seed", "4", "-o", target)
    assert run(*call).code == 0
    first = target.read_bytes()
    code, _, err = run(*call)
    assert code == 2
    assert "--force" in err
    assert run(*call, "--force").code == 0
    assert target.read_bytes() == first
    found = json.loads(run("evaluate", gold, target, "-m", "F1", "--format", "json").out)
    assert 0 <= found["systems"]["worse"]["F1"]["score"] < 1


def test_python_takes_what_the_command_takes(run, write):
    gold = write("gold.jsonl", *GOLD)
    out = run("degrade", gold, "-d", "RandomPlacement", "-d", "Removal", "--seed", "2", "--draw", "1").out
    given = {"d1": Segmentation.from_masses([4, 3, 5]), "d2": Segmentation(3, (1,))}
    for documents in (gold, load(gold), given):
        degraded = degrade(documents, ["RandomPlacement", "Removal"], seed=2, draw=1).corpus
        assert [list(d.segmentation.boundaries) for d in degraded] == [
            json.loads(line)["boundaries"] for line in out.splitlines()
        ]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ([], "--degradation"),
        (["-d", "Removl"], "did you mean Removal"),
        (["-d", "Removal(share=0.1, count=2)"], "give one of them"),
        (["-d", "Removal", "--seed", "-1"], "--seed"),
        (["-d", "Removal", "-o", "no/such/folder.jsonl"], "folder"),
    ],
)
def test_bad_usage(run, write, options, hint):
    code, _, err = run("degrade", write("gold.jsonl", *GOLD), *options)
    assert code == 2
    assert hint in err
    assert err.count("\n") == 1


def test_documents_without_boundaries(run, write):
    code, _, err = run("degrade", write("texts.jsonl", {"id": "x", "units": ["a"]}), "-d", "Removal")
    assert code == 2
    assert "document 'x' has no boundaries to degrade" in err
