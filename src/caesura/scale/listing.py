# SPDX-License-Identifier: Apache-2.0
"""Shards of a corpus as a list of files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from caesura.errors import CaesuraError, ComparabilityError
from caesura.files import split_text, suffix
from caesura.formats import expanded

__all__ = ["ROWS", "Shard", "names_of", "shards_of"]

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


def names_of(shards: Sequence[Shard]) -> list[str]:
    """Return a name for each shard: that of its file of the reference, with the rows if there are several parts."""
    names = []
    for shard in shards:
        text, own = split_text(shard.reference)
        names.append(Path(text).name + ("" if own is None else f" {own.partition('(')[2].rstrip(')')}"))
    return names if len(set(names)) == len(names) else [shard.reference for shard in shards]
