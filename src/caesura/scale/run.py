# SPDX-License-Identifier: Apache-2.0
"""The runner of all work on shards: what is there is skipped, the rest is done here or on Ray, and kept as it arrives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from caesura.errors import CaesuraError, DeclarationError
from caesura.scale.ray import run_ray
from caesura.scale.work import Result, Shard, Work

__all__ = ["check_engine", "run_shards"]


def check_engine(engine: str) -> None:
    """Refuse an engine that there is not."""
    if engine not in ("local", "ray") and not engine.startswith("ray://"):
        raise DeclarationError(f"engine {engine!r} is unknown; choose local, ray or ray://ADDRESS")


def run_shards(
    work: Work[Shard, Result], shards: Sequence[Shard], *, engine: str = "local", actors: int | None = None
) -> Iterator[tuple[int, Result | CaesuraError]]:
    """Do the work on every shard, and yield the place of each with its result, or with the error that it met, as they end.

    What `Work.found` finds comes first. An error stops its own shard only, also one that says that the result cannot be
    kept: nothing counts as done that the next run would not find.

    Parameters
    ----------
    work : Work
        What is done.
    shards : sequence
        What it is done to.
    engine : str
        "local" for this process, "ray" for a cluster of this machine, or "ray://ADDRESS".
    actors : int, optional
        On Ray, how many actors hold the encoder, if the work has one.
    """
    check_engine(engine)
    waiting: list[int] = []
    for place, shard in enumerate(shards):
        known = work.found(shard)
        if known is None:
            waiting.append(place)
        else:
            yield place, known
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
    """Keep a result, and return why that cannot be, if it cannot."""
    try:
        work.keep(shard, result)
    except CaesuraError as error:
        return error
    except OSError as error:
        return CaesuraError(f"cannot be kept ({error.strerror or error}); check the folder and the disk")
    return None
