# SPDX-License-Identifier: Apache-2.0
"""Records of chunk files: one per document, or one per chunk, which are grouped by document.

A chunk names its document by an id, by the node it comes from (LlamaIndex), or by a file (LangChain, Unstructured).
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._files import Locate
from caesura.formats._json import decoded, json_bytes, json_line, top_keys
from caesura.formats._jsonl_line import OWN_KEYS, decoded_lines
from caesura.formats._roles import role_of
from caesura.strict_json import STRING, RepeatedKeyError, decode

TEXTS = ("text", "page_content", "content")
STARTS = ("start_index", "start", "start_char_idx")
SOURCE = "chunk_source"
"""The key under which a record keeps the file that all its chunks come from."""

_OWN = OWN_KEYS | {"labels"}
"""Keys of Caesura's own format, which no chunk has."""
_DOCUMENTS = ("doc_id", "document_id")
"""Keys by which a chunk names its document; a plain ``id`` may be its own."""
_SOURCES = ("source", "filename", "file_name", "file_path")
"""Keys of the metadata that name the file of a chunk."""

_OTHERS = frozenset({"label", "entities", "annotations", "segments", "chapters", "spans"})
_Record = Mapping[str, Any]
_Located = tuple[Locate, _Record]
_BY_NAME = re.compile(rf'\{{\s*{STRING}\s*:\s*\[\s*"'.encode(), re.DOTALL)
"""A document's name and a list of strings, its chunks."""


def looks_like_chunks(head: bytes) -> bool:
    """Return whether the start of a file looks like records with chunks, or a list of chunks."""
    start = head.lstrip()
    if start.startswith(b"{"):
        keys = top_keys(start.partition(b"\n")[0])
        if not keys & {"chunks", *TEXTS}:
            keys = top_keys(start)  # one record over several lines
        return not keys & _OWN and ("chunks" in keys or _one_per_line(keys, start) or _by_name(keys, start))
    inner = start[1:].lstrip()
    if not start.startswith(b"["):
        return False
    keys = top_keys(inner)
    if "annotation_id" in keys:
        return False  # Label Studio's JSON-MIN
    offsets = bool(keys & {*STARTS, *_DOCUMENTS}) or "metadata" in keys
    if {"lc", "kwargs"} <= keys:
        return b'"page_content"' in inner
    return "chunks" in keys or (bool(keys & set(TEXTS)) and offsets) or inner.startswith(b'"')


def _by_name(keys: frozenset[str], start: bytes) -> bool:
    """Return whether an object holds the chunks of each document under its name, not the columns of a table."""
    return bool(_BY_NAME.match(start)) and not (
        keys >= {"columns", "data"} or any(role_of(key) == "doc" for key in keys)
    )


def _one_per_line(keys: frozenset[str], start: bytes) -> bool:
    """Return whether each JSON line is a chunk: a text with offsets or a document, or consecutive texts of the same id."""
    if not keys & set(TEXTS) or keys & _OTHERS:
        return False
    if keys & {*STARTS, *_DOCUMENTS, "relationships", "element_id"} or {"page_content", "metadata"} <= keys:
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


def records(path: Path) -> Iterator[_Located]:
    """Yield the records of a file, one per document, each with a function that finds its line."""
    single: list[_Located] = []
    lists = False
    for locate, record in _records(path):
        if "chunks" not in record:
            if not record.keys() & set(TEXTS) or record.keys() & _OWN:
                what = "has neither 'chunks' nor a chunk's 'text'"
                remedy = "write the chunks of one document per line, or one chunk per line"
                raise FormatError(f"{what}; {remedy}", line=locate())
            single.append((locate, record))
        lists = lists or "chunks" in record
        if single and lists:
            raise FormatError("some records are single chunks and others lists of chunks; use one form", line=locate())
        if lists:
            yield locate, record
    if single:
        yield from _together(single)


def _together(single: Sequence[_Located]) -> Iterator[_Located]:
    """Yield single chunks grouped by document, in the order of the file."""
    named = [(_document_of(record), locate) for locate, record in single]
    names = [None if name is None else name_of(name, locate) for name, locate in named]
    sources = [_source_of(record) for _, record in single]
    if len(set(sources)) > 1 and not any(names):
        shorter = _short_names([source for source in sources if source is not None])
        names = [None if source is None else shorter[source] for source in sources]
    if not any(name is not None for name in names):
        names = _by_id(single)
    elif None in names:
        message = "the chunk does not name its document, but others do; add 'doc_id'"
        raise FormatError(message, line=single[names.index(None)][0]())
    documents: dict[str | None, tuple[Locate, dict[str, Any]]] = {}
    for name, source, (locate, record) in zip(names, sources, single, strict=True):
        grouped: dict[str, Any] = {"chunks": []} if name is None else {"id": name, "chunks": []}
        _, together = documents.setdefault(name, (locate, grouped))
        together["chunks"].append(record)
        if source is not None:
            together[SOURCE] = source
    yield from documents.values()


