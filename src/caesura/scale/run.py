# SPDX-License-Identifier: Apache-2.0
"""Shards of a corpus as a list of files, and engines that count them one by one or side by side."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from caesura.errors import CaesuraError, ComparabilityError, DeclarationError
from caesura.files import split_text, suffix
from caesura.formats import expanded
from caesura.scale.count import Options, count, shard_key
from caesura.scale.files import is_counted, shard_path
from caesura.scale.shard import ShardResult, read_shard, write_shard

__all__ = [
    "ROWS",
    "Shard",
    "check_engine",
    "count_one",
    "count_shards",
    "counted_already",
    "names_of",
    "shards_of",
]

ROWS = 200_000
"""The most documents of a Parquet file that are read at a time."""


@dataclasses.dataclass(frozen=True)
class Shard:
    """Files that belong together: some documents of the reference, and the same of every system."""

    reference: str
    systems: Mapping[str, str]


def shards_of(reference: str, systems: Mapping[str, str], rows: int = ROWS) -> list[Shard]:
    """Return the shards of a corpus: the n-th file of every pattern belongs to the n-th shard.

    Parquet files with more than ``rows`` documents are cut into ranges of rows, if all sides have equally many; files
    without documents are left out.

    Raises
    ------
    ComparabilityError
        If the sides do not have equally many files.
    """
    files = {name: expanded(path) for name, path in {"": reference, **systems}.items()}
    for name, found in files.items():
        if len(found) != len(files[""]):
            raise ComparabilityError(
                f"the reference has {len(files[''])} files, {name!r} has {len(found)}; every system needs one file for "
                "each of the reference, in the same order of names"
            )
    shards: list[Shard] = []
    for each in zip(*files.values(), strict=True):
        for part in _parts(each, rows):
            first, *others = map(_whole_path, part)
            shards.append(Shard(first, dict(zip(systems, others, strict=True))))
    if not shards:
        raise ComparabilityError("the reference holds no document")
    return shards


def _whole_path(text: str) -> str:
    """Return a path that leads to the same file from everywhere."""
    return text if "://" in text else os.path.abspath(text)  # noqa: PTH100  (::FORMAT stays what it is)


def _parts(files: Sequence[str], rows: int) -> list[tuple[str, ...]]:
    """Cut files that belong together into ranges of rows, where they can be cut alike."""
    plain = [text for text, own in map(split_text, files) if own is None and Path(text).is_file()]
    if len(plain) < len(files) or any(suffix(text) != ".parquet" for text in plain):
        return [tuple(files)]
    from caesura.formats.parquet import n_rows

    try:
        sizes = {n_rows(text) for text in files}
    except CaesuraError:
        return [tuple(files)]  # reading the shard says what is wrong with which file
    if sizes == {0}:
        return []
    if len(sizes) > 1 or max(sizes) <= rows:
        return [tuple(files)]
    size = sizes.pop()
    return [
        tuple(f"{text}::parquet(start={start}, stop={min(size, start + rows)})" for text in files)
        for start in range(0, size, rows)
    ]


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


def names_of(shards: Sequence[Shard]) -> list[str]:
    """Return a name for each shard: that of its file of the reference, with the rows if there are several parts."""
    names = []
    for shard in shards:
        text, own = split_text(shard.reference)
        names.append(Path(text).name + ("" if own is None else f" {own.partition('(')[2].rstrip(')')}"))
    return names if len(set(names)) == len(names) else [shard.reference for shard in shards]


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


def count_one(shard: Shard, metrics: Sequence[str] | None, options: Options) -> ShardResult | CaesuraError:
    """Count a shard; an error is returned, so that the others are counted all the same."""
    try:
        return count(shard.reference, dict(shard.systems), metrics, **options)
    except CaesuraError as error:
        return error


def _ray(
    shards: Sequence[Shard],
    places: Sequence[int],
    metrics: Sequence[str] | None,
    engine: str,
    options: Options,
) -> Iterator[tuple[int, ShardResult | CaesuraError]]:
    from caesura.scale.ray import run_ray

    return run_ray(shards, places, metrics, engine, options)
