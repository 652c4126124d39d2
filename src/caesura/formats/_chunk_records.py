# SPDX-License-Identifier: Apache-2.0
"""Records of chunk files: one per document, or one per chunk, which are grouped by document."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caesura.errors import FormatError
from caesura.formats._chunk_sources import DOCUMENTS, document_of, first, flat, short_names, source_of, unwrapped
from caesura.formats._json import json_bytes, json_line, syntax_fault, top_keys
from caesura.formats._jsonl_line import OWN_KEYS
from caesura.formats._jsonl_line import syntax_fault as line_fault
from caesura.strict_json import STRING, RepeatedKeyError, decode

__all__ = ["SOURCE", "STARTS", "TEXTS", "line_of", "looks_like_chunks", "name_of", "records"]

TEXTS = ("text", "page_content", "content")
STARTS = ("start_index", "start", "start_char_idx")
SOURCE = "chunk_source"
"""The key under which a record keeps the file that all its chunks come from."""

_OWN = OWN_KEYS | {"labels"}
"""Keys of Caesura's own format, which no chunk has."""
_Where = int | tuple[int | str, ...]
"""The line of a record, or the list positions and keys that lead to it."""

_OTHERS = frozenset({"label", "entities", "annotations", "segments", "chapters", "spans"})
_Record = Mapping[str, Any]
_BY_NAME = re.compile(rf'\{{\s*{STRING}\s*:\s*\[\s*"'.encode(), re.DOTALL)
"""A document's name and a list of strings, its chunks."""


def looks_like_chunks(head: bytes) -> bool:
    """Return whether the start of a file looks like records with chunks, or a list of chunks."""
    start = head.lstrip()
    if start.startswith(b"{"):
        keys = top_keys(start.partition(b"\n")[0])
        if not keys & {"chunks", *TEXTS}:
            keys = top_keys(start)  # one record over several lines
        return not keys & _OWN and ("chunks" in keys or _one_per_line(keys, start) or bool(_BY_NAME.match(start)))
    inner = start[1:].lstrip()
    if not start.startswith(b"["):
        return False
    keys = top_keys(inner)
    if "annotation_id" in keys:
        return False  # Label Studio's JSON-MIN
    offsets = bool(keys & {*STARTS, *DOCUMENTS}) or "metadata" in keys
    if {"lc", "kwargs"} <= keys:
        return b'"page_content"' in inner
    return "chunks" in keys or (bool(keys & set(TEXTS)) and offsets) or inner.startswith(b'"')


def _one_per_line(keys: frozenset[str], start: bytes) -> bool:
    """Return whether each JSON line is a chunk: a text with offsets or a document, or consecutive texts of the same id."""
    if not keys & set(TEXTS) or keys & _OTHERS:
        return False
    if keys & {*STARTS, *DOCUMENTS, "relationships", "element_id"} or {"page_content", "metadata"} <= keys:
        return True
    # A text with an id may also be a document; two consecutive ones with the same id are not.
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


def records(path: Path) -> Iterator[tuple[_Where, _Record]]:
    """Yield the records of a file with their locations, one record per document."""
    single: list[tuple[_Where, _Record]] = []
    lists = False
    for where, record in _records(path):
        if "chunks" not in record:
            if not record.keys() & set(TEXTS) or record.keys() & _OWN:
                what = "has neither 'chunks' nor a chunk's 'text'"
                remedy = "write the chunks of one document per line, or one chunk per line"
                raise FormatError(f"{what}; {remedy}", line=line_of(where, path))
            single.append((where, record))
        lists = lists or "chunks" in record
        if single and lists:
            message = "some records are single chunks and others lists of chunks; use one form"
            raise FormatError(message, line=line_of(where, path))
        if lists:
            yield where, record
    if single:
        yield from _together(single, path)


def _together(single: Sequence[tuple[_Where, _Record]], path: Path) -> Iterator[tuple[_Where, _Record]]:
    """Yield single chunks grouped by document, in the order of the file."""
    named = [(where, document_of(record)) for where, record in single]
    names = [None if name is None else name_of(name, path, where) for where, name in named]
    sources = [source_of(record) for _, record in single]
    several = len(set(sources)) > 1
    if several and not any(names):
        shorter = short_names([source for source in sources if source is not None])
        names = [None if source is None else shorter[source] for source in sources]
    unnamed = names.count(None)
    if 0 < unnamed < len(names):
        where = single[names.index(None)][0]
        message = "the chunk does not name its document, but others do; add 'doc_id'"
        raise FormatError(message, line=line_of(where, path))
    if unnamed:
        names = _by_id(single, path)
    documents: dict[str | None, tuple[_Where, dict[str, Any]]] = {}
    for name, (where, record) in zip(names, single, strict=True):
        grouped: dict[str, Any] = {"chunks": []} if name is None else {"id": name, "chunks": []}
        _, together = documents.setdefault(name, (where, grouped))
        together["chunks"].append(record)
        if (source := source_of(record)) is not None:
            together[SOURCE] = source
    yield from documents.values()


