# SPDX-License-Identifier: Apache-2.0
"""Arrow tables with one document per row, read directly into arrays; ids are the only Python object per document.

Texts, speakers and times of units and scores of gaps are checked as arrays when a table is read, and become Python
objects only for documents that are accessed.
"""

from __future__ import annotations

import importlib.util
import struct
from collections.abc import Collection, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints, first_fault, starts_of
from caesura.corpus import Corpus
from caesura.errors import FormatError, and_more
from caesura.formats._files import library
from caesura.formats._records import read_rows
from caesura.formats._roles import any_named, are_named
from caesura.segmentation import UNSPECIFIED_UNIT

DETAILS = ("units", "speakers", "unit_times", "scores")
"""The columns read besides the segmentation, each a list with one entry per unit, or per gap (``scores``)."""

_TIMES = "lists of start and end in seconds"

COLUMNS = ("id", "n_units", "boundaries", "unit", *DETAILS)
"""The columns that are read."""


def pyarrow(module: str = "pyarrow") -> ModuleType:
    """Import a module of pyarrow; without it, name the extra."""
    return library(module, "reading Parquet and Arrow", "parquet")


def from_arrow(
    value: Any, name: str = "", *, columns: str | None = None, marks: str | None = None, strict: bool = False
) -> Corpus:
    """Return the documents of a table with the columns of the format ``parquet``, or with any columns (`read_rows`).

    The table is any object that exports one: tables of pyarrow, polars, pandas or DuckDB, datasets. Without pyarrow, frames of
    polars and pandas give their rows.
    """
    if importlib.util.find_spec("pyarrow") is None and hasattr(value, "columns"):
        rows = value.to_dicts() if hasattr(value, "to_dicts") else value.to_dict(orient="records")
        return read_rows(rows, columns, marks, name, strict=strict)
    pa = pyarrow()
    if isinstance(value, pa.RecordBatch):
        value = pa.Table.from_batches([value])
    try:
        table = value if isinstance(value, pa.Table) else pa.RecordBatchReader.from_stream(value).read_all()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise FormatError(f"does not give an Arrow table ({error}); give columns {', '.join(COLUMNS[:3])}") from None
    if not is_own(table.column_names) or are_named(columns, table.column_names):
        said = columns if columns is not None and any_named(columns, table.column_names) else None
        return read_rows(table.to_pylist(), said, marks, name, strict=strict)
    return corpus_of(table, name)


def is_own(names: Collection[str]) -> bool:
    """Return whether columns are those of the format ``parquet``; others are mapped."""
    return "id" in names and ("units" in names or {"n_units", "boundaries"} <= set(names))


def announced(file: Any) -> int:
    """Return how many bytes the buffers of an Arrow file take in memory; a compressed one begins with its length.

    pyarrow shows them only decompressed, so that the tables of the file, which are those of FlatBuffers, are followed here.
    """
    data = memoryview(file)
    if bytes(data[:6]) != b"ARROW1":
        return 0

    def number(at: int, kind: str) -> int:
        if at < 0:
            raise struct.error("a place before the file")
        return int(struct.unpack_from("<" + kind, data, at)[0])

    def field(table: int, place: int) -> int:
        """Return where a field of a table is, or what it refers to; 0 if it is absent."""
        fields = table - number(table, "i")
        offset = number(fields + 4 + 2 * place, "H") if 4 + 2 * place < number(fields, "H") else 0
        return offset and table + offset

    def followed(at: int) -> int:
        return at and at + number(at, "I")

    def rows(at: int, size: int) -> range:
        return range(at + 4, at + 4 + size * number(at, "I"), size) if at else range(0)

    try:
        end, total, left = len(data) - 10, 0, len(data) // 16  # buffers that the file has room for
        footer = followed(end - number(end, "i"))
        for block in (at for place in (2, 3) for at in rows(followed(field(footer, place)), 24)):
            start = number(block, "q")
            body = start + number(block + 8, "i")
            message = followed(start + (8 if number(start, "i") == -1 else 4))
            batch = followed(field(message, 2))
            batch = followed(field(batch, 1)) if number(field(message, 1), "B") == 2 else batch  # of a dictionary
            buffers = rows(followed(field(batch, 2)), 16)
            if (left := left - len(buffers)) < 0:
                raise struct.error("more buffers than it has room for")
            for buffer in buffers:
                length = number(buffer + 8, "q")
                stored = number(body + number(buffer, "q"), "q") if length > 8 and field(batch, 3) else -1
                total += max(stored, length, 0)
    except (struct.error, OverflowError) as error:
        raise FormatError(f"is not a complete Arrow file ({error}); write it again") from None
    return total


