# SPDX-License-Identifier: Apache-2.0
"""The runner of all work on shards, here or on Ray: finished shards are skipped, results kept as they arrive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caesura.errors import CaesuraError, DeclarationError
from caesura.scale.ray import run_ray
from caesura.scale.work import Result, Shard, Work

__all__ = ["check_engine", "run_shards"]


def check_engine(engine: str) -> None:
    """Raise for an unknown engine."""
    if engine not in ("local", "ray") and not engine.startswith("ray://"):
        raise DeclarationError(f"engine {engine!r} is unknown; choose local, ray or ray://ADDRESS")


def run_shards(
    work: Work[Shard, Result], shards: Sequence[Shard], *, engine: str = "local", actors: int | None = None
) -> Iterator[tuple[int, Result | CaesuraError]]:
    """Do the work on every shard, and yield the index of each with its result or its error, as they finish.

    Results that `Work.found` returns come first. An error, such as a result that cannot be kept, stops its own shard only:
    a shard counts as done only if the next run would find its result.

    Parameters
    ----------
    work : Work
        The work.
    shards : sequence
        The shards.
    engine : str
        "local" for this process, "ray" for a cluster of this machine, or "ray://ADDRESS".
    actors : int, optional
        The number of actors with an encoder on Ray, if the work has one.
    """
    check_engine(engine)
    waiting: list[int] = []
    for place, shard in enumerate(shards):
        result = work.found(shard)
        if result is None:
            waiting.append(place)
        else:
            yield place, result
    here, there = _local(work, shards, waiting), run_ray(work, shards, waiting, engine, actors)
    for place, outcome in here if engine == "local" else there:
        failure = None if isinstance(outcome, CaesuraError) else _failure(work, shards[place], outcome)
        yield place, failure or outcome


def _local(
    work: Work[Shard, Result], shards: Sequence[Shard], places: Sequence[int]
) -> Iterator[tuple[int, Result | CaesuraError]]:
    """Do the work shard by shard in this process."""
    for place in places:
        try:
            yield place, work.do(shards[place])
        except CaesuraError as error:
            yield place, error


def _failure(work: Work[Shard, Result], shard: Shard, result: Result) -> CaesuraError | None:
    """Keep a result, and return the error if that fails."""
    try:
        work.keep(shard, result)
    except CaesuraError as error:
        return error
    except OSError as error:
        return CaesuraError(f"cannot be kept ({error.strerror or error}); check the folder and the disk")
    return None