def _by_id(single: Sequence[tuple[_Where, _Record]], path: Path) -> list[str | None]:
    """Return the documents of chunks without ``doc_id``, whose ``id`` may be the document's or the chunk's own."""
    given = [record.get("id") for _, record in single]
    where, last = single[-1]
    if all(name is None for name in given):
        return [None] * len(given)
    names: list[str | None] = [name_of(name, path, place) for name, (place, _) in zip(given, single, strict=True)]
    if len(names) == 1 or len(set(names)) < len(names):
        return names
    # All ids differ: increasing offsets belong to one document, and the ids are the chunks' own.
    starts = [first(flat(record), STARTS) for _, record in single]
    if all(isinstance(a, int) and isinstance(b, int) and a < b for a, b in itertools.pairwise(starts)):
        return [None] * len(names)
    if all(isinstance(start, int) and start == 0 for start in starts):
        return names
    message = f"every chunk has its own id, such as {last['id']!r}; name its document in 'doc_id'"
    raise FormatError(message, line=line_of(where, path))


def _records(path: Path) -> Iterator[tuple[_Where, _Record]]:
    """Yield the records of a file with their locations: one JSON value, or one object per line."""
    data = json_bytes(path)
    try:
        whole = decode(data)
    except RecursionError:
        raise FormatError("is nested too deeply; check its content") from None
    except RepeatedKeyError as error:
        raise FormatError(str(error), line=error.line) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if data.lstrip().startswith(b"["):
            message, line = syntax_fault(error, data)
            raise FormatError(message, line=line) from None
        yield from _lines(data, path)
        return
    if isinstance(whole, dict) and _is_by_name(whole):
        for name, chunks in whole.items():
            yield (name,), {"id": name, "chunks": chunks}
        return
    if not isinstance(whole, list):
        yield (), _object(whole, path, ())
        return
    entries = [unwrapped(entry) if isinstance(entry, dict) else {} for entry in whole]
    # In a list, ``id`` is the chunk's own; only ``doc_id``, a relation or a file name a document.
    name_documents = any(document_of(entry) is not None for entry in entries)
    sources = {source_of(entry) for entry in entries}
    if name_documents or len(sources) > 1 or any("chunks" in entry for entry in entries):
        for place, entry in enumerate(whole):
            yield (place,), _object(entry, path, (place,))
    else:
        alone = {"chunks": [unwrapped(entry) for entry in whole]}
        yield (), alone if sources <= {None} else {**alone, SOURCE: next(iter(sources))}


def _is_by_name(whole: _Record) -> bool:
    """Return whether an object holds the chunks of each document under its name."""
    return not whole.keys() & {"chunks", *TEXTS, *_OWN} and all(isinstance(v, list) for v in whole.values())


def _lines(data: bytes, path: Path) -> Iterator[tuple[int, _Record]]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            try:
                yield number, _object(decode(line), path, number)
            except RecursionError:
                raise FormatError("is nested too deeply; check its content", line=number) from None
            except RepeatedKeyError as error:
                raise FormatError(str(error), line=number) from None
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise FormatError(line_fault(line, error), line=number) from None


def line_of(where: _Where, path: Path) -> int | None:
    """Return the line of a record; this reads the file again, so it is used for errors only."""
    return where if isinstance(where, int) else json_line(path, *where)


def _object(entry: Any, path: Path, where: _Where) -> _Record:
    if isinstance(entry, dict):
        return unwrapped(entry)  # type: ignore[no-any-return]
    message = 'is not a record such as {"id": "d1", "chunks": ["...", "..."]}'
    raise FormatError(message, line=line_of(where, path))


def name_of(value: Any, path: Path, where: _Where) -> str:
    """Return the id of a document as a string."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    message = "the id of the document must be a string or an integer"
    raise FormatError(message, line=line_of(where, path))
