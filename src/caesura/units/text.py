# SPDX-License-Identifier: Apache-2.0
"""The text of a document in characters, with the positions of its units and of a chunker's chunks.

A document that was read from a text keeps it as ``extra["text"]``, and its units are pieces of that text. The text of
any other document is its units joined by newlines.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from caesura.corpus import Document
from caesura.errors import ComparabilityError, SegmentationError
from caesura.units.align import Alignment, align

__all__ = ["Text", "chunks_of", "has_chunks", "locate", "text_of"]

_SEPARATOR = "\n"  # between two units when their texts are joined
_CHUNKS = ("chunks", "chunk_spans")  # the texts of chunks, and their starts and ends in characters of the text


@dataclasses.dataclass(frozen=True)
class Text:
    """A text, with the positions of its units."""

    text: str
    starts: Sequence[int]  # the start and end of each unit, in characters
    ends: Sequence[int]


def text_of(document: Document) -> Text:
    """Return the text of a document with the positions of its units.

    >>> text_of(Document(id="d", n_units=2, units=("Hello.", "Bye."))).starts
    [0, 7]
    """
    if document.units is None:
        raise ComparabilityError(f"document {document.id!r} has no texts; give 'units', or read it as text")
    whole = document.extra.get("text")
    if whole is None:
        joined = list(itertools.accumulate(len(unit) + len(_SEPARATOR) for unit in document.units))
        return Text(_SEPARATOR.join(document.units), [0, *joined[:-1]], [end - len(_SEPARATOR) for end in joined])
    if not isinstance(whole, str):
        raise ComparabilityError(f"document {document.id!r}: 'text' must be a string; correct it, or leave it out")
    try:
        alignment = align(whole, document.units)
    except SegmentationError as error:
        problem = str(error).replace("chunk", "unit")
        raise ComparabilityError(
            f"document {document.id!r}: its units are not pieces of its 'text' ({problem})"
        ) from None
    if alignment.empty:
        raise ComparabilityError(f"document {document.id!r}: {alignment.empty} units are empty; leave 'text' out")
    return Text(whole, [start for start, _ in alignment.spans], [end for _, end in alignment.spans])


def has_chunks(document: Document) -> bool:
    """Return whether a document is the output of a chunker, whose positions may still be unknown."""
    return document.unit == "character" and bool(chunks_of(document))


def chunks_of(document: Document) -> dict[str, Any]:
    """Return the chunks that a document keeps, also beside boundaries between units: their texts, their offsets, or both.

    >>> chunks_of(Document(id="d", n_units=2, extra={"chunks": ["One two.", "two. Three."], "source": "a"}))
    {'chunks': ['One two.', 'two. Three.']}
    """
    return {key: value for key in _CHUNKS if (value := document.extra.get(key)) and isinstance(value, list)}


def locate(document: Document, text: str) -> Alignment:
    """Return the positions of chunks in a text: by their offsets if their words are there, else by their words.

    The caller adds the document to the error where a chunk is not in the text.
    """
    chunks, spans = document.extra.get("chunks"), document.extra.get("chunk_spans")
    try:
        if spans is None:
            return _by_words(text, chunks or ())
        misplaced = _misplaced(text, spans, chunks or ())
        if misplaced:
            # Splitters that join sentences count their own separators instead of those of the text.
            return dataclasses.replace(_by_words(text, chunks or ()), misplaced=misplaced)
        return Alignment.from_spans(text, spans)
    except SegmentationError as error:
        raise ComparabilityError(str(error)) from None


def _by_words(text: str, chunks: Sequence[str]) -> Alignment:
    """Return the positions of chunks: exact if they are pieces of the text, else by their common words."""
    try:
        return align(text, chunks)
    except SegmentationError as error:
        from caesura.units.anchors import anchored

        if not text.strip() or not any(chunk.strip() for chunk in chunks):
            raise
        try:
            return anchored(text, [chunk for chunk in chunks if chunk.strip()])
        except SegmentationError as worse:
            raise SegmentationError(f"{str(error).partition(';')[0]}, and {worse}") from None


def _misplaced(text: str, spans: Sequence[Sequence[int]], chunks: Sequence[str]) -> int:
    """Return the number of chunks that are not at their offsets; 0 if only the offsets are known."""
    return sum(text[start:end].split() != chunk.split() for (start, end), chunk in zip(spans, chunks, strict=False))
