# SPDX-License-Identifier: Apache-2.0
"""Goals 4 and 13: the kernels on corpus L against a bare merge, and in two threads."""

from __future__ import annotations

import functools
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.floor_build import FloorsUnavailableError, compiled_floors
from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import cpu_seconds, interleave, wall_seconds
from caesura.batches.pairs import Pairs
from caesura.kernels import Counts, kernel, run_kernels
from caesura.metrics import METRICS, Request, metric
from caesura.metrics.counting import OwnCounts

__all__ = ["default_requests", "measure"]

BLOCK = 8_192  # documents that are read together
FLOOR = "floor: merge"
KEPT, FIRST = "all counts, tables kept", "all counts, tables kept, first in a process"
DROPPED = "all counts, one after the other, dropped"
WIDE = "all counts, one after the other in 64 bits, kept"
_ARRAYS = ("n_units", "ref_ptr", "ref_pos", "hyp_ptr", "hyp_pos")
_FLOORS_BESIDE = 5
_LIMITS = (
    ("Pk", "Pk", 4.0),
    ("WindowDiff", "WindowDiff", 4.0),
    ("edit distance", "B", 3.0),
    ("purity and coverage", "Purity", 1.5),
)


def default_requests() -> list[Request]:
    """Return the counts of kernels that all registered metrics need at their defaults, each once."""
    requests = dict.fromkeys(metric(name).request("unit") for name in METRICS.names())
    return [request for request in requests if not isinstance(request, OwnCounts)]


def measure(settings: Settings) -> Part:
    """Time floors and kernels in the same rounds."""
    part = Part(
        "floors",
        "What the work must cost, corpus L",
        notes=[
            "Floors: reading every boundary once; visiting each document's boundaries; a bare two-pointer merge of "
            "both sides as a textbook writes it (the merge floor of the goals); and the same merge without branches, "
            "the fastest known here. All are compiled like the kernels.",
            "All counts: every distinct request of all registered metrics at their defaults. Tables kept: as an "
            "evaluation counts and keeps them, all requests stretch by stretch and packed, and then read back in blocks "
            "of 64-bit floats, as an evaluation reads them to score. First in a process: the same once in a process of "
            "its own, so that all memory is fresh. Besides, without a goal: the kernels one after the other into tables "
            "of 64 bits, each dropped before the next, or all kept; the difference of these two is what the operating "
            "system takes to hand out memory.",
            "Two threads: time on the wall of all counts. The goal holds on an idle machine with two cores.",
        ],
    )
    pairs = settings.corpus("L", part)
    works = _kernel_works(pairs)
    try:
        works = _floor_works(pairs) | works
    except FloorsUnavailableError as reason:
        part.skipped["floors"] = str(reason)
    part.rounds.update(interleave(works, settings.rounds, settings.shortest))
    for label, _, limit in _LIMITS:
        _judge(part, label, limit)
    _judge(part, KEPT, 20.0)
    _first(part, pairs, settings)
    for name in ("M", "L"):
        _threads(part, settings, name)
    return part


def _floor_works(pairs: Pairs) -> dict[str, Callable[[], Any]]:
    floors = compiled_floors()
    out = np.empty(len(pairs), dtype=np.int64)
    arrays = (pairs.ref_ptr, pairs.ref_pos, pairs.hyp_ptr, pairs.hyp_pos, out)
    return {
        "floor: read": lambda: (floors.read(pairs.ref_pos), floors.read(pairs.hyp_pos)),
        "floor: walk": functools.partial(floors.walk, *arrays),
        FLOOR: functools.partial(floors.merge, *arrays),
        "floor: merge without branches": functools.partial(floors.merge_without_branches, *arrays),
    }


