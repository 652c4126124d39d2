# SPDX-License-Identifier: Apache-2.0
"""Engines that count shards one by one or side by side, and keep what is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Unpack

from caesura.errors import CaesuraError, DeclarationError
from caesura.scale.count import Options, shard_key
from caesura.scale.files import is_counted, shard_path
from caesura.scale.listing import Shard, count_one, names_of
from caesura.scale.shard import ShardResult, read_shard, write_shard

__all__ = ["check_engine", "count_shards", "counted_already"]


def check_engine(engine: str) -> None:
    """Refuse an engine that there is not."""
    kind = engine.partition(":")[0]
    if kind not in ("local", "ray") or (kind == "local" and engine != "local"):
        raise DeclarationError(f"engine {engine!r} is unknown; choose local, ray or ray://ADDRESS")


def count_shards(
    shards: Sequence[Shard],
    metrics: Sequence[str] | None = None,
    *,
    engine: str = "local",
    folder: str | None = None,
    **options: Unpack[Options],
) -> Iterator[tuple[str, ShardResult | CaesuraError]]:
    """Count shards, and yield the name of each with its result, or with the error that it met, as they are done.

    Parameters
    ----------
    shards : sequence of Shard
        What `shards_of` returned.
    metrics, **options
        As in `count`.
    engine : str
        "local", "ray" for a cluster of this machine, or "ray://ADDRESS".
    folder : str, optional
        Where results are kept, each named by its key: what is there already is not counted again.
    """
    check_engine(engine)
    names = names_of(shards)
    waiting: list[int] = []
    for place, shard in enumerate(shards):
        known = None if folder is None else counted_already(shard, folder, metrics, **options)
        if known is None:
            waiting.append(place)
        else:
            yield names[place], known
    run = _local if engine == "local" else _ray
    for place, result in run(shards, waiting, metrics, engine, options):
        if folder is not None and isinstance(result, ShardResult):
            write_shard(shard_path(folder, result.key), result)
        yield names[place], result


def counted_already(
    shard: Shard, folder: str, metrics: Sequence[str] | None, **options: Unpack[Options]
) -> ShardResult | None:
    """Return the result of a shard that is in a folder already; None if there is none, or a damaged one."""
    try:
        key = shard_key(shard.reference, shard.systems, metrics, **options)
    except CaesuraError:
        return None  # a file that cannot be read is named when it is counted
    if key is None or not is_counted(shard_path(folder, key), key):
        return None
    return read_shard(shard_path(folder, key))


def _local(
    shards: Sequence[Shard],
    places: Sequence[int],
    metrics: Sequence[str] | None,
    engine: str,
    options: Options,
) -> Iterator[tuple[int, ShardResult | CaesuraError]]:
    for place in places:
        yield place, count_one(shards[place], metrics, options)


def _ray(
    shards: Sequence[Shard],
    places: Sequence[int],
    metrics: Sequence[str] | None,
    engine: str,
    options: Options,
) -> Iterator[tuple[int, ShardResult | CaesuraError]]:
    from caesura.scale.ray import run_ray

    return run_ray(shards, places, metrics, engine, options)
