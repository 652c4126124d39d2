# SPDX-License-Identifier: Apache-2.0
"""The text of a document in characters: where its units lie in it, and where a chunker's chunks do.

A document that was read from a text keeps it as ``extra["text"]``; its units are pieces of that text. Any other document's
text is its units laid end to end with a newline between two.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from caesura.corpus import Document
from caesura.errors import ComparabilityError, SegmentationError
from caesura.units.align import Alignment, align

__all__ = ["SEPARATOR", "Text", "has_chunks", "locate", "text_of"]

SEPARATOR = "\n"
"""What stands between two units when their texts are laid end to end."""


@dataclasses.dataclass(frozen=True)
class Text:
    """A text, and where its units lie in it.

    Attributes
    ----------
    text : str
        The whole.
    starts, ends : sequence of int
        Of each unit, in characters.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def text_of(document: Document) -> Text:
    """Return the text of a document and where its units lie.

    Raises
    ------
    ComparabilityError
        If the document has no texts, or its units are not pieces of its text.

    Examples
    --------
    >>> text_of(Document(id="d", n_units=2, units=("Hello.", "Bye."))).starts
    [0, 7]
    """
    if document.units is None:
        raise ComparabilityError(f"document {document.id!r} has no texts; give 'units', or read it as text")
    whole = document.extra.get("text")
    if whole is None:
        starts, place = [], 0
        for unit in document.units:
            starts.append(place)
            place += len(unit) + len(SEPARATOR)
        ends = [start + len(unit) for start, unit in zip(starts, document.units, strict=True)]
        return Text(SEPARATOR.join(document.units), starts, ends)
    if not isinstance(whole, str):
        raise ComparabilityError(
            f"document {document.id!r}: 'text' is no text; leave it out, or write it whole"
        )
    try:
        found = align(whole, document.units)
    except SegmentationError as error:
        raise ComparabilityError(
            f"document {document.id!r}: its units are no pieces of its 'text' ({error})".replace(
                "chunk", "unit"
            )
        ) from None
    if found.empty:
        raise ComparabilityError(
            f"document {document.id!r}: {found.empty} units have no text; leave 'text' out"
        )
    return Text(whole, [start for start, _ in found.spans], [end for _, end in found.spans])


def has_chunks(document: Document) -> bool:
    """Say whether a document is a chunker's output, whose places in the text may not be known yet."""
    return document.unit == "character" and bool(document.extra.keys() & {"chunks", "chunk_spans"})


def locate(document: Document, text: str) -> Alignment:
    """Return where the chunks of a chunker's output lie in a text: by their offsets if they have them, else by their words.

    Raises
    ------
    ComparabilityError
        If they do not; which document it is, the caller says.
    """
    chunks, spans = document.extra.get("chunks"), document.extra.get("chunk_spans")
    try:
        if spans is None:
            return align(text, chunks or ())
        found = Alignment.from_spans(text, spans)
    except SegmentationError as error:
        raise ComparabilityError(str(error)) from None
    for number, ((start, end), chunk) in enumerate(zip(found.spans, chunks or (), strict=False), start=1):
        if text[start:end].split() != chunk.split():
            shown = " ".join(text[start:end].split())[:40]
            raise ComparabilityError(
                f"chunk {number} says that it lies at {start}..{end}, but there the text is "
                f"{shown!r}; leave the offsets out to have chunks found by their words"
            )
    return found
