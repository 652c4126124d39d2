"""``caesura validate``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caesura.cli._output import show_results
from caesura.evaluation.validate.systems import REAL_SYSTEMS
from caesura.results import read_results

TOPICS = [
    ["The cat slept on the warm mat.", "A kitten chased the cat.", "The dog barked at the cat.", "Cats purr softly."],
    ["The bank raised its interest rate.", "Loans cost more money.", "The bank lends money.", "Interest rates fell."],
    ["Rain fell over the hills.", "The storm brought wind and rain.", "Clouds hid the sun.", "Snow is forecast."],
]  # fmt: skip
GOLD = [
    {"id": f"d{n}", "units": [unit for k in range(3) for unit in TOPICS[(k + n) % 3]], "boundaries": [4, 8]}
    for n in range(8)
]
FEW = ("-m", "ARPpair", "--levels", "0.3,0.6", "--distances", "1", "--draws", "1", "--no-cache")


@pytest.mark.parametrize("how", ["table", "markdown", "latex", "csv", "json"])
def test_a_results_file_shows_what_the_command_printed(run, write, tmp_path, capsys, how):
    target = tmp_path / "r.json"
    code, printed, err = run("validate", write("gold.jsonl", *GOLD), *FEW, "--format", how, "-o", target)
    assert (code, err) == (0, "")
    show_results(read_results(target), how)
    assert capsys.readouterr().out == printed


def test_few_documents_leave_the_verdict_open(run, write):
    out = run("validate", write("gold.jsonl", *GOLD), *FEW).out
    assert out.startswith("Whether a reference-free metric may be used is open: the check of the metrics")
    whole = run("validate", write("gold.jsonl", *GOLD), *FEW, "--full").out
    assert any("ARPpair" in line and " undecided" in line for line in whole.splitlines())
    assert "not usable here" not in out


def test_clear_topics(run, write):
    gold = write("gold.jsonl", *GOLD)
    code, out, err = run("validate", gold, "--draws", 2, "-m", "Silhouette", "-m", "SegReFree", "--format", "json")
    assert (code, err) == (0, "")
    item = json.loads(out)["validity"]["encoders"]["default"]["metrics"]["Silhouette"]
    # Gold is better than random placement in every document, but eight documents are too few to tell.
    assert item["random"] > 0.9
    assert item["verdict"] == "not usable here"
    assert any(reason == "undecided: needs 10 documents and found 8" for reason in item["reasons"])


def test_boundaries_are_required(run, write):
    texts = write("texts.jsonl", *[{"id": d["id"], "units": d["units"]} for d in GOLD])
    code, _, err = run("validate", texts)
    assert code == 2
    assert "give a segmentation" in err


def test_without_gold_a_segmentation_is_damaged(run, write):
    texts = write("texts.jsonl", *[{"id": d["id"], "units": d["units"]} for d in GOLD])
    system = write("system.jsonl", *[{"id": d["id"], "n_units": 12, "boundaries": d["boundaries"]} for d in GOLD])
    data = json.loads(run("validate", texts, system, *FEW, "--limit", "documents=2", "--format", "json").out)
    assert data["question"] == "validate"
    assert data["validity"]["gold"] is False
    assert data["validity"]["limits"]["documents"] == 2
    assert [Path(entry["file"]).name for entry in data["inputs"]] == ["texts.jsonl", "system.jsonl"]


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--levels", "2"), "level is 2.0; it must be above 0 and at most 1"),
        (("--levels", "much"), "--levels 'much' is not a list of numbers"),
        (("--limit", "best=1"), "--limit 'best=1' is unknown; choose from better, removal"),
        (("--limit", "documents=few"), "--limit 'documents=few' is not a number; write documents=10"),
        (("--limit", "better=2"), "the limit better is 2.0; it must lie between 0 and 1"),
        (("--distances", "0"), "distance is 0; it must be at least 1"),
    ],
)
def test_bad_usage_is_one_line(run, write, options, hint):
    code, _, err = run("validate", write("gold.jsonl", *GOLD), *FEW, *options)
    assert code == 2
    assert hint in err
    assert err.count("\n") == 1


def test_an_existing_file_is_kept(run, write, tmp_path):
    (tmp_path / "r.json").write_text("mine")
    code, _, err = run("validate", write("gold.jsonl", *GOLD), *FEW, "-o", tmp_path / "r.json")
    assert code == 2
    assert "--force" in err
    assert (tmp_path / "r.json").read_text() == "mine"


def test_the_metrics_with_a_reference_are_chosen(run, write):
    call = ("validate", write("gold.jsonl", *GOLD), *FEW, "--reference-metric", "w-f1,WD", "--format", "json")
    code, out, err = run(*call)
    assert (code, err) == (0, "")
    (tested,) = json.loads(out)["validity"]["encoders"].values()
    assert set(tested["metrics"]["ARPpair"]["correlations"]) == {"W-F1", "WD"}


def test_gold_is_compared_with_real_systems_only_when_asked(run, write):
    gold = write("gold.jsonl", *GOLD)
    code, out, err = run("validate", gold, *FEW, "--real-systems", "--full")
    assert (code, err) == (0, "")
    (line,) = [line for line in out.splitlines() if line.startswith("Against ")]
    assert line.startswith("Against 8 real segmenters, ARPpair scores the documents' own boundaries ")
    table = out[out.index("The reference against real systems with default") :].split("\n\n")[0]
    assert [row.split()[0] for row in table.splitlines()[3:11]] == list(REAL_SYSTEMS)
    assert "real" not in run("validate", gold, *FEW, "--full").out


def test_real_systems_need_gold(run, write):
    texts = write("texts.jsonl", *[{"id": d["id"], "units": d["units"]} for d in GOLD])
    system = write("system.jsonl", *[{"id": d["id"], "n_units": 12, "boundaries": d["boundaries"]} for d in GOLD])
    code, _, err = run("validate", texts, system, *FEW, "--real-systems")
    assert code == 2
    assert err.count("\n") == 1
    assert "real systems are compared with a reference; give documents that have boundaries" in err
