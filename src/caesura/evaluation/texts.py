# SPDX-License-Identifier: Apache-2.0
"""Documents as they are in Python: dictionaries of texts, lists of chunks for each chunker, rows of a dataset, Arrow tables."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, FormatError
from caesura.segmentation import Segmentation, is_spelled

__all__ = ["ArrowStream", "are_chunks", "are_texts", "chunk_corpus", "records_of", "refuse_bare_texts", "text_corpus"]


class ArrowStream(Protocol):
    """Anything that hands out Arrow data: a table of pyarrow, polars, pandas or DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a stream of record batches."""


def records_of(value: object) -> Iterable[Mapping[str, object]] | None:
    """Return the rows of a dataset, which is anything that gives dictionaries; None of anything else."""
    if isinstance(value, (str, Segmentation, np.ndarray)) or not isinstance(value, Iterable):
        return None
    rows = iter(value)
    first = next(rows, None)
    return itertools.chain([first], rows) if isinstance(first, Mapping) else None


def are_texts(value: Mapping[Any, object]) -> bool:
    """Say whether a mapping has documents as texts: each a string, or a list of the strings of its units.

    >>> are_texts({"a": "A text."}), are_texts({"a": ["One.", "Two."]}), are_texts({"a": "0100"})
    (True, True, False)
    """
    if not value or not all(isinstance(each, str) or _is_strings(each) for each in value.values()):
        return False
    return not all(isinstance(each, str) and is_spelled(each) for each in value.values())


def are_chunks(value: Mapping[Any, object]) -> bool:
    """Say whether a mapping has a list of chunks for each document: strings, or objects of a chunker with their text.

    >>> are_chunks({"a": ["One.", "Two."]}), are_chunks({"a": "a.jsonl"}), are_chunks({"a": [True, False]})
    (True, False, False)
    """
    return bool(value) and all(
        isinstance(each, (list, tuple)) and each and all(_text(chunk) is not None for chunk in each)
        for each in value.values()
    )


def refuse_bare_texts(value: object, name: str) -> None:
    """Refuse a text, or a list of them, that names no document; a text would be taken for the path of a file."""
    if isinstance(value, str):
        words = re.search(r"\s" if len(value) > 255 else r"\n|\s.*[.!?]\s*\Z", value)
        if not words or is_spelled(value) or os.path.exists(value):  # noqa: PTH110  (a name too long is not an error)
            return
    elif not _is_strings(value):
        return
    what = "a text" if isinstance(value, str) else "a list of texts"
    example = "'...'" if what == "a text" else "['...', '...']"
    raise ComparabilityError(
        f"{name!r} is {what} without a document's name; give texts and chunks by document, such as {{'d1': {example}}}"
    )


def _is_strings(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(each, str) for each in value)


def _text(chunk: object) -> str | None:
    """Return the text of a chunk: a string, or what an object or a record of a chunker calls its text."""
    if isinstance(chunk, str):
        return chunk
    for name in ("text", "page_content"):
        found = chunk.get(name) if isinstance(chunk, dict) else getattr(chunk, name, None)
        if isinstance(found, str):
            return found
    return None


def text_corpus(texts: Mapping[Any, Any], name: str, spec: str | None = None) -> Corpus:
    """Return documents from texts, which a format such as ``"text(by='line')"`` splits into units."""
    from caesura.formats import FORMATS
    from caesura.formats.text import Text

    reader = FORMATS.parse(spec or "text")
    if not isinstance(reader, Text):
        raise ComparabilityError(f"{name!r} holds texts, which the format {spec} cannot split; choose text(by='line')")
    documents = []
    for key, value in texts.items():
        if isinstance(value, str):
            try:
                documents.append(reader.document(str(key), value))
            except FormatError as error:
                raise ComparabilityError(f"document {str(key)!r} of {name!r} {error}") from None
        else:
            documents.append(Document(id=str(key), n_units=len(value), units=tuple(value)))
    return Corpus(documents, name=name)


def chunk_corpus(chunks: Mapping[Any, Sequence[object]], name: str) -> Corpus:
    """Return documents of chunks that are located later, in the texts of the documents."""
    documents = []
    for key, row in chunks.items():
        texts = [_text(chunk) or "" for chunk in row]
        n_units = max(1, sum(map(len, texts)))
        extra = {"chunks": texts}
        documents.append(Document(id=str(key), n_units=n_units, unit="character", open_ended=True, extra=extra))
    return Corpus(documents, name=name)
