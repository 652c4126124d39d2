"""``caesura explain``."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run, Write


@pytest.fixture
def files(write: Write) -> tuple[Path, Path]:
    return (
        write("gold.jsonl", {"id": "d1", "masses": [6, 3, 4]}, {"id": "d2", "masses": [5, 5]}),
        write("a.jsonl", {"id": "d1", "masses": [4, 4, 5]}, {"id": "d2", "masses": [5, 5]}),
    )


@pytest.mark.parametrize("written", [("6-3-4", "4-4-5"), ("6,3,4", "4,4,5"), ("6 3 4", "4, 4, 5")])
def test_lengths_written_directly(run: Run, written: tuple[str, str]) -> None:
    code, out, err = run("explain", *written, "--width", 80)
    assert (code, err) == (0, "")
    for score in ("0.364  4/11", "0.400  4/10", "0.500  6/12", "0.545  6/11", "0.375  6/16"):
        assert score in out
    assert max(len(line) for line in out.split("\n")) <= 80


def test_a_file_of_that_name_wins(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("3-3").write_text("2 4\n")
    found = json.loads(run("explain", "3-3", "2-4", "--from", "masses", "--format", "json").out)
    assert found["reference"]["boundaries"] == [2]


def test_files(run: Run, files: tuple[Path, Path]) -> None:
    assert "2 documents, 23 units" in run("explain", *files).out
    one = run("explain", *files, "--document", "d1", "-m", "Pk", "-m", "CovN", "--gamma", "0.5").out
    assert "Windows of k = 2" in one
    assert "WindowDiff:" not in one
    assert "gamma = 0.5" in one


def test_json(run: Run, files: tuple[Path, Path]) -> None:
    found = json.loads(run("explain", *files, "--format", "json").out)
    assert found["documents"] == 2
    scores = {(row["metric"], row["convention"]): row["score"] for row in found["conventions"]}
    assert scores["Pk", "micro"] == pytest.approx(6 / 19)


def test_csv_markdown_latex(run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("explain", "6-3-4", "4-4-5", "--format", "csv").out)))
    assert {row["convention"]: row["score"] for row in rows if row["metric"] == "Pk"}["NLTK, gap string"] == "0.4"
    assert "| Pk | NLTK, gap string | 0.400 |" in run("explain", "6-3-4", "4-4-5", "--format", "markdown").out
    assert r"\toprule" in run("explain", "6-3-4", "4-4-5", "--format", "latex").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("6-3-4", "4-4"), "same units"),
        (("6-3-0", "4-5"), "mass 3 is 0"),
        (("6-3-4", "4-4-5", "-m", "Pkk"), "did you mean Pk"),
        (("6-3-4", "4-4-5", "--gamma", "2"), "gamma"),
        (("6-3-4", "4-4-5", "--near", "soon"), "near"),
        (("6-3-4", "4-4-5", "--document", "x"), "no document"),
        (("nothing.jsonl", "4-4-5"), "nothing.jsonl"),
        (("6-3-4",), "HYPOTHESIS"),
        (("6-3-4", "4-4-5", "--width", "3"), "--width"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("explain", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_the_module_is_light() -> None:
    code = "import sys, caesura.cli.explain; print([m for m in ('numpy', 'rich', 'msgspec') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_keeps_its_examples(run: Run) -> None:
    assert "  caesura explain 6-3-4 4-4-5\n" in run("explain", "--help").out
