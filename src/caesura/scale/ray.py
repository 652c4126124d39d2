# SPDX-License-Identifier: Apache-2.0
"""Ray as an engine: every shard is a plain task with retries, read by our own readers; the driver keeps the results."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator, Sequence
from typing import Any

from caesura.errors import CaesuraError, DeclarationError, MissingExtraError, reason
from caesura.scale.count import Options
from caesura.scale.listing import Shard, count_one
from caesura.scale.shard import ShardResult, parse_shard, shard_text

__all__ = ["cluster", "run_ray"]

_RETRIES = 3
_SECONDS = 10.0


@contextlib.contextmanager
def cluster(engine: str) -> Iterator[Any]:
    """Connect to a cluster, or start one on this machine, and yield Ray; nothing is reported to anybody.

    Raises
    ------
    DeclarationError
        If no cluster answers.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else a warning about accelerators
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
            ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        except Exception as error:
            where = address or "on this machine"
            raise DeclarationError(f"no Ray cluster {where} ({reason(error)}); check that it runs") from None
    try:
        yield ray
    finally:
        if not theirs:
            ray.shutdown()


def _check_answers(address: str) -> None:
    """Refuse an address at which nobody listens before Ray waits for it."""
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


def run_ray(
    shards: Sequence[Shard],
    places: Sequence[int],
    metrics: Sequence[str] | None,
    engine: str,
    options: Options,
) -> Iterator[tuple[int, ShardResult | CaesuraError]]:
    """Count shards as tasks; a worker that is killed loses its task, which is then run again."""
    if not places:
        return
    with cluster(engine) as ray:
        task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_task)
        waiting = {task.remote(shards[place], metrics, options): place for place in places}
        while waiting:
            (done,), _ = ray.wait(list(waiting), num_returns=1)
            place = waiting.pop(done)
            try:
                whole, text = ray.get(done)
            except ray.exceptions.RayError as error:
                yield place, CaesuraError(f"the worker failed ({reason(error)}); run the same command again")
                continue
            if whole:
                yield place, parse_shard(text)
            else:
                yield place, CaesuraError(text)


def _task(shard: Shard, metrics: Sequence[str] | None, options: Options) -> tuple[bool, str]:
    """Count a shard in a worker; return whether it went well, and the result or the message as text."""
    result = count_one(shard, metrics, options)
    return (False, str(result)) if isinstance(result, CaesuraError) else (True, shard_text(result))
