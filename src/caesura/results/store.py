# SPDX-License-Identifier: Apache-2.0
"""Writing and reading results files.

``NAME.json`` holds the scores with their recipes, ``NAME.counts.npz`` next to it the counts of every document, from which
each score can be recomputed. Undefined is null with its reason, infinity the string "inf". Nothing here depends on a metric.
"""

from __future__ import annotations

import hashlib
import io
import math
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, cast

import msgspec
import numpy as np
import numpy.typing as npt

from caesura.errors import FormatError, reason
from caesura.files import Content, check_output, readable, relative_to, write_together
from caesura.limits import ALLOWANCE, RATIO, RESULTS
from caesura.results.base import CountsFile
from caesura.results.schema import SCHEMA, Results
from caesura.strict_json import RepeatedKeyError, decode
from caesura.strict_npy import header

__all__ = [
    "CountTables", "DamagedCountsError", "as_text", "counts_path", "read_counts", "read_results", "seen_from", "stored_counts",
    "write_results",
]  # fmt: skip

_LARGE = 1 << 20  # bytes beyond which nobody reads a file by eye, and indentation would more than double it
_LONG_ID = 64  # bytes; all ids take as much as the longest
_FEW = 1_024
_PART = 1 << 18  # bytes written at once

Floats = npt.NDArray[np.float64]
CountTables = Mapping[str, Mapping[str, npt.NDArray[np.generic]]]
"""System to request to table of counts."""


def as_text(results: msgspec.Struct) -> str:
    """Return results, or another struct, as JSON text; it is indented unless it is large."""
    plain = _without_infinity(msgspec.to_builtins(results, enc_hook=_plain))
    data = msgspec.json.encode(plain)
    return (data if len(data) > _LARGE else msgspec.json.format(data, indent=2)).decode()


def _plain(value: object) -> object:
    """Return a number of NumPy as one of Python."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a results file cannot hold a {type(value).__name__}")


def _without_infinity(value: object) -> object:
    """Replace infinite numbers by strings; lists of numbers without any are returned unchanged."""
    if isinstance(value, dict):
        return {key: _without_infinity(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        numbers = bool(value) and {*map(type, value)} <= {float, type(None)}
        if numbers and math.inf not in value and -math.inf not in value:
            return value
        return [_without_infinity(inner) for inner in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def write_results(
    path: str | Path,
    results: Results,
    counts: CountTables | None = None,
    documents: Sequence[str] = (),
    columns: Mapping[str, Sequence[str]] | None = None,
    *,
    overwrite: bool = True,
) -> None:
    """Write a results file and, if counts are given, the counts next to it.

    The counts map system to request to a table with one row per document; they go to the same name with ``.counts.npz``.
    ``columns`` has the names of the columns of each request.
    """
    target = Path(path)
    beside = counts_path(target)
    for file in (target, beside) if counts is not None else (target,):
        check_output(file, overwrite=overwrite)
    files: dict[str | Path, Content] = {}
    if counts is not None:
        arrays: dict[str, npt.NDArray[Any]] = {"documents": _encoded(list(documents))}
        for system, tables in counts.items():
            for request, table in tables.items():
                arrays[f"counts/{system}/{request}"] = _narrowest(table)
        counted = CountsFile(
            file=readable(beside.name),
            sha256="",
            requests={name: list(names) for name, names in (columns or {}).items()},
        )
        results.counts = counted

        def archive(stream: IO[bytes]) -> None:
            hashed = _Hashed(stream)
            _archive(arrays, hashed)
            counted.sha256 = hashed.hash.hexdigest()

        files[beside] = archive
    # Made after the counts are written, since it holds their hash.
    files[target] = lambda stream: stream.write((as_text(seen_from(results, target.parent)) + "\n").encode())
    write_together(files)


def seen_from(results: Results, folder: str | Path) -> Results:
    """Return results that name the files of the inputs from a folder on, as their file there does, and not from the current one."""
    inputs = [
        msgspec.structs.replace(entry, file=relative_to(entry.file, folder)) if entry.file else entry
        for entry in results.inputs
    ]
    agreement = results.agreement
    if agreement is not None and agreement.since is not None and agreement.since.file:
        since = msgspec.structs.replace(agreement.since, file=relative_to(agreement.since.file, folder))
        agreement = msgspec.structs.replace(agreement, since=since)
    return msgspec.structs.replace(results, inputs=inputs, agreement=agreement)


class DamagedCountsError(FormatError):
    """Counts that have the hash of their results file, and are none: that file was not written by an evaluation either."""


class _Hashed:
    """A file that is hashed while it is written, so that nothing is held in memory for that; nobody can go back in it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.hash = stream, hashlib.sha256()

    def write(self, data: bytes | memoryview) -> int:
        """Write some bytes."""
        self.hash.update(data)
        return self._stream.write(data)

    def flush(self) -> None:
        """Flush the file."""
        self._stream.flush()


