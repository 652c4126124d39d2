"""``--format csv`` prints one table: every title once, numbers as numbers, nothing else in the stream."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

SYSTEMS = "gold.jsonl clock.jsonl random.jsonl reader.jsonl"
FEW = "--resamples 50"
CALLS = {
    f"evaluate {SYSTEMS}": ("system", "Pk"),
    f"evaluate {SYSTEMS} -m Pk --ci --skill {FEW}": (
        "system", "Pk", "Pk low", "Pk high", "Pk chance", "Pk chance error", "Pk skill",
    ),
    f"evaluate {SYSTEMS} -m Pk": ("system", "Pk", "verdict", "W-F1 clock", "W-F1 clock beaten"),
    f"evaluate {SYSTEMS} -m Pk --per-document --verdict": (
        "system", "document", "Pk", "verdict", "W-F1 clock", "W-F1 clock beaten",
    ),
    "evaluate annotations.jsonl reader.jsonl --against annotators": ("system", "Pk"),
    "evaluate annotations.jsonl reader.jsonl --levels consensus": ("system", "level"),
    f"compare {SYSTEMS} {FEW}": ("metric", "first", "second", "first_score"),
    f"gate {SYSTEMS} --min Pk=0.9": ("system",),
    f"cohesion docs.jsonl fixed.jsonl paragraphs.jsonl --draws 5 {FEW}": ("system", "metric", "segments_per_100", "score"),
    "cohesion docs.jsonl fixed.jsonl --draws 5 --per-document": ("system", "document"),
    f"spans docs.jsonl answers.jsonl fixed.jsonl paragraphs.jsonl {FEW}": ("system", "spans", "cut"),
    f"agree people {FEW}": ("annotator", "documents", "boundaries"),
    f"sweep dev.jsonl scores.jsonl other=scores.jsonl {FEW}": (
        "scorer", "threshold", "boundaries", "BOR", "BOR low", "BOR high",
    ),
    f"sweep dev.jsonl scores.jsonl --target-bor 1 {FEW}": ("scorer", "threshold"),
    f"sweep dev.jsonl scores.jsonl --no-reference --draws 3 {FEW}": ("scorer", "threshold"),
    "validate gold.jsonl --draws 1 -m Placement": ("encoder", "metric", "verdict"),
    f"correlate {SYSTEMS} {FEW}": ("encoder", "metric", "reference", "reading", "systems", "Pearson", "Pearson low"),
    "calibrate dev.jsonl scores.jsonl": ("logits", "temperature"),
    "select scores.jsonl --adaptive --rate 0.1 --stream-report": ("document", "boundaries"),
    "tune dev.jsonl TextTiling --try window=1,2,3,4,5,6 --try stop_words=none,english": ("setting", "Pk", "folds won"),
    f"bench gold.jsonl --method TextTiling --method none --gold {FEW}": ("system", "Pk"),
    f"bench docs.jsonl --method TextTiling --method none --spans answers.jsonl {FEW}": ("system", "spans", "cut"),
    f"bench docs.jsonl --method TextTiling {FEW}": ("system", "metric"),
    "explain gold.jsonl reader.jsonl": ("metric",),
}  # fmt: skip


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("call", CALLS)
def test_one_table_with_numbers_as_numbers(run, examples, call):
    done = run(*call.split(), "--format", "csv")
    assert done.code == 0, done.err
    assert "\n\n" not in done.out
    heads, *rows = csv.reader(io.StringIO(done.out))
    assert tuple(heads[: len(CALLS[call])]) == CALLS[call]
    assert len(set(heads)) == len(heads)
    assert rows
    for head, *cells in zip(heads, *rows, strict=True):
        assert len({is_number(cell) for cell in cells if cell}) < 2, (head, cells)
        assert not any(cell.startswith(("<", "[")) for cell in cells), (head, cells)


def test_costs_stand_beside_the_systems_and_failures_have_a_row(run, examples, monkeypatch):
    Path("mine.py").write_text("def cut(document):\n    raise ValueError('no')\n")
    monkeypatch.syspath_prepend(".")
    call = "bench gold.jsonl --method TextTiling --method mine:cut --gold -m Pk --resamples 50 --format csv"
    done = run(*call.split())
    assert done.code == 4
    made, failed = {}, {}
    for row in csv.DictReader(io.StringIO(done.out)):
        (failed if row["failure"] else made)[row["system"]] = row
    assert list(failed) == ["mine:cut"]
    assert float(made["TextTiling"]["seconds"]) >= 0
    assert float(made["TextTiling"]["Pk low"]) <= float(made["TextTiling"]["Pk"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (f"evaluate {SYSTEMS} --full", "--full prints several tables, and CSV holds one; leave out --full, or "),
        (f"evaluate {SYSTEMS} --per-document --ci", "leave out --ci and --skill, or write the results file with -o"),
        ("agree people --plan-width 0.1", "leave it out, or write the results file with -o"),
        ("demo", "the demo answers two questions, and CSV holds one table; use --format json"),
    ],
)  # fmt: skip
def test_a_second_table_is_refused_and_the_choice_named(run, examples, call, message):
    done = run(*call.split(), "--format", "csv")
    assert done.code == 2
    assert done.out == ""
    assert message in done.err


def test_every_table_is_a_file_of_its_own(run, examples, tmp_path):
    pytest.importorskip("vl_convert", reason="the extra report is not installed")
    assert run(*f"compare {SYSTEMS} --resamples 50 -o r.json".split()).code == 0
    assert run(*["report", "r.json", "-o", "r.html", "--figures", "tables"]).code == 0
    titles = [path.read_text().splitlines()[0] for path in sorted((tmp_path / "tables").glob("r-*.csv"))]
    assert any("clock beaten,W-F1 skill,W-F1 size" in title for title in titles)
    assert any("95 % interval low,95 % interval high,p,p Holm" in title for title in titles)
