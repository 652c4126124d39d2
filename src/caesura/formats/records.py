# SPDX-License-Identifier: Apache-2.0
"""JSON and JSONL of any keys: records of units, or of documents with lists of units or segments."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._flags import marks_param
from caesura.formats._json import decoded, json_bytes, listed
from caesura.formats._jsonl_line import decoded_lines, near_miss
from caesura.formats._records import Located, Record, read_records
from caesura.formats._roles import NAMES, VALUE, Unmapped, named_columns, role_of
from caesura.strict_json import decode

__all__ = ["Records"]

_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_WRAPPERS = 3
_OF_UNITS = {"text", "label", "boundary"}


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Records(Format):
    """JSON or JSONL of any keys: a list of records, one per line, under the names of documents, or in columns.

    A record is a unit (``{"dial_id": 1, "utterance": "Hello.", "topic": 0}``), or a document: with lists of equal length
    (``utterances`` and ``labels``, ``segment_ids`` or ``is_start``), with a list of objects (``turns``, each with its text and
    label), with segments that list their units (``segments``: ``[["One.", "Two."], ["Three."]]``, or objects with
    ``sentences``), their texts (``{"title", "text"}``, located later in the documents) or their first and last unit
    (``{"start", "end"}``), or with ``boundaries`` and ``n_units``. An object may also hold records, flags or labels under the
    name of each document, or columns as data frames write them.

    Names are those of tables (`caesura.formats.labels`); others are named with ``columns``, nested ones as
    ``text=turns[].text``. Other values of a document are kept as extra.
    """

    card: ClassVar[Card] = Card(title="JSON of any keys: records of units or documents, with --columns")
    suffixes: ClassVar[tuple[str, ...]] = (".json", ".jsonl", ".ndjson")
    sample: ClassVar[Sample] = {"walk": (2, 1), "show": (3, 2)}
    many: ClassVar[bool] = True
    writable: ClassVar[bool] = False
    general: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation", "units", "speakers", "n_units", "extra"})

    columns: str | None = param(None, "roles of keys, such as 'doc=dial_id,text=turns[].text'; see the format labels")
    marks: str | None = marks_param()

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file begins as a JSON object, or a list of objects."""
        start = head.lstrip()
        return start.startswith(b"{") or (start.startswith(b"[") and start[1:].lstrip().startswith(b"{"))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        roles = named_columns(self.columns)
        said = next((role for role, names in roles.items() if names == [VALUE] and role in NAMES), None)
        records = _records(path, said)
        parts = (self.columns or "").split(",")
        columns = ",".join(part for part in parts if said is None or VALUE not in part) or None
        keys = list(dict.fromkeys(key for _, record in records[:20] for key in record))
        try:
            return read_records(records, columns, self.marks, path, strict=strict)
        except Unmapped as error:
            meant = {key: near_miss(key) for key in keys if role_of(key) is None}
            hint = next((f'; did "{key}" mean "{near}"?' for key, near in meant.items() if near), "")
            raise Unmapped(f"{error.what}{hint}", error.columns, error.line) from None


def _records(path: Path, said: str | None) -> list[Located]:
    """Return the records of a file, each with its line; ``said`` is the role of lists under the names of documents."""
    data = json_bytes(path)
    try:
        whole = decode(data)
    except _BROKEN:
        first = data.lstrip().partition(b"\n")[0]
        if data.lstrip().startswith(b"{") and _is_object(first):
            return list(map(_record, decoded_lines(data)))
        whole = decoded(data, path, msgspec.Raw)  # raises, with the line
    return _unwrapped(whole, data, path, said)


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(decode(line), dict)
    except _BROKEN:
        return False


def _record(line: tuple[int, object]) -> Located:
    number, found = line
    if not isinstance(found, dict):
        raise FormatError("is not a JSON object, as the lines before; write one {...} per line", line=number)
    return number, found


