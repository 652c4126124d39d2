# SPDX-License-Identifier: Apache-2.0
"""Rounds: everything that is compared runs once per round, so that a slow moment of the machine hits all alike."""

from __future__ import annotations

import functools
import gc
import math
import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Rounds", "child_seconds", "cpu_seconds", "interleave", "wall_seconds"]

Rounds = dict[str, list[float]]
Clock = Callable[[Callable[[], Any]], float]


def cpu_seconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of a call, over all threads."""
    start = time.process_time()
    work()
    return time.process_time() - start


def wall_seconds(work: Callable[[], Any]) -> float:
    """Return the time of a call on the wall, for work in several threads."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def child_seconds(command: Sequence[str | Path], environment: Mapping[str, str] | None = None) -> float:
    """Return the CPU time, user and system, of a command that must succeed."""
    before = _children_cpu()
    subprocess.run(
        [str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    return _children_cpu() - before


def _children_cpu() -> float:
    """Return the CPU time of all finished children; finer than the ticks of ``os.times`` where the system allows."""
    try:
        import resource
    except ImportError:
        spent = os.times()
        return spent.children_user + spent.children_system
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def interleave(
    works: Mapping[str, Callable[[], Any]], rounds: int, shortest: float, clock: Clock = cpu_seconds
) -> Rounds:
    """Time each piece of work in every round, after one round that is thrown away.

    Work that is done sooner than ``shortest`` seconds is repeated within its turn until it is not, and its time divided: what
    runs after another program finds the caches cold, and a short piece of work would show nothing else.
    """
    times: Rounds = {name: [] for name in works}
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        repeats = {}
        for name, work in works.items():
            work()
            repeats[name] = max(1, math.ceil(shortest / max(clock(work), 1e-9)))
        for _ in range(rounds):
            for name, work in works.items():
                seconds = clock(functools.partial(_repeat, work, repeats[name]))
                times[name].append(seconds / repeats[name])
            gc.collect()
    finally:
        if enabled:
            gc.enable()
    return times


def _repeat(work: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        work()
