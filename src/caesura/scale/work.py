# SPDX-License-Identifier: Apache-2.0
"""Work on shards, here or on Ray: found from an earlier run, else done by a worker, and kept by the caller as it arrives.

On Ray every shard is a plain task with retries, or a call of an actor that holds an encoder. A killed worker loses only its own
shard, which is then repeated, and nothing is kept twice.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

from caesura.errors import CaesuraError, CaesuraWarning, DeclarationError, MissingExtraError, reason

__all__ = ["Result", "Shard", "Work", "check_engine", "cluster", "pool_size", "run_shards", "started"]

_RETRIES, _STARTS = 3, 5
_QUIET = {"log_to_driver": False, "logging_level": "ERROR"}
_SECONDS = 10.0
_AHEAD = 2  # concurrent tasks per processor; the others wait here, not in the memory of the cluster
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

    def apart(self, shard: Shard, do: Callable[[Sequence[Shard]], list[Result | CaesuraError]]) -> Result | None:
        """Return the result of a shard that was lost with its worker, done in parts to find the one that fails; None if it has none."""
        return None

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
    here, there = _local(work, shards, waiting), _on_ray(work, shards, waiting, engine, actors)
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


@contextlib.contextmanager
def cluster(engine: str) -> Iterator[ModuleType]:
    """Connect to a cluster, or start one on this machine, and yield Ray, without usage reports."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # avoids a warning about accelerators
    ending = signal.getsignal(signal.SIGTERM)
    try:
        import ray
    except ImportError:
        raise MissingExtraError("--engine ray", "ray") from None
    address = engine if engine.startswith("ray://") else None
    if address is not None:
        _check_answers(address)
    theirs = ray.is_initialized()
    if not theirs:
        try:
            started(ray) if address is None else _connected(ray, address)
        except ConnectionAbortedError as error:
            said = (str(error).splitlines() or [""])[-1].strip()
            raise DeclarationError(
                f"the Ray cluster at {address} starts no driver ({said[:80]}); try again when it is less busy, or start it with "
                "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S=300"
            ) from None
        except Exception as error:
            where = f"at {address}" if address is not None else "on this machine"
            remedy = "check that it runs, and that RAY_AUTH_TOKEN is its token if it has one"
            raise DeclarationError(f"no Ray cluster {where} ({reason(error)}); {remedy}") from None
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, ending)  # Ray has put its own, which leaves with 15
    try:
        yield ray
    except ConnectionError as error:
        raise CaesuraError(f"the Ray cluster is gone ({reason(error)}); run the same command again") from None
    finally:
        if not theirs:
            ray.shutdown()


def started(ray: ModuleType, **options: Any) -> None:
    """Start a cluster on this machine; a busy machine may be too slow for Ray, which waits 30 seconds, so it is tried again."""
    _init(ray, Exception, include_dashboard=False, **options)


def _connected(ray: ModuleType, address: str) -> None:
    """Connect to a cluster; one whose first driver does not start within the 30 seconds of Ray is asked again."""
    _init(ray, ConnectionAbortedError, address=address)


def _init(ray: ModuleType, passing: type[Exception], **options: Any) -> None:
    """Call ``ray.init`` until it succeeds, a limited number of times; an error that is not ``passing`` ends it."""
    for attempt in range(_STARTS):
        try:
            ray.init(**options, **_QUIET)
            break
        except passing:
            ray.shutdown()
            if attempt == _STARTS - 1:
                raise