def _by_id(single: Sequence[_Located]) -> list[str | None]:
    """Return the documents of chunks without ``doc_id``, whose ``id`` may be the document's or the chunk's own."""
    given = [record.get("id") for _, record in single]
    if all(name is None for name in given):
        return [None] * len(given)
    names: list[str | None] = [name_of(name, locate) for name, (locate, _) in zip(given, single, strict=True)]
    if len(names) == 1 or len(set(names)) < len(names):
        return names
    # All ids differ: increasing offsets belong to one document, and the ids are the chunks' own.
    starts = [first(flat(record), STARTS) for _, record in single]
    if all(isinstance(a, int) and isinstance(b, int) and a < b for a, b in itertools.pairwise(starts)):
        return [None] * len(names)
    if all(isinstance(start, int) and start == 0 for start in starts):
        return names
    message = f"every chunk has its own id, such as {given[-1]!r}; name its document in 'doc_id'"
    raise FormatError(message, line=single[-1][0]())


def _records(path: Path) -> Iterator[_Located]:
    """Yield the records of a file as they stand there: one JSON value, or one object per line."""
    data = json_bytes(path)
    locate = functools.partial(json_line, path)
    try:
        whole = decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if isinstance(error, (RecursionError, RepeatedKeyError)) or data.lstrip().startswith(b"["):
            decoded(data, path, msgspec.Raw)  # raises, with the line
        for number, value in decoded_lines(data):
            at_line = functools.partial(int, number)
            yield at_line, _object(value, at_line)
        return
    if isinstance(whole, dict) and _is_by_name(whole):
        for name, chunks in whole.items():
            yield functools.partial(locate, name), {"id": name, "chunks": chunks}
        return
    if not isinstance(whole, list):
        yield locate, _object(whole, locate)
        return
    entries = [_unwrapped(entry) if isinstance(entry, dict) else {} for entry in whole]
    # In a list, ``id`` is the chunk's own; only ``doc_id``, a relation or a file name a document.
    name_documents = any(_document_of(entry) is not None for entry in entries)
    sources = {_source_of(entry) for entry in entries}
    if name_documents or len(sources) > 1 or any("chunks" in entry for entry in entries):
        for place, entry in enumerate(whole):
            here = functools.partial(locate, place)
            yield here, _object(entry, here)
    else:
        alone = {"chunks": [_unwrapped(entry) for entry in whole]}
        yield locate, alone if sources <= {None} else {**alone, SOURCE: next(iter(sources))}


def _is_by_name(whole: _Record) -> bool:
    """Return whether an object holds the chunks of each document under its name."""
    return not whole.keys() & {"chunks", *TEXTS, *_OWN} and all(isinstance(v, list) for v in whole.values())


def _object(entry: Any, locate: Locate) -> _Record:
    if isinstance(entry, dict):
        return _unwrapped(entry)  # type: ignore[no-any-return]
    raise FormatError('is not a record such as {"id": "d1", "chunks": ["...", "..."]}', line=locate())


def name_of(value: Any, locate: Locate) -> str:
    """Return the id of a document as a string."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise FormatError("the id of the document must be a string or an integer", line=locate())


def _unwrapped(record: Any) -> Any:
    """Return the chunk inside an object serialised by LangChain, and any other value unchanged."""
    inner = record.get("kwargs") if isinstance(record, dict) else None
    return inner if isinstance(inner, dict) and "page_content" in inner else record


def flat(record: _Record) -> _Record:
    """Return a record with the fields of its metadata merged into its own."""
    inner = record.get("metadata")
    return {**inner, **record} if isinstance(inner, dict) else record


def first(fields: _Record, keys: tuple[str, ...]) -> Any:
    """Return the first of several fields that is present."""
    return next((fields[key] for key in keys if fields.get(key) is not None), None)


def _document_of(record: _Record) -> Any:
    """Return the document id that a chunk gives, or None; in LlamaIndex, relation 1 is the node it was made from."""
    named = first(flat(record), _DOCUMENTS)
    relations = record.get("relationships")
    if named is None and isinstance(relations, dict):
        origin = relations.get("1", relations.get("SOURCE"))
        named = origin.get("node_id") if isinstance(origin, dict) else None
    return named


def _source_of(record: _Record) -> str | None:
    """Return the file that a chunk comes from according to its metadata, or None."""
    inner = record.get("metadata")
    if not isinstance(inner, dict):
        return None
    source = first(inner, _SOURCES)
    if source is None:
        return None
    folder = inner.get("file_directory")
    return f"{folder}/{source}" if isinstance(folder, str) and folder else str(source)


def _short_names(sources: Sequence[str]) -> dict[str, str]:
    """Return the document name of each file: its stem, or the whole path if stems are not unique.

    >>> _short_names(["corpus/a.txt", "corpus/b.txt"]), _short_names(["x/a.txt", "y/a.txt"])
    ({'corpus/a.txt': 'a', 'corpus/b.txt': 'b'}, {'x/a.txt': 'x/a.txt', 'y/a.txt': 'y/a.txt'})
    """
    files = list(dict.fromkeys(sources))
    stems = {file: stem(PurePosixPath(file.replace("\\", "/"))) for file in files}
    return stems if len(set(stems.values())) == len(files) else {file: file for file in files}
