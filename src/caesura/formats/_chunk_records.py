# SPDX-License-Identifier: Apache-2.0
"""The records of files of chunks: one a document, or one a chunk, which are put together by their document."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caesura.errors import FormatError
from caesura.formats._json import json_bytes, json_line
from caesura.formats._jsonl_keys import OWN_KEYS

__all__ = [
    "DOCUMENTS",
    "OWN",
    "STARTS",
    "TEXTS",
    "Where",
    "first",
    "line_of",
    "name_of",
    "one_a_line",
    "records",
]

TEXTS = ("text", "page_content", "content")
DOCUMENTS = ("doc_id", "document_id")
"""Where a chunk names its document; a plain id may be its own."""
STARTS = ("start_index", "start", "start_char_idx")
OWN = OWN_KEYS | {"labels"}
"""Keys of Caesura's own format, which no chunk has."""
Where = int | tuple[int, ...]
"""The line of a record, or the places in lists that lead to it."""

_OTHERS = frozenset({"label", "entities", "annotations", "segments", "chapters", "spans"})
_Record = Mapping[str, Any]


def one_a_line(keys: frozenset[str], start: bytes) -> bool:
    """Say whether JSON lines are chunks: a text with its offsets or its document, or several texts of the same id."""
    if not keys & set(TEXTS) or keys & _OTHERS:
        return False
    if keys & {*STARTS, *DOCUMENTS} or {"page_content", "metadata"} <= keys:
        return True
    # A text with an id may be a document as well; two in succession with the same id are not.
    before: Any = None
    for line in filter(bytes.strip, start.split(b"\n")):
        try:
            name = msgspec.json.decode(line).get("id")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, AttributeError):
            return False
        if name is not None and name == before:
            return True
        before = name
    return False


def records(path: Path) -> Iterator[tuple[Where, _Record]]:
    """Yield the records of a file, each with the chunks of a document, and where they stand."""
    single: list[tuple[Where, _Record]] = []
    lists = False
    for where, record in _records(path):
        if "chunks" not in record:
            if not record.keys() & set(TEXTS) or record.keys() & OWN:
                raise FormatError(
                    "has neither 'chunks' nor a chunk's 'text'; list the chunks of a document, or write one a line",
                    path,
                    line_of(where, path),
                )
            single.append((where, record))
        lists = lists or "chunks" in record
        if single and lists:
            raise FormatError(
                "one record is a chunk and another a list of chunks; write all alike",
                path,
                line_of(where, path),
            )
        if lists:
            yield where, record
    if single:
        yield from _together(single, path)


def _together(single: Sequence[tuple[Where, _Record]], path: Path) -> Iterator[tuple[Where, _Record]]:
    """Yield single chunks put together by their documents, in the order of the file."""
    names = [_document_of(record, path, where) for where, record in single]
    unnamed = names.count(None)
    if 0 < unnamed < len(names):
        where = single[names.index(None)][0]
        message = "does not say whose chunk it is, but others do; give it a 'doc_id'"
        raise FormatError(message, path, line_of(where, path))
    if unnamed:
        names = _by_id(single, path)
    found: dict[str | None, tuple[Where, dict[str, Any]]] = {}
    for name, (where, record) in zip(names, single, strict=True):
        made: dict[str, Any] = {"chunks": []} if name is None else {"id": name, "chunks": []}
        found.setdefault(name, (where, made))[1]["chunks"].append(record)
    yield from found.values()


def _document_of(record: _Record, path: Path, where: Where) -> str | None:
    """Return the document that a single chunk says it belongs to, or None."""
    inner = record.get("metadata")
    found = first({**(inner if isinstance(inner, dict) else {}), **record}, DOCUMENTS)
    return None if found is None else name_of(found, path, where)


def _by_id(single: Sequence[tuple[Where, _Record]], path: Path) -> list[str | None]:
    """Return the documents of chunks that have an id at most, which may be the document's or the chunk's own."""
    given = [record.get("id") for _, record in single]
    where, last = single[-1]
    if all(name is None for name in given):
        inners = [record.get("metadata") for _, record in single]
        if len({str(inner.get("source")) for inner in inners if isinstance(inner, dict)}) > 1:
            message = "the chunks are of several sources; give each the id of its document as 'doc_id'"
            raise FormatError(message, path, line_of(where, path))
        return [None] * len(given)
    names: list[str | None] = [
        name_of(name, path, place) for name, (place, _) in zip(given, single, strict=True)
    ]
    if len(names) == 1 or len(set(names)) < len(names):
        return names
    # Every id once: offsets that only grow are those of one document, and the ids the chunks' own.
    starts = [_start(record) for _, record in single]
    if all(a is not None and b is not None and a < b for a, b in itertools.pairwise(starts)):
        return [None] * len(names)
    if all(start == 0 for start in starts):
        return names
    message = f"every chunk has an id of its own, the last {last['id']!r}; say whose they are with 'doc_id'"
    raise FormatError(message, path, line_of(where, path))


def _start(record: _Record) -> int | None:
    inner = record.get("metadata")
    start = first({**(inner if isinstance(inner, dict) else {}), **record}, STARTS)
    return start if isinstance(start, int) else None


def first(fields: _Record, keys: tuple[str, ...]) -> Any:
    """Return the first of some fields that is there."""
    return next((fields[key] for key in keys if fields.get(key) is not None), None)


def _records(path: Path) -> Iterator[tuple[Where, _Record]]:
    """Yield the records of a file and where they stand: one JSON value, or one object a line."""
    data = json_bytes(path)
    try:
        whole = msgspec.json.decode(data)
    except RecursionError:
        raise FormatError("is nested too deeply; check what it holds", path) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        yield from _lines(data, path)
        return
    if not isinstance(whole, list):
        yield (), _object(whole, path, ())
    elif any(isinstance(entry, dict) and "chunks" in entry for entry in whole):
        for place, entry in enumerate(whole):
            yield (place,), _object(entry, path, (place,))
    elif whole and all(isinstance(entry, dict) and _names_document(entry) for entry in whole):
        for place, entry in enumerate(whole):
            yield (place,), entry
    else:
        yield (), {"chunks": whole}


def _names_document(entry: Mapping[str, Any]) -> bool:
    # In a list an id is the chunk's own; only a word for the document makes it one of several documents.
    inner = entry.get("metadata")
    return bool(entry.keys() & set(DOCUMENTS)) or (
        isinstance(inner, dict) and bool(inner.keys() & set(DOCUMENTS))
    )


def _lines(data: bytes, path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                yield number, _object(msgspec.json.decode(line), path, number)
            except RecursionError:
                raise FormatError("is nested too deeply; check what it holds", path, number) from None
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                reason = str(error).splitlines()[0]
                raise FormatError(f"is no JSON ({reason}); write one object a line", path, number) from None


def line_of(where: Where, path: Path) -> int | None:
    """Return the line of a record; only a file that is refused is read again for it."""
    return where if isinstance(where, int) else json_line(path, *where)


def _object(entry: Any, path: Path, where: Where) -> Mapping[str, Any]:
    if isinstance(entry, dict):
        return entry
    raise FormatError(
        'is no record such as {"id": "d1", "chunks": ["...", "..."]}', path, line_of(where, path)
    )


def name_of(value: Any, path: Path, where: Where) -> str:
    """Return the id of a document as a text."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    message = "the id of a document is no text and no whole number; write one of them"
    raise FormatError(message, path, line_of(where, path))