def corpus_of(table: Any, name: str = "", first: int = 1) -> Corpus:
    """Return the documents of a table; ``first`` is the number of its first row, for messages."""
    ids = _ids(table, first)
    columns = {name: _joined(table, name) for name in DETAILS if name in table.column_names}
    if "n_units" in table.column_names:
        n_units = _whole(_joined(table, "n_units"), "n_units", first)
    else:
        n_units = _lengths(columns["units"], first)
    ptr, pos, present = np.zeros(len(ids) + 1, np.int64), np.empty(0, np.int64), np.zeros(len(ids), bool)
    if "boundaries" in table.column_names:
        ptr, pos, present = _lists(_joined(table, "boundaries"), ids)
    fault = first_fault(n_units, ptr, pos)
    if fault is not None:
        raise FormatError(f"row {fault[0] + first}: document {ids[fault[0]]!r}: {fault[1]}")
    details = Details(columns, n_units, ids, first) if columns else None
    flat = Flat(n_units, ptr, pos)
    return Corpus.from_flat(ids, flat, unit=_unit(table), name=name, present=present, details=details)


def _joined(table: Any, name: str) -> Any:
    """Return a column as one array, decoded if it is dictionary-encoded."""
    pa = pyarrow()
    column = table.column(name).combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # an older pyarrow, or an empty table
        column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], type=column.type)
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column


def _ids(table: Any, first: int) -> list[str]:
    types, column = pyarrow("pyarrow.types"), _joined(table, "id")
    if column.null_count:
        row = column.is_null().to_numpy(zero_copy_only=False).argmax()
        raise FormatError(f"row {int(row) + first}: the id is null; every document needs a unique one")
    kind = column.type
    is_text = types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view"
    if not (is_text or types.is_integer(kind)):
        raise FormatError(f"the column 'id' holds {kind}; it must hold strings or whole numbers")
    keys = column.to_pylist()
    return keys if is_text else list(map(str, keys))


def _whole(column: Any, name: str, first: int) -> Ints:
    """Return whole numbers without nulls."""
    types = pyarrow("pyarrow.types")
    if not types.is_integer(column.type):
        raise FormatError(f"the column {name!r} holds {column.type}; it must hold whole numbers")
    if column.null_count:
        row = column.is_null().to_numpy(zero_copy_only=False).argmax()
        raise FormatError(f"row {int(row) + first}: {name} is null; give every document its length")
    numbers = column.to_numpy(zero_copy_only=False)
    if numbers.dtype == np.uint64 and len(numbers) and int(numbers.max()) > np.iinfo(np.int64).max:
        raise FormatError(f"the column {name!r} holds numbers beyond 64 bits; check the file")
    out: Ints = np.array(numbers, dtype=np.int64)
    out.setflags(write=False)  # not shared, so no copy is needed
    return out


def _lengths(units: Any, first: int) -> Ints:
    """Return the number of units of each document, from their texts."""
    texts = _list_of(units, "units", "lists of strings")
    if not texts.present.all():
        row = int((~texts.present).argmax())
        raise FormatError(f"row {row + first}: units is null; give the texts, or the length in n_units")
    return np.diff(texts.ptr)


