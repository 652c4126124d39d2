# SPDX-License-Identifier: Apache-2.0
"""How chunks name their document: by an id, by the node they come from (LlamaIndex), or by a file (LangChain, Unstructured)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from caesura.files import stem

__all__ = ["DOCUMENTS", "document_of", "first", "flat", "short_names", "source_of", "unwrapped"]

DOCUMENTS = ("doc_id", "document_id")
"""Keys by which a chunk names its document; a plain ``id`` may be its own."""

_SOURCES = ("source", "filename", "file_name", "file_path")
"""Keys of the metadata that name the file of a chunk."""

_Record = Mapping[str, Any]


def unwrapped(record: Any) -> Any:
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


def document_of(record: _Record) -> Any:
    """Return the document id that a chunk gives, or None; in LlamaIndex, relation 1 is the node it was made from."""
    named = first(flat(record), DOCUMENTS)
    relations = record.get("relationships")
    if named is None and isinstance(relations, dict):
        origin = relations.get("1", relations.get("SOURCE"))
        named = origin.get("node_id") if isinstance(origin, dict) else None
    return named


def source_of(record: _Record) -> str | None:
    """Return the file that a chunk comes from according to its metadata, or None."""
    inner = record.get("metadata")
    if not isinstance(inner, dict):
        return None
    source = first(inner, _SOURCES)
    if source is None:
        return None
    folder = inner.get("file_directory")
    return f"{folder}/{source}" if isinstance(folder, str) and folder else str(source)


def short_names(sources: Sequence[str]) -> dict[str, str]:
    """Return the document name of each file: its stem, or the whole path if stems are not unique.

    >>> short_names(["corpus/a.txt", "corpus/b.txt"]), short_names(["x/a.txt", "y/a.txt"])
    ({'corpus/a.txt': 'a', 'corpus/b.txt': 'b'}, {'x/a.txt': 'x/a.txt', 'y/a.txt': 'y/a.txt'})
    """
    files = list(dict.fromkeys(sources))
    stems = {file: stem(PurePosixPath(file.replace("\\", "/"))) for file in files}
    return stems if len(set(stems.values())) == len(files) else {file: file for file in files}
