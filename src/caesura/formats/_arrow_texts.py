# SPDX-License-Identifier: Apache-2.0
"""Columns of an Arrow table beyond the segmentation: texts, speakers and times of units, and scores of gaps.

They are checked as arrays when a table is read, and become Python objects only for documents that are accessed.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Ints, starts_of
from caesura.corpus import Corpus
from caesura.errors import FormatError

__all__ = ["DETAILS", "Details", "List", "detail_columns", "list_of"]

DETAILS = ("units", "speakers", "unit_times", "scores")
"""The columns read besides the segmentation, each a list with one entry per unit, or per gap (``scores``)."""

_TIMES = "lists of start and end in seconds"


class List(NamedTuple):
    """A column of lists: the start of each row's list, all values, and which rows have a list."""

    ptr: Ints
    values: Any
    present: npt.NDArray[np.bool_]


def list_of(column: Any, name: str, of: str) -> List:
    """Return the parts of a column of lists, without values outside a slice or in null rows."""
    types, compute = importlib.import_module("pyarrow.types"), importlib.import_module("pyarrow.compute")
    kind = column.type
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        raise FormatError(f"the column {name!r} holds {kind}; it must hold {of}")
    sizes = compute.fill_null(compute.list_value_length(column), 0).to_numpy(zero_copy_only=False)
    values = column.flatten()
    if types.is_dictionary(values.type):
        values = values.dictionary_decode()
    return List(starts_of(sizes.astype(np.int64)), values, column.is_valid().to_numpy(zero_copy_only=False))


class Details:
    """The data of each document beyond its segmentation; a call with a row returns fields of `Document`."""

    def __init__(self, columns: Mapping[str, Any], n_units: Ints, ids: Sequence[str], first: int) -> None:
        self._lists: dict[str, List] = {}
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


def _checked(name: str, column: Any) -> List:
    """Return a column of lists, checked for nulls inside lists and for the type that its name requires."""
    of = {"unit_times": _TIMES, "scores": "lists of numbers"}.get(name, "lists of strings")
    lists = list_of(column, name, of)
    if lists.values.null_count:
        raise FormatError(f"the column {name!r} has a null inside a list; only a whole list may be null")
    if name == "unit_times":
        return lists._replace(values=_times(lists.values))
    types = importlib.import_module("pyarrow.types")
    kind = lists.values.type
    if name == "scores":
        return lists._replace(values=_floats(lists.values, name, of))
    if not (types.is_string(kind) or types.is_large_string(kind) or str(kind) in ("string_view", "null")):
        raise FormatError(f"the column {name!r} holds lists of {kind}; it must hold {of}")
    lists.values.validate(full=True)  # invalid UTF-8 is found here, not when a document is accessed
    return lists


def _floats(values: Any, name: str, of: str) -> npt.NDArray[np.float64]:
    types, kind = importlib.import_module("pyarrow.types"), values.type
    if not (types.is_floating(kind) or types.is_integer(kind) or types.is_null(kind)):
        raise FormatError(f"the column {name!r} holds lists of {kind}; it must hold {of}")
    found: npt.NDArray[np.float64] = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
    return found


def _times(values: Any) -> npt.NDArray[np.float64]:
    """Return start and end of every unit; pairs are lists of two numbers, or structs of start and end."""
    types = importlib.import_module("pyarrow.types")
    if types.is_struct(values.type):
        names = [field.name for field in values.type]
        if names != ["start", "end"]:
            raise FormatError(f"the column 'unit_times' holds {', '.join(names)}; it must hold start and end")
        start, end = values.flatten()
        nulls = start.null_count + end.null_count
        both = [] if nulls else [_floats(each, "unit_times", _TIMES) for each in (start, end)]
    else:
        pairs = list_of(values, "unit_times", _TIMES)
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


def detail_columns(corpus: Corpus) -> dict[str, Any]:
    """Return the columns for data beyond the segmentation; a field that no document has gets no column."""
    pa = importlib.import_module("pyarrow")
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