def _lists(column: Any, ids: list[str]) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return the start of each document's boundaries, all boundaries, and which documents have a list."""
    ptr, values, present = _list_of(column, "boundaries", "lists of whole numbers")
    if pyarrow("pyarrow.types").is_null(values.type):
        values = values.cast(pyarrow().int64())
    if values.null_count:
        place = int(values.is_null().to_numpy(zero_copy_only=False).argmax())
        row = int(np.searchsorted(ptr, place, side="right")) - 1
        raise FormatError(f"document {ids[row]!r}{and_more(values.null_count)} has a boundary that is null")
    ptr.setflags(write=False)
    return ptr, _whole(values, "boundaries", 1), present


def _unit(table: Any) -> str:
    """Return the common unit of all documents."""
    if "unit" not in table.column_names:
        return UNSPECIFIED_UNIT
    found = pyarrow("pyarrow.compute").unique(_joined(table, "unit")).to_pylist()
    units = {UNSPECIFIED_UNIT if unit is None else str(unit) for unit in found}
    named = sorted(units - {UNSPECIFIED_UNIT})
    if len(named) > 1:
        raise FormatError(f"documents count {named[0]!r} and {named[1]!r}; all must count the same unit")
    return named[0] if named else UNSPECIFIED_UNIT


class _List(NamedTuple):
    """A column of lists: the start of each row's list, all values, and which rows have a list."""

    ptr: Ints
    values: Any
    present: npt.NDArray[np.bool_]


