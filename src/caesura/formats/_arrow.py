# SPDX-License-Identifier: Apache-2.0
"""Arrow tables with one document per row, read directly into arrays; ids are the only Python object per document."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints, first_fault
from caesura.corpus import Corpus
from caesura.errors import FormatError, and_more
from caesura.formats._arrow_texts import DETAILS, Details, detail_columns, list_of
from caesura.formats._files import library
from caesura.segmentation import UNSPECIFIED_UNIT

__all__ = ["COLUMNS", "corpus_of", "from_arrow", "pyarrow", "table_of"]

COLUMNS = ("id", "n_units", "boundaries", "unit", *DETAILS)
"""The columns that are read."""


def pyarrow(module: str = "pyarrow") -> ModuleType:
    """Import a module of pyarrow; without it, name the extra."""
    return library(module, "reading Parquet and Arrow", "parquet")


def from_arrow(value: Any, name: str = "") -> Corpus:
    """Return the documents of a table with the columns of the format ``parquet``.

    The table is any object that exports one: tables of pyarrow, polars, pandas or DuckDB, datasets.
    """
    pa = pyarrow()
    if isinstance(value, pa.RecordBatch):
        value = pa.Table.from_batches([value])
    try:
        table = value if isinstance(value, pa.Table) else pa.RecordBatchReader.from_stream(value).read_all()
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise FormatError(f"does not give an Arrow table ({error}); give columns {', '.join(COLUMNS[:3])}") from None
    return corpus_of(table, name)


def corpus_of(table: Any, name: str = "", first: int = 1) -> Corpus:
    """Return the documents of a table; ``first`` is the number of its first row, for messages."""
    has_units = "units" in table.column_names
    needed = ("id",) if has_units else ("id", "n_units", "boundaries")
    lacking = [column for column in needed if column not in table.column_names]
    if lacking:
        raise FormatError(
            f"has no column {lacking[0]!r}; it needs id, n_units and boundaries (a list of whole numbers), "
            f"or id and units (a list of strings), and has {', '.join(table.column_names[:8]) or 'none'}"
        )
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
    texts = list_of(units, "units", "lists of strings")
    if not texts.present.all():
        row = int((~texts.present).argmax())
        raise FormatError(f"row {row + first}: units is null; give the texts, or the length in n_units")
    return np.diff(texts.ptr)


def _lists(column: Any, ids: list[str]) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return the start of each document's boundaries, all boundaries, and which documents have a list."""
    ptr, values, present = list_of(column, "boundaries", "lists of whole numbers")
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
    return pa.table(columns | detail_columns(corpus))