def _unwrapped(whole: object, data: bytes, path: Path, said: str | None, depth: int = 0) -> list[Located]:
    """Return the records of a JSON value: a list, a list inside an object, columns, or objects under the names of documents."""
    if isinstance(whole, list):
        return _located(whole, data, path)
    if not isinstance(whole, dict) or not whole:
        raise FormatError("is JSON without a record; give a list of objects, one per unit or document")
    values = list(whole.values())
    if (columns := _columns(whole)) is not None:
        return [(1, record) for record in columns]
    inner = [key for key, value in whole.items() if isinstance(value, list) and _are_objects(value)]
    roles = {role_of(key) for key in whole}
    is_unit = bool(roles & {"doc", *_OF_UNITS})
    deeper = None
    if len(inner) == 1 and not is_unit and not _is_units(whole[inner[0]]):
        deeper = whole[inner[0]]
    elif len(values) == 1 and isinstance(values[0], dict) and not _is_document(values[0]):
        deeper = values[0] if all(isinstance(v, (list, dict)) for v in values[0].values()) else None
    if deeper is not None and depth < _WRAPPERS:
        return _unwrapped(deeper, data, path, said, depth + 1)
    if not is_unit and not roles & {"masses", "boundaries"} and len({type(v) for v in values}) == 1:
        if isinstance(values[0], dict):
            return [(1, {"document": key} | value) for key, value in whole.items()]
        if isinstance(values[0], list) and not inner:
            return [(1, _by_name(key, value, said)) for key, value in whole.items()]
        if len(inner) == len(whole) and all(_is_units(value) for value in values):
            return [(1, {"document": key, "turns": value}) for key, value in whole.items()]
        if isinstance(values[0], str) and all(value and set(value) <= {"0", "1"} for value in values):
            return [(1, {"document": key, "bits": value}) for key, value in whole.items()]
    return [(1, whole)]


def _is_document(value: Record) -> bool:
    """Return whether an object has lists of units, and names no document, as columns of a table do."""
    roles = {role_of(key) for key in value}
    return "doc" not in roles and bool(roles & {"masses", "boundaries", *_OF_UNITS})


def _are_objects(items: Sequence[object]) -> bool:
    return bool(items) and all(isinstance(item, dict) for item in items)


def _is_units(items: Sequence[Record]) -> bool:
    """Return whether the objects of a list are units of one document: they name none, and have a text or label each."""
    roles = {role_of(key) for key in items[0]}
    return "doc" not in roles and bool(roles & _OF_UNITS)


def _by_name(key: str, values: Sequence[object], said: str | None) -> Record:
    """Return the record of a document from the list under its name: labels or flags of units, or lists of units."""
    if said is not None:
        return {"document": key, NAMES[said][0]: list(values)}
    if values and all(isinstance(value, list) and len(value) == 2 and _is_number(value[1]) for value in values):
        raise FormatError(
            f"document {key!r} holds pairs such as {str(values[0])[:40]}, and nothing says what the second is; write objects, "
            'such as {"text": "…", "label": 0}, or {"text": "…", "is_start": 1}'
        )
    numbers = [value for value in values if type(value) is int]
    pairs = list(itertools.pairwise(numbers)) if len(numbers) == len(values) else []
    rising = bool(pairs) and all(after > before for before, after in pairs)
    distinct = len(numbers) == len(values) and not {0, 1} >= set(numbers) and all(a != b for a, b in pairs)
    if rising or distinct:
        shown = str(list(values[:6]))[:40]
        positions = f" or the positions of boundaries in more than {values[-1]} units" if rising else ", or topics"
        raise Unmapped(
            f"document {key!r} has {shown}, which may be the lengths of its segments (masses "
            f"{'-'.join(map(str, values[:6]))}){positions}; the list under the name of a document is called {VALUE}",
            f"masses={VALUE}",
        )
    return {"document": key, "segments" if values and isinstance(values[0], list) else "labels": list(values)}


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and value.strip().lstrip("+-").isdigit())


def _columns(whole: Mapping[str, Any]) -> list[Record] | None:
    """Return the rows of an object that holds columns, as data frames write it, or None."""
    names, rows = whole.get("columns"), whole.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        return [dict(zip(map(str, names), row, strict=False)) for row in rows if isinstance(row, list)]
    roles = {role_of(key) for key in whole}
    if "doc" not in roles or not roles & _OF_UNITS:
        return None
    values = list(whole.values())
    if all(isinstance(value, dict) for value in values) and len({tuple(value) for value in values}) == 1:
        return [{key: column[row] for key, column in whole.items()} for row in values[0]]
    if all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        return [dict(zip(whole, row, strict=True)) for row in zip(*values, strict=True)]
    return None


def _located(items: Sequence[Any], data: bytes, path: Path) -> list[Located]:
    """Return the objects of a list with their lines, which are exact where the list is the whole file."""
    whole = data.lstrip().startswith(b"[")
    lines = [number for number, _ in listed(data, path)] if whole else [1] * len(items)
    wrong = next((place for place, item in enumerate(items) if not isinstance(item, dict)), None)
    if wrong is not None:
        raise FormatError(
            "is not an object, as the others of the list; give one object per unit or document", line=lines[wrong]
        )
    return list(zip(lines, items, strict=True))
