# SPDX-License-Identifier: Apache-2.0
"""A few seconds of damaged files on every run; ``make fuzz`` reads as many as you like."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from caesura.errors import CaesuraError
from caesura.formats import FORMATS, load
from tests.fuzz import runner
from tests.fuzz.runner import Report, example, run
from tests.fuzz.targets import Target, targets
from tests.seeds import FOLDERS, readable

SECONDS = float(os.environ.get("CAESURA_FUZZ_SECONDS", "20"))


def test_every_reader_of_files_is_a_target() -> None:
    assert {cls.name() for cls in FORMATS if readable(cls)} - FOLDERS <= {target.name for target in targets()}
    assert all(target.files for target in targets())


def test_damaged_files_are_refused_or_read(tmp_path: Path) -> None:
    report = run(1, range(1_000_000), time.monotonic() + SECONDS, keep=tmp_path / "found")
    assert report.files >= len(targets())
    assert not report.findings, str(report)


def test_many_blank_lines_in_subtitles_take_no_time(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text("1\n00:00:00,000 --> 00:00:02,500\nyes" + "\n" * 80_000 + "2\n00:00:03,000 --> 00:00:04,000\nno\n")
    start = time.process_time()
    (document,) = load(path)
    assert document.units == ("yes", "no")
    assert time.process_time() - start < 5


def test_damage_depends_on_the_seed_only() -> None:
    for number in range(60):
        assert example(1, number)[:3] == example(1, number)[:3]
    assert {example(1, number)[2] for number in range(60)} != {example(2, number)[2] for number in range(60)}


def test_most_damage_is_noticed() -> None:
    report = run(5, range(300))
    assert report.refused > 100
    assert report.read > 20


class Foreign(Exception):
    pass


@pytest.mark.parametrize(
    ("said", "error"),
    [("foreign exception: Foreign", Foreign("x")), ("bad message", CaesuraError("")), (None, CaesuraError("a; b"))],
)
def test_what_must_not_happen_is_reported(said: str | None, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: Path, _: object) -> object:
        raise error

    target = Target("broken", targets()[0].files, read)
    monkeypatch.setattr(runner, "targets", lambda: (target,))
    report = run(1, range(3))
    assert report.files == 3
    assert len(report.findings) == (0 if said is None else 3)
    assert all(f"broken: {said}" in line for line in report.findings)


def test_a_hang_and_much_memory_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(path: Path, _: object) -> object:
        while True:
            pass

    held: list[bytes] = []

    def fill(path: Path, _: object) -> object:
        # The peak of the process lies wherever earlier tests left it, so as much is held as it takes to pass it.
        before = runner._peak()
        while runner._peak() == before:
            held.append(b"a" * (1 << 24))
        return held

    monkeypatch.setattr(runner, "SECONDS_PER_MB", 0.02)
    monkeypatch.setattr(runner, "targets", lambda: (Target("slow", targets()[0].files, hang),))
    assert "slow: hang" in run(1, range(1)).findings[0]
    monkeypatch.setattr(runner, "SECONDS_PER_MB", 5)
    monkeypatch.setattr(runner, "MEMORY", runner._peak())
    monkeypatch.setattr(runner, "targets", lambda: (Target("large", targets()[0].files, fill),))
    assert "large: memory" in run(1, range(1)).findings[-1]


def test_a_crash_is_reported_and_survived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def read(path: Path, _: object) -> object:
        if path.stat().st_size % 3 == 0:
            os._exit(9)
        return None

    monkeypatch.setattr(runner, "targets", lambda: (Target("deadly", targets()[0].files, read),))
    report: Report = runner.run_parallel(1, 12, 0, 2, 60, tmp_path)
    crashes = [line for line in report.findings if "deadly: crash: exit code 9" in line]
    assert 0 < len(crashes) < 12