def _list_of(column: Any, name: str, of: str) -> _List:
    """Return the parts of a column of lists, without values outside a slice or in null rows."""
    types, compute = pyarrow("pyarrow.types"), pyarrow("pyarrow.compute")
    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        raise FormatError(f"the column {name!r} holds {kind}; it must hold {of}")
    sizes = compute.fill_null(compute.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    values = column.flatten()
    if types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return _List(starts_of(sizes.astype(np.int64)), values, column.is_valid().to_numpy(zero_copy_only=False))


class Details:
    """The data of each document beyond its segmentation; a call with a row returns fields of `Document`."""

    def __init__(self, columns: Mapping[str, Any], n_units: Ints, ids: Sequence[str], first: int) -> None:
        self._lists: dict[str, _List] = {}
        for name, column in columns.items():
            found = _checked(name, column)
            wrong = found.present & (np.diff(found.ptr) != n_units - (name == "scores"))
            if wrong.any():
                row = int(wrong.argmax())
                per = "gap" if name == "scores" else "unit"
                raise FormatError(
                    f"row {row + first}: document {ids[row]!r} has {n_units[row]} units and "
                    f"{found.ptr[row + 1] - found.ptr[row]} {name}; give one per {per}"
                )
            self._lists[name] = found

    def __call__(self, row: int) -> dict[str, Any]:
        """Return the fields of the document at a row."""
        return {
            name: _plain(each.values[each.ptr[row] : each.ptr[row + 1]])
            for name, each in self._lists.items()
            if each.present[row]
        }


def _plain(values: Any) -> tuple[Any, ...]:
    if isinstance(values, np.ndarray):
        return tuple(map(tuple, values.tolist())) if values.ndim == 2 else tuple(values.tolist())
    return tuple(values.to_pylist())


def _checked(name: str, column: Any) -> _List:
    """Return a column of lists, checked for nulls inside lists and for the type that its name requires."""
    of = {"unit_times": _TIMES, "scores": "lists of numbers"}.get(name, "lists of strings")
    lists = _list_of(column, name, of)
    if lists.values.null_count:
        raise FormatError(f"the column {name!r} has a null inside a list; only a whole list may be null")
    if name == "unit_times":
        return lists._replace(values=_times(lists.values))
    types = pyarrow("pyarrow.types")
    kind = lists.values.type
    if name == "scores":
        return lists._replace(values=_floats(lists.values, name, of))
    if not (types.is_string(kind) or types.is_large_string(kind) or str(kind) in ("string_view", "null")):
        raise FormatError(f"the column {name!r} holds lists of {kind}; it must hold {of}")
    lists.values.validate(full=True)  # invalid UTF-8 is found here, not when a document is accessed
    return lists


def _floats(values: Any, name: str, of: str) -> npt.NDArray[np.float64]:
    types, kind = pyarrow("pyarrow.types"), values.type
    if not (types.is_floating(kind) or types.is_integer(kind) or types.is_null(kind)):
        raise FormatError(f"the column {name!r} holds lists of {kind}; it must hold {of}")
    found: npt.NDArray[np.float64] = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
    return found


def _times(values: Any) -> npt.NDArray[np.float64]:
    """Return start and end of every unit; pairs are lists of two numbers, or structs of start and end."""
    types = pyarrow("pyarrow.types")
    if types.is_struct(values.type):
        names = [field.name for field in values.type]
        if names != ["start", "end"]:
            raise FormatError(f"the column 'unit_times' holds {', '.join(names)}; it must hold start and end")
        start, end = values.flatten()
        nulls = start.null_count + end.null_count
        both = [] if nulls else [_floats(each, "unit_times", _TIMES) for each in (start, end)]
    else:
        pairs = _list_of(values, "unit_times", _TIMES)
        if (np.diff(pairs.ptr) != 2).any():
            raise FormatError(f"a unit in the column 'unit_times' does not have two numbers; it must hold {_TIMES}")
        nulls = pairs.values.null_count
        both = [] if nulls else [*_floats(pairs.values, "unit_times", _TIMES).reshape(-1, 2).T]
    if nulls:
        raise FormatError("the column 'unit_times' has a null inside a list; only a whole list may be null")
    times = np.column_stack(both)
    wrong = ~(np.isfinite(times).all(axis=1) & (times[:, 0] >= 0) & (times[:, 0] <= times[:, 1]))
    if wrong.any():
        start, end = times[int(wrong.argmax())].tolist()
        raise FormatError(f"unit_times has [{start}, {end}]; write seconds with 0 <= start <= end")
    return times


def table_of(corpus: Corpus) -> Any:
    """Return a corpus as a pyarrow table."""
    pa, flat = pyarrow(), corpus.flat
    if len(flat.pos) > np.iinfo(np.int32).max:  # pragma: no cover - 8 GB of boundaries
        raise FormatError("has too many boundaries for one file; write parts")
    # A null offset marks a null list.
    starts = pa.array(flat.ptr, type=pa.int32(), mask=np.append(~corpus.present, False))
    width = pa.int32() if not len(flat) or flat.n_units.max() <= np.iinfo(np.int32).max else pa.int64()
    columns = {
        "id": pa.array(list(corpus.ids), type=pa.string()),
        "n_units": pa.array(flat.n_units),
        "boundaries": pa.ListArray.from_arrays(starts, pa.array(flat.pos, type=width)),
    }
    if corpus.unit != UNSPECIFIED_UNIT:
        columns["unit"] = pa.array([corpus.unit] * len(corpus), type=pa.string()).dictionary_encode()
    return pa.table(columns | _detail_columns(corpus))


def _detail_columns(corpus: Corpus) -> dict[str, Any]:
    """Return the columns for data beyond the segmentation; a field that no document has gets no column."""
    pa = pyarrow()
    pair = pa.struct([("start", pa.float64()), ("end", pa.float64())])
    kinds = {"units": pa.string(), "speakers": pa.string(), "unit_times": pair, "scores": pa.float64()}
    found: dict[str, list[Any]] = {name: [] for name in DETAILS}
    for document in corpus:
        for name, rows in found.items():
            rows.append(getattr(document, name))
    if any(times is not None for times in found["unit_times"]):
        found["unit_times"] = [
            None if times is None else [{"start": start, "end": end} for start, end in times]
            for times in found["unit_times"]
        ]
    return {
        name: pa.array(rows, type=pa.list_(kinds[name]))
        for name, rows in found.items()
        if any(row is not None for row in rows)
    }
