# SPDX-License-Identifier: Apache-2.0
"""Counting as work on shards, for ``caesura evaluate --engine``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack

from caesura.errors import CaesuraError
from caesura.scale.count import Options, count, shard_key
from caesura.scale.files import is_counted, shard_path
from caesura.scale.listing import Shard, names_of
from caesura.scale.run import run_shards
from caesura.scale.shard import ShardResult, read_shard, write_shard
from caesura.scale.work import Work

__all__ = ["Counting", "count_shards"]


@dataclasses.dataclass(frozen=True)
class Counting(Work[Shard, ShardResult]):
    """Count shards by metrics; with a folder, results are kept there, each named by its key."""

    metrics: Sequence[str] | None
    options: Options
    folder: str | None = None

    def name(self, shard: Shard) -> str:
        """Return the file of the reference."""
        return Path(shard.reference).name

    def found(self, shard: Shard) -> ShardResult | None:
        """Return the result of a shard that is already in the folder."""
        if self.folder is None:
            return None
        try:
            key = shard_key(shard.reference, shard.systems, self.metrics, **self.options)
        except CaesuraError:
            return None  # counting reports a file that cannot be read
        if key is None or not is_counted(shard_path(self.folder, key), key):
            return None
        return read_shard(shard_path(self.folder, key))

    def do(self, shard: Shard) -> ShardResult:
        """Count a shard."""
        return count(shard.reference, dict(shard.systems), self.metrics, **self.options)

    def keep(self, shard: Shard, result: ShardResult) -> None:
        """Write the result into the folder."""
        if self.folder is not None:
            write_shard(shard_path(self.folder, result.key), result)


def count_shards(
    shards: Sequence[Shard],
    metrics: Sequence[str] | None = None,
    *,
    engine: str = "local",
    folder: str | None = None,
    **options: Unpack[Options],
) -> Iterator[tuple[str, ShardResult | CaesuraError]]:
    """Count shards, and yield the name of each with its result or its error, as they finish.

    Parameters
    ----------
    shards : sequence of Shard
        The result of `shards_of`.
    metrics, **options
        As in `count`.
    engine : str
        As in `run_shards`.
    folder : str, optional
        The folder for results, each named by its key: existing results are not counted again.
    """
    names = names_of(shards)
    for place, result in run_shards(Counting(metrics, options, folder), shards, engine=engine):
        yield names[place], result
