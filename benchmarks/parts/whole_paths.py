# SPDX-License-Identifier: Apache-2.0
"""Goals 18, 19, 20 and 26: from files to an answer, as people run it."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import Shape, generate
from benchmarks.parts.files import write_jsonl
from benchmarks.results import Part, Ratio, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import cpu_seconds, interleave
from caesura import evaluate, load
from caesura.batches.pairs import Pairs

__all__ = ["measure"]

BASELINES = "every,random_density"
WORDS = ["a", "short", "unit", "of", "some", "eight", "or", "nine", "words"]
PART_OF_LINES = 10
ROUNDS = 3
ANSWERS: dict[str, tuple[float, Callable[[Any, Path], Any]]] = {
    "baselines": (1.5, lambda files, _: evaluate(*files, baselines=BASELINES).results()),
    "skill": (4.0, lambda files, _: _answered(evaluate(*files), "skill")),
    "verdict": (4.0, lambda files, _: _answered(evaluate(*files), "verdicts")),
    "compare": (6.0, lambda files, _: _answered(evaluate(*files), "compare")),
    "-o": (1.4, lambda files, folder: evaluate(*files).save(folder / "r.json")),
}
_PEAK = """
import sys, time
from caesura.limits import peak_bytes
from caesura.cli import main
import caesura.evaluation.evaluate.run, caesura.formats.jsonl, rich
before = peak_bytes()
try:
    main()
except SystemExit as stop:
    assert not stop.code
