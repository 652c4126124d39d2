# SPDX-License-Identifier: Apache-2.0
"""Work on shards, here or on Ray: found from an earlier run, else done by a worker, and kept by the caller as it arrives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from caesura.errors import CaesuraError, DeclarationError

__all__ = ["Result", "Shard", "Work", "check_engine", "run_shards"]

Shard = TypeVar("Shard")
Result = TypeVar("Result")


class Work(Generic[Shard, Result]):
    """One kind of work on shards; it is sent to workers, so it holds plain data and opens the rest on use."""

    @property
    def holds_encoder(self) -> bool:
        """Whether it opens an encoder, which an actor then holds from shard to shard."""
        return False

    def name(self, shard: Shard) -> str:
        """Return the name of a shard for messages; implemented by every subclass."""
        raise NotImplementedError  # pragma: no cover - every work has its own

    def found(self, shard: Shard) -> Result | None:
        """Return the result of a shard from an earlier run; None if missing or damaged."""
        return None

    def do(self, shard: Shard) -> Result:
        """Do the work, in any process; a `CaesuraError` stops this shard only."""
        raise NotImplementedError  # pragma: no cover - every work has its own

    def keep(self, shard: Shard, result: Result) -> None:
        """Keep the result of a shard atomically; called by the process that started the run."""


def check_engine(engine: str) -> None:
    """Raise for an unknown engine."""
    if engine not in ("local", "ray") and not engine.startswith("ray://"):
        raise DeclarationError(f"engine {engine!r} is unknown; choose local, ray or ray://ADDRESS")


def run_shards(
    work: Work[Shard, Result], shards: Sequence[Shard], *, engine: str = "local", actors: int | None = None
) -> Iterator[tuple[int, Result | CaesuraError]]:
    """Do the work on every shard, and yield the index of each with its result or its error, as they finish.

    Results that `Work.found` returns come first. An error, such as a result that cannot be kept, stops its own shard only:
    a shard counts as done only if the next run would find its result. ``engine`` is "local" for this process, "ray" for a
    cluster of this machine, or "ray://ADDRESS", with so many ``actors`` that hold an encoder, if the work has one.
    """
    check_engine(engine)
    waiting: list[int] = []
    for place, shard in enumerate(shards):
        result = work.found(shard)
        if result is None:
            waiting.append(place)
        else:
            yield place, result
    if engine == "local":
        outcomes = _local(work, shards, waiting)
    else:
        from caesura.scale.ray import run_ray

        outcomes = run_ray(work, shards, waiting, engine, actors)
    for place, outcome in outcomes:
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