def _encoded(ids: list[str]) -> npt.NDArray[np.bytes_]:
    """Return ids in UTF-8, which takes a quarter of the space of strings, and need not be compressed."""
    try:
        return np.array(ids, dtype=np.bytes_)
    except UnicodeEncodeError:  # not ASCII, which takes half the time
        return np.array([key.encode("utf-8", "surrogatepass") for key in ids], dtype=np.bytes_)


@np.errstate(over="ignore")
def _narrowest(table: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return a table as a narrower type if that holds every number exactly; small integers are unchanged."""
    if table.dtype != np.float64:
        return table
    # The first documents tell nearly always, in no time.
    first = table[:_FEW]
    if not np.array_equal(first.astype(np.float32), first, equal_nan=True):
        return table
    half = table.astype(np.float32)
    return half if np.array_equal(half, table, equal_nan=True) else table


def _archive(arrays: Mapping[str, npt.NDArray[Any]], stream: _Hashed) -> None:
    """Write arrays as an .npz file; only long ids are compressed, since everything else takes longer to compress than to make."""
    with zipfile.ZipFile(cast(IO[bytes], stream), "w", compresslevel=1) as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            padded = array.dtype.kind == "S" and array.itemsize > _LONG_ID
            member.compress_type = zipfile.ZIP_DEFLATED if padded else zipfile.ZIP_STORED
            with archive.open(member, "w", force_zip64=True) as file:
                array = np.ascontiguousarray(array)
                np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(array))
                # A part after the other, so that each is hashed while it is in the cache.
                data = memoryview(array.reshape(-1).view(np.uint8).data if array.size else b"")
                for start in range(0, len(data), _PART):
                    file.write(data[start : start + _PART])


def counts_path(path: str | Path) -> Path:
    """Return the path of the counts of a results file: ``results.counts.npz`` for ``results.json``."""
    return Path(path).with_name(Path(path).stem + ".counts.npz")


def read_results(path: str | Path) -> Results:
    """Read a results file.

    Raises
    ------
    FormatError
        If it is not a results file, is damaged, or has a schema that this version does not read.
    """
    target = Path(path)
    try:
        if target.stat().st_size > RESULTS.value:
            raise FormatError(RESULTS.refusal("is larger than"), target)
        plain = decode(target.read_bytes())
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", target) from None
    except RepeatedKeyError as error:
        raise FormatError(str(error), target, error.line) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"is not a results file ({error}); caesura evaluate ... -o FILE writes one", target) from None
    schema = plain.get("schema") if isinstance(plain, dict) else None
    if schema is None:
        raise FormatError("is not a results file: it has no 'schema'; caesura evaluate ... -o FILE writes one", target)
    if schema != SCHEMA:
        family, _, version = str(schema).partition("/")
        newer = family == SCHEMA.partition("/")[0] and version.isdecimal()
        end = (
            f", this version reads {SCHEMA!r}; update caesura" if newer else f", not {SCHEMA!r}; evaluate again with -o"
        )
        raise FormatError(f"has the schema {schema!r}{end}", target)
    try:
        # Not strict: infinity is written as a string.
        return msgspec.convert(plain, Results, strict=False)
    except msgspec.ValidationError as error:
        raise FormatError(f"is a damaged results file: {error}; evaluate again", target) from None


def read_counts(path: str | Path, results: Results | None = None) -> tuple[list[str], dict[str, dict[str, Floats]]]:
    """Read the counts of a results file: the ids of the documents, and system to request to table.

    ``results`` is the result of `read_results` for the file, if available.
    """
    documents, tables = stored_counts(path, results)
    return documents, {
        system: {request: table.astype(np.float64) for request, table in of.items()} for system, of in tables.items()
    }


def stored_counts(path: str | Path, results: Results | None = None) -> tuple[list[str], CountTables]:
    """Read the counts like `read_counts`, in the narrow types in which they are stored."""
    results = read_results(path) if results is None else results
    if results.counts is None:
        raise FormatError("has no counts next to it; evaluate again with -o", path)
    beside = Path(path).with_name(Path(results.counts.file).name)
    if readable(counts_path(path).name) == beside.name:
        beside = counts_path(path)
    try:
        if beside.stat().st_size > RESULTS.value:
            raise FormatError(RESULTS.refusal("is larger than"), beside)
        data = beside.read_bytes()
    except OSError as error:
        said = error.strerror or error
        raise FormatError(f"cannot be read ({said}); it belongs to {Path(path).name}", beside) from None
    if hashlib.sha256(data).hexdigest() != results.counts.sha256:
        raise FormatError(f"does not belong to {Path(path).name}: its hash differs; evaluate again", beside)
    try:
        return _unpacked(data, results)
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as error:
        why = error if isinstance(error, ValueError) else reason(error)
        raise DamagedCountsError(f"is not a file of counts: {why}; evaluate again with -o", beside) from None


def _unpacked(data: bytes, results: Results) -> tuple[list[str], CountTables]:
    """Return the ids and tables; a ValueError says why they cannot be counts. Their hash says nothing: its sender is theirs."""
    known, most = results.counts.requests if results.counts else {}, max(ALLOWANCE.value, RATIO.value * len(data))
    tables: dict[str, dict[str, npt.NDArray[np.generic]]] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        usual = all(info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in archive.infolist())
        documents = _ids(archive, members.pop("documents"), most) if usual else []
        size = sum(info.file_size for info in members.values())
        if not usual or size > most or len(members) < len(archive.namelist()) - 1:
            raise ValueError(f"it has two arrays of one name, an unusual compression, or expands to more than {RATIO}")
        for name, info in members.items():
            system, _, request = name.removeprefix("counts/").rpartition("/")
            with archive.open(info) as stream:
                shape, dtype, by_column = header(stream)
                whole = len(shape) == 2 and dtype.kind in "biuf" and dtype.itemsize <= 8
                if not whole or stream.tell() + math.prod(shape) * dtype.itemsize != info.file_size:
                    raise ValueError(f"{name!r} is not a whole table of numbers")
                table = np.frombuffer(stream.read(), dtype).reshape(shape, order="F" if by_column else "C")
            # Against annotators a row is a coding, and for some metrics a document.
            if shape[0] != len(documents) and not (results.against == "annotators" and shape[0] <= len(documents)):
                raise ValueError(f"{name!r} has {shape[0]} rows for {len(documents)} documents")
            if shape[1] != len(known.get(request, range(shape[1]))):
                raise ValueError(f"{name!r} has {shape[1]} columns, not {len(known[request])}")
            if dtype.kind == "f" and results.against != "nothing" and np.isnan(table).any():
                raise ValueError(f"{name!r} has a count that is not a number")
            tables.setdefault(system, {})[request] = table
    return documents, tables


def _ids(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> list[str]:
    """Return the ids in an archive, without the zeros that make them equally long; together they have a limit."""
    ids: list[str] = []
    with archive.open(info) as stream:
        shape, dtype, _ = header(stream)
        right = len(shape) == 1 and dtype.kind == "S" and dtype.itemsize > 0
        if not right or stream.tell() + shape[0] * dtype.itemsize != info.file_size:
            raise ValueError("'documents' is not a whole list of ids")
        room, block = most - shape[0] * _LONG_ID - dtype.itemsize, max(1, _PART // dtype.itemsize)
        for _ in range(0, shape[0], block):
            if room < 0:
                raise ValueError(f"it expands to more than {RATIO}")
            some = np.frombuffer(stream.read(block * dtype.itemsize), dtype).tolist()
            room -= sum(map(len, some))
            ids += [key.decode("utf-8", "surrogatepass") for key in some]
    return ids
