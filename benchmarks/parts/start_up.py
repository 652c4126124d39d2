# SPDX-License-Identifier: Apache-2.0
"""Goal 11: how long it takes to start, on an installed wheel with byte-code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.results import Part, Ratio, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import child_seconds

__all__ = ["measure"]

ROOT = Path(__file__).parents[2]
_SOURCES = ("src", "setup.py", "pyproject.toml", "README.md", "LICENSE", "NOTICE")
_LIMITS = (
    ("caesura --help", "floor: import click", 1.3),
    ("import caesura", "floor: import numpy, msgspec", 1.3),
    ("score one small file", "floor: import numpy, msgspec", 2.0),
)
_UNWANTED = ("numpy", "rich")


def measure(settings: Settings) -> Part:
    """Install a wheel into an environment of its own and time programs there."""
    part = Part(
        "start-up",
        "Start-up, on an installed wheel with byte-code",
        notes=[
            "CPU time, user and system, of whole processes, in an environment of its own that holds the wheel and "
            "sees the dependencies of this one. Each floor starts the same interpreter and imports what is named."
        ],
    )
    with tempfile.TemporaryDirectory() as folder:
        try:
            commands = _commands(Path(folder))
        except (subprocess.CalledProcessError, OSError) as error:
            part.skipped["start-up"] = _reason(error)
            commands = {}
        works = _working(commands, part)
        times = _rounds(works, 3 * settings.slow_rounds)
        part.rounds.update(times)
        for name, floor, limit in _LIMITS:
            reached = ratio_of(times[name], times[floor]) if name in times and floor in times else None
            why = part.skipped.get(name) or part.skipped.get("start-up", "")
            part.goal(11, f"{name}, in {floor.removeprefix('floor: ')}", "<=", limit, reached, why)
        _judge_imports(part, commands, "caesura --help" in works)
    return part


def _commands(folder: Path) -> dict[str, list[str]]:
    """Build and install the wheel, write two small files, and return what is to be timed."""
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    binaries = environment / ("Scripts" if os.name == "nt" else "bin")
    python = str(binaries / "python")
    site = Path(
        subprocess.check_output(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], text=True
        ).strip()
    )
    # Dependencies are read from where they are; the wheel comes first on the path.
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    _quiet(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--no-deps",
            "--prefix",
            environment,
            "--ignore-installed",
            _wheel(folder),
        ]
    )
    reference, hypothesis = folder / "reference.jsonl", folder / "hypothesis.jsonl"
    reference.write_text(json.dumps({"id": "d1", "masses": [6, 3, 4]}) + "\n", encoding="utf-8")
    hypothesis.write_text(json.dumps({"id": "d1", "masses": [4, 4, 5]}) + "\n", encoding="utf-8")
    return {
        "floor: bare interpreter": [python, "-c", "pass"],
        "floor: import click": [python, "-c", "import click"],
        "caesura --help": [python, str(binaries / "caesura"), "--help"],
        "floor: import numpy, msgspec": [python, "-c", "import numpy, msgspec"],
        "import caesura": [python, "-c", "import caesura"],
        "score one small file": [
            python,
            str(binaries / "caesura"),
            "evaluate",
            str(reference),
            str(hypothesis),
            "-m",
            "Pk",
        ],
    }


def _wheel(folder: Path) -> Path:
    """Build a wheel from a copy of the sources, so that the checkout stays as it is."""
    copy = folder / "sources"
    copy.mkdir()
    for name in _SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(
                source, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.c", "*.egg-info")
            )
        elif source.exists():
            shutil.copy(source, copy / name)
    _quiet([sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", folder, copy])
    return next(folder.glob("caesura-*.whl"))


def _quiet(command: Sequence[str | Path]) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


def _working(commands: Mapping[str, list[str]], part: Part) -> dict[str, list[str]]:
    """Keep the commands that succeed; the others are noted with what they say."""
    works = {}
    for name, command in commands.items():
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            works[name] = command
        else:
            part.skipped[name] = f"exit code {done.returncode}: {_last_line(done.stderr)}"
    return works


def _rounds(works: Mapping[str, list[str]], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, command in works.items():
            times[name].append(child_seconds(command))
    return times


def _judge_imports(part: Part, commands: Mapping[str, list[str]], works: bool) -> None:
    """Count the modules that help has no business to load."""
    text = f"modules of {' and '.join(_UNWANTED)} that caesura --help loads"
    if not works:
        part.goal(
            11, text, "<=", 0, None, part.skipped.get("caesura --help") or part.skipped.get("start-up", ""), "count"
        )
        return
    python, *rest = commands["caesura --help"]
    done = subprocess.run([python, "-X", "importtime", *rest], capture_output=True, text=True, check=True)
    loaded = [line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    count = float(sum(name.split(".")[0] in _UNWANTED for name in loaded))
    part.goal(11, text, "<=", 0, Ratio(count, count, count), kind="count")


def _reason(error: subprocess.CalledProcessError | OSError) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        said = error.stderr.decode() if isinstance(error.stderr, bytes) else error.stderr or ""
        return f"{Path(str(error.cmd[0])).name} failed: {_last_line(said)}"
    return str(error)


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"
