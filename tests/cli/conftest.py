"""The command line, run in this process as a shell would run it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from caesura.cli import main
from tests.examples import write_example_files


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``caesura ARGS`` and return exit code, stdout and stderr; tables are in one piece, unless a test wants less room."""
    monkeypatch.setenv("COLUMNS", "1000")

    def call(*args: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["caesura", *map(str, args)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), captured.out, captured.err)

    return call


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write JSON lines (or text as it is) to a file and return its path."""

    def call(name: str, *lines: object) -> Path:
        path = tmp_path / name
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
        return path

    return call


@pytest.fixture
def files(write):
    """Write gold, a good and a bad system of 30 documents."""
    rng = np.random.default_rng(5)
    gold, good, bad = [], [], []
    for number in range(30):
        boundaries = sorted((np.flatnonzero(rng.random(29) < 0.2) + 1).tolist()) or [7]
        moved = sorted({min(29, max(1, b + int(rng.integers(0, 2)))) for b in boundaries})
        noise = sorted(rng.choice(29, size=len(boundaries), replace=False) + 1)
        for rows, chosen in ((gold, boundaries), (good, moved), (bad, [int(b) for b in noise])):
            rows.append({"id": f"d{number}", "n_units": 30, "boundaries": chosen})
    return write("gold.jsonl", *gold), write("good.jsonl", *good), write("bad.jsonl", *bad)


@pytest.fixture
def shown(capsys):
    """Return a function that shows a results file as the command line does."""
    from caesura.cli._output import show_results
    from caesura.results import read_results

    def show(path, target):
        capsys.readouterr()
        show_results(read_results(path), target)
        return capsys.readouterr().out

    return show


CATS = ["cats purr", "a cat purrs", "cats sleep", "the cat sleeps"]
RAIN = ["rain falls", "the rain fell", "falling rain", "storm and rain"]
CATS_AND_RAIN = [
    {"id": f"d{k}", "units": CATS[: 2 + k % 3] + RAIN[: 2 + k % 2], "boundaries": [2 + k % 3]} for k in range(8)
]


@pytest.fixture
def docs(write):
    """Write short documents about cats, then rain."""
    return write("docs.jsonl", *CATS_AND_RAIN)


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test in a folder with the files of ``caesura demo --files``."""
    write_example_files(tmp_path)
    monkeypatch.chdir(tmp_path)
