# SPDX-License-Identifier: Apache-2.0
"""Shards of a corpus as a list of files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from caesura.errors import CaesuraError, ComparabilityError
from caesura.files import COMPRESSIONS, split_text, suffix
from caesura.formats import expanded

__all__ = ["ROWS", "Shard", "names_of", "shards_of"]

ROWS = 200_000
"""The maximum number of documents of a file read at a time."""
SIZE = 1 << 26
"""The approximate number of bytes of a JSONL file read at a time."""
_PACKED = 10  # the assumed expansion of a compressed file


@dataclasses.dataclass(frozen=True)
class Shard:
    """Matching files: some documents of the reference, and the same documents of every system."""

    reference: str
    systems: Mapping[str, str]


def shards_of(reference: str, systems: Mapping[str, str], rows: int = ROWS, size: int = SIZE) -> list[Shard]:
    """Return the shards of a corpus: the n-th file of every pattern belongs to the n-th shard.

    Parquet files with more than ``rows`` documents are cut into ranges of rows, if all sides have equally many, and JSONL
    files larger than ``size`` bytes, compressed or not, if all sides have the same documents in the same order. Parquet
    files without documents are left out.
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
        for part in _parts(each, rows, size):
            first, *others = map(_whole_path, part)
            shards.append(Shard(first, dict(zip(systems, others, strict=True))))
    if not shards:
        raise ComparabilityError("the reference holds no document")
    return shards


def _whole_path(text: str) -> str:
    """Return an absolute path."""
    return text if "://" in text else os.path.abspath(text)  # noqa: PTH100  (::FORMAT stays what it is)


def _parts(files: Sequence[str], rows: int, size: int) -> list[tuple[str, ...]]:
    """Cut matching files into parts, if they can be cut at the same documents."""
    plain = [text for text, own in map(split_text, files) if own is None and Path(text).is_file()]
    endings = {suffix(text) for text in plain}
    if len(plain) < len(files) or not (endings == {".parquet"} or endings <= {".jsonl", ".ndjson"}):
        return [tuple(files)]
    try:
        return _rows(files, rows) if endings == {".parquet"} else _lines(files, rows, size)
    except CaesuraError:
        return [tuple(files)]  # reading the shard reports the invalid file


def _lines(files: Sequence[str], rows: int, size: int) -> list[tuple[str, ...]]:
    """Cut JSONL files at the same documents; small ones are not cut."""
    from caesura.formats import detect
    from caesura.formats.jsonl import pieces_of

    held = (path.stat().st_size * (_PACKED if path.suffix in COMPRESSIONS else 1) for path in map(Path, files))
    if max(held) <= size or any(detect(text).name() != "jsonl" for text in files):
        return [tuple(files)]
    pieces = pieces_of(list(map(Path, files)), rows, size)
    if pieces is None or len(pieces[0]) == 1:
        return [tuple(files)]
    return [
        tuple(
            f"{text}::jsonl(start={p.start}, stop={p.stop}, line={p.line})" for text, p in zip(files, each, strict=True)
        )
        for each in zip(*pieces, strict=True)
    ]


def _rows(files: Sequence[str], rows: int) -> list[tuple[str, ...]]:
    """Cut Parquet files into ranges of rows."""
    from caesura.formats.parquet import n_rows

    sizes = {n_rows(text) for text in files}
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
