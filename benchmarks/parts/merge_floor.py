# SPDX-License-Identifier: Apache-2.0
"""Goals 4 and 13: the kernels on corpus L against a bare merge, and in two threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.floor_build import FloorsUnavailableError, compiled_floors
from benchmarks.results import Part, ratio_of
from benchmarks.settings import Settings
from benchmarks.timing import interleave, wall_seconds
from caesura.kernels import kernel
from caesura.metrics import METRICS, Request, metric
from caesura.pairs import Pairs

__all__ = ["default_requests", "measure"]

FLOOR = "floor: merge"
KEPT, DROPPED = "all counts, tables kept", "all counts, each table dropped"
_LIMITS = (
    ("Pk", "Pk", 4.0),
    ("WindowDiff", "WindowDiff", 4.0),
    ("edit distance", "B", 3.0),
    ("purity and coverage", "Purity", 1.5),
)


def default_requests() -> list[Request]:
    """Return the counts that all registered metrics need at their defaults, each once."""
    return list(dict.fromkeys(metric(name).request("unit") for name in METRICS.names()))


def measure(settings: Settings) -> Part:
    """Time floors and kernels in the same rounds."""
    part = Part(
        "floors",
        "What the work must cost, corpus L",
        notes=[
            "Floors: reading every boundary once; visiting each document's boundaries; a bare two-pointer merge of "
            "both sides as a textbook writes it (the merge floor of the goals); and the same merge without branches, "
            "the fastest known here. All are compiled like the kernels.",
            "All counts: one after the other, every distinct request of all registered metrics at their defaults. "
            "Measured twice: with all tables kept in memory at once, as an evaluation keeps them, and with each dropped "
            "before the next. The kernels do the same work; the difference is what the operating system takes to hand "
            "out fresh memory, which is part of the cost of the first and varies from run to run.",
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
    _judge(part, DROPPED, 20.0)
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
    works[KEPT] = functools.partial(_count, pairs, default_requests())
    works[DROPPED] = functools.partial(_count_and_drop, pairs, default_requests())
    return works


def _count(pairs: Pairs, requests: list[Request], threads: int = 1) -> list[Any]:
    return [kernel(request.kernel).count(pairs, request.parameters, threads=threads) for request in requests]


def _count_and_drop(pairs: Pairs, requests: list[Request]) -> None:
    for request in requests:
        kernel(request.kernel).count(pairs, request.parameters)


def _judge(part: Part, label: str, limit: float) -> None:
    floor = part.rounds.get(FLOOR)
    reached = None if floor is None else ratio_of(part.rounds[label], floor)
    part.goal(4, f"L, {label}, in merge floors", "<=", limit, reached, part.skipped.get("floors", ""))


def _threads(part: Part, settings: Settings, name: str) -> None:
    """Goal 13: first the same bits, then the times."""
    pairs = settings.corpus(name, part)
    requests = default_requests()
    text = f"{name}, all counts, two threads, times faster than one"
    same = all(
        one.tobytes() == two.tobytes()
        for one, two in zip(_count(pairs, requests), _count(pairs, requests, 2), strict=True)
    )
    if not same:
        part.mismatches[text] = "two threads give other counts than one"
        part.goal(13, text, ">=", 1.6, None, part.mismatches[text])
        return
    works = {
        f"{name}, one thread": functools.partial(_count, pairs, requests),
        f"{name}, two threads": functools.partial(_count, pairs, requests, 2),
    }
    times = interleave(works, settings.rounds, settings.shortest, wall_seconds)
    part.rounds.update(times)
    part.goal(13, text, ">=", 1.6, ratio_of(*times.values()))