def _check_answers(address: str) -> None:
    """Raise if nothing listens at an address, before Ray waits for it."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or len(port) > 5:
        raise DeclarationError(f"{address!r} is not the address of a cluster; write ray://HOST:PORT")
    try:
        socket.create_connection((host, int(port)), timeout=_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise DeclarationError(
            f"no Ray cluster answers at {address} ({reason(error)}); start one (ray start --head), or use --engine ray "
            "for this machine"
        ) from None


class _Outcome(NamedTuple, Generic[Result]):
    """The reply of a worker: a result or an error message, and its warnings."""

    result: Result | None
    message: str
    noted: list[str]


def _on_ray(
    work: Work[Shard, Result], shards: Sequence[Shard], places: Sequence[int], engine: str, actors: int | None
) -> Iterator[tuple[int, Result | CaesuraError]]:
    """Do the work on some of the shards, and yield each as it ends."""
    if not places:
        return
    with cluster(engine) as ray:
        idle = _actors(ray, work, actors) if work.holds_encoder else _tasks(ray, work)
        for place, outcome in _each(ray, idle, shards, places):
            # The part that fails is found while the other shards go on.
            apart = (
                work.apart(shards[place], functools.partial(_all, ray, idle))
                if isinstance(outcome, _LostError)
                else None
            )
            yield place, outcome if apart is None else apart


def _all(ray: ModuleType, idle: list[Callable[[Shard], Any]], shards: Sequence[Shard]) -> list[Any]:
    """Return the outcomes of shards, in their order."""
    found = dict(_each(ray, idle, shards, range(len(shards))))
    return [found[place] for place in range(len(shards))]


def _each(
    ray: ModuleType, idle: list[Callable[[Shard], Any]], shards: Sequence[Shard], places: Sequence[int]
) -> Iterator[tuple[int, Any]]:
    """Start a call for some of the shards as soon as one is idle, and yield the outcome of each as it ends."""
    waiting: dict[Any, tuple[int, Callable[[Shard], Any]]] = {}
    left = list(reversed(places))
    while left or waiting:
        while left and idle:
            start, place = idle.pop(), left.pop()
            waiting[start(shards[place])] = place, start
        (done,), _ = ray.wait(list(waiting), num_returns=1)
        place, start = waiting.pop(done)
        idle.append(start)
        yield place, _received(ray, done)


class _LostError(CaesuraError):
    """A shard was lost with its worker, however often it was tried."""


def _received(ray: ModuleType, done: Any) -> Any:
    """Return the result of a call or its error, and repeat the worker's warnings."""
    try:
        result, message, noted = ray.get(done)
    except ray.exceptions.RayError as error:
        return _LostError(f"the worker failed ({reason(error)}); run the same command again")
    for text in noted:
        warnings.warn(CaesuraWarning(text), stacklevel=2)
    return result if not message else CaesuraError(message)


def _attempted(work: Work[Shard, Result], shard: Shard) -> _Outcome[Result]:
    """Do the work on a shard in a worker."""
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", CaesuraWarning)
        try:
            result, message = work.do(shard), ""
        except CaesuraError as error:
            result, message = None, str(error) or type(error).__name__
    return _Outcome(result, message, [str(each.message) for each in noted if each.category is CaesuraWarning])


class _Holder(Generic[Shard, Result]):
    """An actor, which keeps its work and the encoder open."""

    def __init__(self, work: Work[Shard, Result]) -> None:
        self._work = work

    def attempt(self, shard: Shard) -> _Outcome[Result]:
        """Do the work on a shard."""
        return _attempted(self._work, shard)


def _tasks(ray: ModuleType, work: Work[Shard, Result]) -> list[Callable[[Shard], Any]]:
    """Return the function that starts a task, once per concurrent task."""
    task, shared = ray.remote(num_cpus=1, max_retries=_RETRIES)(_attempted), ray.put(work)
    processors = int(ray.cluster_resources().get("CPU", 1))
    return [lambda shard: task.remote(shared, shard)] * (_AHEAD * max(1, processors))


def _actors(ray: ModuleType, work: Work[Shard, Result], wanted: int | None) -> list[Callable[[Shard], Any]]:
    """Return the calls of a pool of actors; each has one shard at a time, so that its failure costs one shard."""
    resources = ray.cluster_resources()
    processors, cards = int(resources.get("CPU", 0)), int(resources.get("GPU", 0))
    size = pool_size(wanted, processors, cards)
    needs = {"num_cpus": 1, "num_gpus": 1 if cards >= size else 0}
    holder = ray.remote(max_restarts=-1, max_task_retries=_RETRIES, **needs)(_Holder)
    return [holder.remote(work).attempt.remote for _ in range(size)]


def pool_size(wanted: int | None, processors: int, cards: int) -> int:
    """Return the number of actors with an encoder: as requested, else one per GPU, else all processors but one.

    They must not take every processor: other tasks of the cluster would wait for ever.
    """
    size = wanted or max(1, min(cards, processors - 1) if cards else processors - 1)
    if size >= processors:
        raise DeclarationError(
            f"{size} actors would take every processor of the cluster, which has {processors}; "
            + (f"give at most --actors {processors - 1}" if processors > 1 else "start Ray with at least 2")
            + ", add machines, or use --engine local"
        )
    return size
