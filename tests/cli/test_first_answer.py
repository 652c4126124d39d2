"""Without --full every question is answered by two to five sentences and one small table, at 80 columns."""

from __future__ import annotations

import pytest

GOLD = "gold.jsonl every13.jsonl random.jsonl reader.jsonl"
CALLS = [
    f"evaluate {GOLD}",
    "evaluate show.txt auto.json",
    f"compare {GOLD}",
    f"compare {GOLD} --with even",
    "cohesion docs.jsonl fixed.jsonl paragraphs.jsonl",
    "spans docs.jsonl answers.jsonl fixed.jsonl paragraphs.jsonl",
    "agree people",
    "sweep dev.jsonl scores.jsonl",
    "sweep dev.jsonl scores.jsonl other=scores.jsonl",
    "sweep dev.jsonl scores.jsonl --target-bor 1",
    "validate gold.jsonl",
    f"correlate {GOLD}",
    "bench gold.jsonl --method TextTiling --method C99 --gold",
    "bench docs.jsonl --method TextTiling --method C99",
    "bench docs.jsonl --method TextTiling --method C99 --spans answers.jsonl",
    "tune dev.jsonl TextTiling --try window=1,2,3,4,5,6 --try stop_words=none,english",
    "calibrate dev.jsonl scores.jsonl",
    "select scores.jsonl --adaptive --rate 0.15 --stream-report",
]


@pytest.mark.parametrize("call", CALLS)
def test_sentences_then_one_table(run, examples, monkeypatch, call):
    monkeypatch.setenv("COLUMNS", "80")
    stored = "--results" if call.split()[0] in ("calibrate", "select") else "-o"
    done = run(*call.split(), stored, "r.json")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    whole = run("show", "r.json", "--full")
    assert whole.code == 0, whole.err
    assert len(whole.out) > len(done.out)
    assert [line for line in whole.out.splitlines() if len(line) > 80] == []
    assert sum(line.startswith("---") for line in lines) == 1
    answer = done.out.partition("\n\n")[0].splitlines()
    sentences = [line for line in answer if not line.startswith(" ")]
    assert 2 <= len(sentences) <= 5, sentences
    assert len(answer) <= 14
    assert lines[-1].endswith(".")
    assert "\n--full adds " in done.out


def test_the_demo_has_one_small_table_too(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = run("demo").out
    assert max(map(len, out.splitlines())) <= 80
    assert sum(line.startswith("---") for line in out.splitlines()) == 1


LISTS = ["metrics", "metrics --profiles", "segmenters", "formats", "datasets", "reproduce --list", "doctor"]


@pytest.mark.parametrize("call", [f"{CALLS[0]} --full", *LISTS, "explain gold.jsonl reader.jsonl"])
def test_lists_fit_80_columns_too(run, examples, monkeypatch, call):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*call.split())
    assert done.code == 0, done.err
    assert [line for line in done.out.splitlines() if len(line) > 80] == []
