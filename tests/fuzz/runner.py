# SPDX-License-Identifier: Apache-2.0
"""Give damaged files to readers, and count what must not happen: foreign exceptions, hangs, much memory, crashes."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import random
import resource
import signal
import tempfile
import time
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from caesura.errors import LONGEST, CaesuraError
from tests.fuzz.damage import damaged
from tests.fuzz.targets import Target, targets

__all__ = ["Report", "run", "run_parallel"]

SECONDS_PER_MB = 5.0
MEMORY = 1 << 30
_CONTROLS = {"Cc", "Cs", "Zl", "Zp"}
_TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_UNIT = 1024  # ru_maxrss counts kilobytes on Linux


class Hang(BaseException):
    """Raised inside a reader that takes too long; no reader catches it."""


@dataclasses.dataclass
class Report:
    """What happened to how many files."""

    files: int = 0
    read: int = 0
    refused: int = 0
    by_target: Counter[str] = dataclasses.field(default_factory=Counter)
    findings: list[str] = dataclasses.field(default_factory=list)
    """One line each: number of the file, target, what happened."""

    def add(self, other: Report) -> None:
        """Add the counts of another part of the run."""
        self.files += other.files
        self.read += other.read
        self.refused += other.refused
        self.by_target.update(other.by_target)
        self.findings += other.findings

    def __str__(self) -> str:
        kinds = Counter(line.split(": ")[2] for line in self.findings)
        lines = [f"{self.files} damaged files: {self.refused} refused, {self.read} read"]
        lines += [f"{kind}: {kinds[kind]}" for kind in ("foreign exception", "bad message", "hang", "memory", "crash")]
        return "\n".join([*lines, *self.findings])


def example(seed: int, number: int) -> tuple[Target, str, bytes, random.Random]:
    """Return the reader, name and content of a damaged file; they depend on seed and number only."""
    draw = random.Random(f"{seed}/{number}")
    every = targets()
    target = every[number % len(every)]
    whole = draw.choice(target.files)
    others = [one.content for one in draw.choice(every).files]
    content = damaged(whole.content, draw, others)
    ending = ".gz" if content.startswith(b"\x1f\x8b") and draw.random() < 0.9 else ""
    return target, whole.name + ending, content, draw


def run(
    seed: int, numbers: Sequence[int], until: float = float("inf"), current: Any = None, keep: Path | None = None
) -> Report:
    """Read damaged files one after another, until all are read or the time is over."""
    report = Report()
    with tempfile.TemporaryDirectory(prefix="fuzz") as name, _limited():
        for number in numbers:
            if time.monotonic() > until:
                break
            if current is not None:
                current.value = number
            target, file, content, draw = example(seed, number)
            path = target.files[0].place(Path(name), content).rename(Path(name) / file)
            said = _try(target, path, len(content), draw, report)
            if said is not None:
                report.findings.append(f"{number}: {target.name}: {said}")
                if keep is not None:
                    keep.mkdir(exist_ok=True)
                    (keep / f"{seed}-{number}-{file}").write_bytes(content)
            report.files += 1
            report.by_target[target.name] += 1
            path.unlink()
    return report


def _try(target: Target, path: Path, size: int, draw: random.Random, report: Report) -> str | None:
    """Return what must not happen, or None."""
    most = SECONDS_PER_MB * max(1.0, size / 1e6)
    signal.setitimer(signal.ITIMER_PROF, 4 * most)
    before, start = _peak(), time.process_time()
    try:
        target.read(path, draw)
        report.read += 1
    except CaesuraError as error:
        report.refused += 1
        said = str(error)
        if not said or len(said) > LONGEST or any(map(_steers, said)):
            return f"bad message: {said!r:.300}"
    except Hang:
        return f"hang: more than {4 * most:.0f} s"
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return f"foreign exception: {type(error).__name__} {str(error)!r:.200}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    taken, after = time.process_time() - start, _peak()
    if taken > most:
        return f"hang: {taken:.1f} s for {size} bytes"
    if after > MEMORY and after > before:
        return f"memory: {after >> 20} MiB"
    return None


def _steers(sign: str) -> bool:
    """Say whether a character may steer a terminal, break a line, or turn the direction of a text."""
    return unicodedata.category(sign) in _CONTROLS or unicodedata.bidirectional(sign) in _TURNS


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise Hang

    old = signal.signal(signal.SIGPROF, ring)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.signal(signal.SIGPROF, old)


def run_parallel(seed: int, files: int, first: int, jobs: int, seconds: float, keep: Path) -> Report:
    """Read damaged files in several processes; one that dies is a finding, and is replaced."""
    whole = Report()
    until = time.monotonic() + seconds
    targets()  # before processes are started, so that each has them
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    places = {job: first + job for job in range(jobs)}
    running: dict[int, tuple[Any, Any]] = {}
    end = first + files

    def start(job: int) -> None:
        current = context.Value("q", places[job])
        # A new process now and then, so that a leak is no finding; the step keeps targets mixed.
        numbers = range(places[job], min(end, places[job] + 20_000 * jobs), jobs)
        process = context.Process(target=_work, args=(seed, numbers, until, current, keep, answers, job))
        process.start()
        running[job] = (process, current)
        places[job] = numbers[-1] + jobs if len(numbers) else end

    for job in range(jobs):
        start(job)
    while running:
        with contextlib.suppress(Exception):
            job, report = answers.get(timeout=5)
            whole.add(report)
            running.pop(job)[0].join()
            if places[job] < end and time.monotonic() < until:
                start(job)
            print(f"{whole.files} files, {len(whole.findings)} findings", flush=True)
        for job, (process, current) in list(running.items()):
            if process.exitcode not in (None, 0):
                place = current.value
                whole.findings.append(f"{place}: {example(seed, place)[0].name}: crash: exit code {process.exitcode}")
                running.pop(job)
                places[job] = place + jobs
                if places[job] < end:
                    start(job)
    return whole


def _work(seed: int, numbers: range, until: float, current: Any, keep: Path, answers: Any, job: int) -> None:
    answers.put((job, run(seed, numbers, until, current, keep)))