def _kernel_works(pairs: Pairs) -> dict[str, Callable[[], Any]]:
    works: dict[str, Callable[[], Any]] = {}
    for label, name, _ in _LIMITS:
        works[label] = functools.partial(_count, pairs, [metric(name).request(pairs.unit)])
    works[KEPT] = functools.partial(_count_and_read, pairs, default_requests())
    works[DROPPED] = functools.partial(_count_and_drop, pairs, default_requests())
    works[WIDE] = functools.partial(_count, pairs, default_requests())
    return works


def _count(pairs: Pairs, requests: list[Request]) -> list[Any]:
    return [kernel(request.kernel).count(pairs, request.parameters) for request in requests]


def _count_and_drop(pairs: Pairs, requests: list[Request]) -> None:
    for request in requests:
        kernel(request.kernel).count(pairs, request.parameters)


def _count_together(pairs: Pairs, requests: list[Request], threads: int = 1) -> list[Counts]:
    wanted = [(kernel(request.kernel), request.parameters) for request in requests]
    return run_kernels([pairs], wanted, threads=threads)[0]


def _count_and_read(pairs: Pairs, requests: list[Request]) -> list[Counts]:
    tables = _count_together(pairs, requests)
    for table in tables:
        for _ in table.blocks(BLOCK):
            pass
    return tables


def _judge(part: Part, label: str, limit: float) -> None:
    floor = part.rounds.get(FLOOR)
    reached = None if floor is None else ratio_of(part.rounds[label], floor)
    part.goal(4, f"L, {label}, in merge floors", "<=", limit, reached, part.skipped.get("floors", ""))


def _first(part: Part, pairs: Pairs, settings: Settings) -> None:
    """Count in processes of their own, each with floors before and after."""
    text = f"L, {FIRST}, in merge floors"
    if FLOOR not in part.rounds:
        part.goal(4, text, "<=", 20.0, None, part.skipped["floors"])
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arrays.npz"
        np.savez(path, **{name: getattr(pairs, name) for name in _ARRAYS})
        command = [sys.executable, "-m", "benchmarks.parts.merge_floor", str(path)]
        found = [
            json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for _ in range(settings.slow_rounds)
        ]
    part.rounds[FIRST] = [each["counts"] for each in found]
    part.rounds[f"{FLOOR}, beside it"] = [each["floor"] for each in found]
    part.goal(4, text, "<=", 20.0, ratio_of(part.rounds[FIRST], part.rounds[f"{FLOOR}, beside it"]))


def _watch(path: Path) -> dict[str, float]:
    """Time the floor and one count of everything; runs in a process of its own."""
    with np.load(path) as stored:
        pairs = Pairs(**stored)
    floor = _floor_works(pairs)[FLOOR]
    requests = default_requests()
    floor()
    before = [cpu_seconds(floor) for _ in range(_FLOORS_BESIDE)]
    counts = cpu_seconds(functools.partial(_count_and_read, pairs, requests))
    after = [cpu_seconds(floor) for _ in range(_FLOORS_BESIDE)]
    return {"counts": counts, "floor": statistics.median(before + after)}


def _threads(part: Part, settings: Settings, name: str) -> None:
    """Goal 13: first the same bits, then the times."""
    pairs = settings.corpus(name, part)
    requests = default_requests()
    text = f"{name}, all counts, two threads, times faster than one"
    alone, together = _count(pairs, requests), _count_together(pairs, requests, 2)
    if not all(one.tobytes() == two.array().tobytes() for one, two in zip(alone, together, strict=True)):
        part.mismatches[text] = "two threads give other counts than one"
        part.goal(13, text, ">=", 1.6, None, part.mismatches[text])
        return
    del alone, together
    works = {
        f"{name}, one thread": functools.partial(_count_together, pairs, requests),
        f"{name}, two threads": functools.partial(_count_together, pairs, requests, 2),
    }
    times = interleave(works, settings.rounds, settings.shortest, wall_seconds)
    part.rounds.update(times)
    part.goal(13, text, ">=", 1.6, ratio_of(*times.values()))


if __name__ == "__main__":
    print(json.dumps(_watch(Path(sys.argv[1]))))
