# SPDX-License-Identifier: Apache-2.0
"""Results of shards in files: counted if they are not there, found by their key, and merged; damaged ones are left out and named."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from caesura.errors import CaesuraError, ComparabilityError, FormatError
from caesura.scale.count import Options, count, shard_key
from caesura.scale.listing import Shard
from caesura.scale.merge import difference, merge
from caesura.scale.shard import ShardResult, read_shard, write_shard
from caesura.scale.work import Work

__all__ = ["ENDING", "Counting", "Gathered", "gather", "is_counted", "merge_files", "shard_files", "shard_path"]

ENDING = ".shard.json"
"""The ending of the names of results that are named by their key."""


def shard_path(folder: str | Path, key: str) -> Path:
    """Return the file of a shard in a folder: its name is its key."""
    return Path(folder) / f"{key[:32]}{ENDING}"


def is_counted(path: str | Path, key: str, *, keep_counts: bool = False) -> bool:
    """Return whether a file holds the result of the shard with this key, with the counts if required; False for a damaged one."""
    try:
        result = read_shard(path)
        return result.key == key and (result.counts is not None or not keep_counts)
    except FormatError:
        return False


class Gathered(NamedTuple):
    """Merged shards, a line for each that was left out, and notes."""

    merged: ShardResult | None
    failed: list[str]
    notes: list[str]


def shard_files(paths: Iterable[str]) -> list[Path]:
    """Return the result files: each given file, and all results in each given folder."""
    files: list[Path] = []
    for path in map(Path, paths):
        found = sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]
        if not found:
            raise FormatError(f"holds no result of a shard (*{ENDING}); count shards into it first", path)
        files += found
    return files


def merge_files(paths: Iterable[str]) -> Gathered:
    """Merge the results in files; damaged ones, and those of another recipe than the first, are left out."""
    results: dict[str, ShardResult | CaesuraError] = {}
    for file in shard_files(paths):
        try:
            results[str(file)] = read_shard(file)
        except CaesuraError as error:
            results[str(file)] = error
    return gather(results)


def gather(results: dict[str, ShardResult | CaesuraError]) -> Gathered:
    """Merge results by name; failed ones, and those of another recipe than the first, are left out and named."""
    kept: list[ShardResult] = []
    known: dict[str, str] = {}
    holders: dict[str, str] = {}
    failed, notes = [], []
    for name, result in results.items():
        if isinstance(result, CaesuraError):
            failed.append(str(result) if str(result).startswith(name) else f"{name}: {result}")
            continue
        why = difference(kept[0], result) if kept else ""
        keys = result.keys or [result.key]
        twice = [known[key] for key in keys if key in known]
        if why:
            failed.append(f"{name}: cannot be merged with the others: {why}; count it by the same recipe")
        elif len(twice) == len(keys):
            notes.append(f"{name} holds the same shard as {twice[0]}; counted once")
        elif twice:
            raise ComparabilityError(f"{name} and {twice[0]} share a shard; merge each shard once")
        elif same := [holders[content] for content in result.contents if content in holders]:
            raise ComparabilityError(
                f"{name} and {same[0]} hold the same documents, with other answers of the systems; delete the one that is out of date"
            )
        else:
            kept.append(result)
            known.update(dict.fromkeys(keys, name))
            holders.update(dict.fromkeys(result.contents, name))
    without = sum(result.counts is None for result in kept)
    if 0 < without < len(kept):
        notes.append(f"{without} of {len(kept)} shards were counted without --keep-counts, so no counts are used")
    return Gathered(merge(kept) if kept else None, failed, notes)


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