print(peak_bytes() - before, time.process_time(), file=sys.stderr)
"""


def measure(settings: Settings) -> Part:
    """Time the command line, files with texts and scores, and the answers beyond the scores."""
    part = Part(
        "whole paths",
        "From files to an answer",
        notes=[
            "Documents of 32 units on average, reference and two systems, one JSONL file each. The command line: the CPU time of "
            "`caesura evaluate` in a process of its own, and its peak memory less that after the imports, over json.loads of "
            f"every {PART_OF_LINES}th line, times {PART_OF_LINES}, and over the bytes of the files.",
            "Texts and scores: `load` of one file, with the texts of the units or with a score per gap, over json.loads.",
            f"Answers: the whole call from files to results, over plain `evaluate` from the same files. Baselines: {BASELINES}. "
            f"{ROUNDS} rounds.",
        ],
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _command_line(folder, 20_000 if settings.quick else 1_000_000, settings, part)
        _texts_and_scores(folder, 500 if settings.quick else 10_000, settings, part)
        _answers(folder, 500 if settings.quick else 100_000, settings, part)
    return part


def _write(folder: Path, documents: int, settings: Settings, part: Part) -> list[Path]:
    """Write a reference and two systems, the second with four fifths of the boundaries of the first."""
    pairs = generate(Shape(f"{documents:,}", documents, 32, spread=0.5), settings.seed)
    part.corpora[f"{documents:,} documents"] = {
        "documents": len(pairs),
        "units": int(pairs.n_units.sum()),
        "boundaries": len(pairs.ref_pos) + len(pairs.hyp_pos),
    }
    kept = np.random.default_rng(settings.seed).random(len(pairs.hyp_pos)) < 0.8
    fewer = np.concatenate([[0], np.cumsum(kept)])[pairs.hyp_ptr], pairs.hyp_pos[kept]
    files = [folder / f"{name}-{documents}.jsonl" for name in ("gold", "a", "b")]
    sides = ((pairs.ref_ptr, pairs.ref_pos), (pairs.hyp_ptr, pairs.hyp_pos), fewer)
    for file, (ptr, pos) in zip(files, sides, strict=True):
        write_jsonl(file, pairs.n_units, ptr, pos)
    return files


def _decode(lines: list[bytes]) -> None:
    for line in lines:
        json.loads(line)


def _command_line(folder: Path, documents: int, settings: Settings, part: Part) -> None:
    """Goals 18 and 26."""
    files = _write(folder, documents, settings, part)
    size = sum(file.stat().st_size for file in files)
    lines = [line for file in files for line in file.read_bytes().splitlines()[::PART_OF_LINES]]
    floor, ours, peaks, with_intervals = [], [], [], []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for _ in range(ROUNDS):
        floor.append(cpu_seconds(functools.partial(_decode, lines)) * PART_OF_LINES)
        for options, times in (([], ours), (["--ci"], with_intervals)):
            done = subprocess.run(
                [sys.executable, "-c", _PEAK, "evaluate", *map(str, files), *options],
                check=True, capture_output=True, text=True, env=environment,
            )  # fmt: skip
            peak, seconds = done.stderr.split()[-2:]
            times.append(float(seconds))
            if not options:
                peaks.append(int(peak) / size)
    for file in files:
        file.unlink()
    part.rounds.update({"command line: json.loads": floor, "command line: caesura evaluate": ours})
    part.rounds["command line: caesura evaluate --ci"] = with_intervals
    part.numbers["bytes of the three files"] = size
    text = f"command line, {documents:,} documents, 2 systems"
    part.goal(18, f"{text}, in json.loads of the same lines", "<=", 0.4, ratio_of(ours, floor))
    part.goal(26, f"{text}: with intervals, in the same without", "<=", 4.0, ratio_of(with_intervals, ours))
    reached = Ratio(sorted(peaks)[len(peaks) // 2], min(peaks), max(peaks))
    part.goal(18, f"{text}: peak memory beyond imports, in bytes of the files", "<=", 1.5, reached)


def _texts_and_scores(folder: Path, documents: int, settings: Settings, part: Part) -> None:
    """Goal 19."""
    pairs = generate(Shape("texts", documents, 32, spread=0.5), settings.seed)
    for what, limit in (("texts", 0.7), ("scores", 0.5)):
        path = folder / f"{what}.jsonl"
        path.write_text("".join(_rich_lines(pairs, what, settings.seed)), encoding="utf-8")
        lines = path.read_bytes().splitlines()
        works = {
            f"{what}: json.loads": functools.partial(_decode, lines),
            f"{what}: load": functools.partial(load, path),
        }
        times = interleave(works, settings.slow_rounds, settings.shortest)
        part.rounds.update(times)
        ratio = ratio_of(times[f"{what}: load"], times[f"{what}: json.loads"])
        part.goal(19, f"a file with {what}, in json.loads of the same lines", "<=", limit, ratio)


def _rich_lines(pairs: Pairs, what: str, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    lines = []
    for row, units in enumerate(pairs.n_units.tolist()):
        document: dict[str, Any] = {"id": f"d{row}"}
        if what == "texts":
            document["units"] = [" ".join(rng.permutation(WORDS)) for _ in range(units)]
        else:
            document |= {"n_units": units, "scores": rng.random(units - 1).round(6).tolist()}
        document["boundaries"] = pairs.ref_pos[pairs.ref_ptr[row] : pairs.ref_ptr[row + 1]].tolist()
        lines.append(json.dumps(document) + "\n")
    return lines


def _answered(evaluation: Any, question: str) -> Any:
    getattr(evaluation, question)()
    return evaluation.results()


def _answers(folder: Path, documents: int, settings: Settings, part: Part) -> None:
    """Goal 20."""
    gold, *systems = _write(folder, documents, settings, part)
    files = str(gold), {path.stem[0]: str(path) for path in systems}
    works: dict[str, Callable[[], Any]] = {"plain evaluate": lambda: evaluate(*files).results()}
    works |= {name: functools.partial(work, files, folder) for name, (_, work) in ANSWERS.items()}
    works["plain evaluate"]()
    for name in works:
        part.rounds[name] = []
    for _ in range(ROUNDS):
        for name, work in works.items():
            part.rounds[name].append(cpu_seconds(work))
    for name, (limit, _) in ANSWERS.items():
        text = f"{documents:,} documents, {name}, in plain evaluate"
        part.goal(20, text, "<=", limit, ratio_of(part.rounds[name], part.rounds["plain evaluate"]))
