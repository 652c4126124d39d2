"""What is written out: ``--format csv`` prints one table, numbers as numbers, and each cell of every format is that of the results."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from caesura.reports import render
from caesura.results import csv_table, read_results, tables_of
from caesura.table import Column, Table
from tests.traces import NAMES, File, cells_of, misread, texts
from tests.training.toy import corpus, write

TARGETS = {"csv": (), "markdown": ("--full",), "latex": ("--full",)}
STAGES = """
train = ["train.jsonl"]
scorer = "WindowHead(window=2, parts='products')"
[stage1]
documents = 20
units = [2, 6]
trim = 0
epochs = 1
[stage2]
epochs = 1
"""
SYSTEMS = "gold.jsonl every13.jsonl random.jsonl reader.jsonl"
FEW = "--resamples 50"
CALLS = {
    f"evaluate {SYSTEMS}": ("system", "Pk"),
    f"evaluate {SYSTEMS} -m Pk --ci --skill {FEW}": (
        "system", "Pk", "Pk low", "Pk high", "Pk chance", "Pk chance error", "Pk skill",
    ),
    f"evaluate {SYSTEMS} -m Pk": ("system", "Pk", "Pk chance", "Pk chance error", "Pk clock", "BOR"),
    f"evaluate {SYSTEMS} -m Pk --per-document --verdict": (
        "system", "document", "Pk", "verdict", "W-F1 clock", "W-F1 clock beaten",
    ),
    "evaluate annotations.jsonl reader.jsonl --against annotators": ("system", "Pk"),
    "evaluate annotations.jsonl reader.jsonl --levels consensus": ("system", "level"),
    f"compare {SYSTEMS} {FEW}": ("metric", "first", "second", "first_score"),
    f"gate {SYSTEMS} --min Pk=0.9": ("system",),
    f"gate {SYSTEMS} --last last.json": ("system", "metric", "before", "now", "drop", "p", "documents"),
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
    "reproduce 000 T2": ("item", "row", "column", "printed", "ours"),
    "explain gold.jsonl reader.jsonl": ("metric",),
}  # fmt: skip


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


_FILE = {"calibrate": "--results", "select": "--results"}


@pytest.mark.parametrize("call", CALLS)
def test_one_table_with_numbers_as_numbers(run, examples, call):
    command, *words = call.split()
    if "last.json" in words:
        assert run("evaluate", *SYSTEMS.replace("reader.", "reader=random.").split(), "-o", "last.json").code == 0
    written = [] if command == "explain" else [_FILE.get(command, "-o"), "r.json"]
    done = run(command, *words, *written, "--format", "csv")
    assert done.code == 0, done.err
    assert "\n\n" not in done.out
    heads, *rows = csv.reader(io.StringIO(done.out))
    assert tuple(heads[: len(CALLS[call])]) == CALLS[call]
    assert len(set(heads)) == len(heads)
    assert rows
    known = set(texts(json.loads(Path("r.json").read_text()))) if written else set()
    for head, *cells in zip(heads, *rows, strict=True):
        # A name may look like a number, as level 0 among words; then it and all others of its column are texts of the file.
        # What a paper says in words has an answer, not a number.
        claims = {"yes", "no"} if head == "ours" else set()
        mixed = len({is_number(cell) for cell in cells if cell and cell not in claims}) > 1
        assert not mixed or (head in NAMES and {cell for cell in cells if cell} <= known), (head, cells)
        assert not any(cell.startswith(("<", "[")) for cell in cells), (head, cells)
    if written:
        every_format_has_the_numbers_of_the_file(run, done.out)


def every_format_has_the_numbers_of_the_file(run, printed=None):
    """Hold CSV, Markdown, LaTeX and JSON of r.json against the file, cell by cell, and the CSV that was ``printed``."""
    text = Path("r.json").read_text()
    results, file = read_results("r.json"), File(json.loads(text))
    assert run("show", "r.json", "--format", "json").out == text
    shown = {target: run("show", "r.json", "--format", target, *full) for target, full in TARGETS.items()}
    assert printed in (None, shown["csv"].out)
    for target, done in shown.items():
        assert (done.code, done.err) == (0, "")
        tables = [csv_table(results).for_programs()] if target == "csv" else tables_of(results, target)
        read = cells_of(done.out, target)
        assert len(read) == len(tables)
        for rows, table in zip(read, tables, strict=True):
            assert misread(rows, table, exact=target == "csv") == []
            assert file.untraced(table) == []
            assert file.intervals_behind(table) == []


@pytest.mark.parametrize("place", [0, 1])
def test_what_was_trained_is_written_out(run, examples, place):
    """Without unseen documents there are only epochs."""
    write(Path("train.jsonl"), corpus(20))
    write(Path("other.jsonl"), corpus(6, seed=5))
    Path("stages.toml").write_text(STAGES)
    abroad = ["--abroad", "other=other.jsonl"] * place
    done = run("train", "--config", "stages.toml", "-o", "model", *abroad)
    assert done.code == 0, done.err
    Path("r.json").write_bytes(Path("model/training.json").read_bytes())
    every_format_has_the_numbers_of_the_file(run)


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
        ("demo", "the demo answers three questions, and CSV holds one table; use --format json"),
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
    assert any("95 % interval low,95 % interval high,p,p (adjusted)" in title for title in titles)


def test_formulas_are_quoted_and_numbers_are_not():
    table = Table([Column("printed")], [["=1+1"], ["-0.05"], ["+3"], ["-a"], ["-1+cmd"], ["@x"], ["0.5"]])
    assert render(table, "csv").splitlines()[1:] == [
        "'=1+1", "-0.05", "+3", "'-a", "'-1+cmd", "'@x", "0.5",
    ]  # fmt: skip
