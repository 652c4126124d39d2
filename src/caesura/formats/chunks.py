# SPDX-License-Identifier: Apache-2.0
"""Output of chunkers: lists of chunks, as strings or with offsets."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import ComparabilityError, FormatError, SegmentationError
from caesura.files import stem
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chunk_records import SOURCE, STARTS, TEXTS, first, flat, looks_like_chunks, name_of, records
from caesura.formats._files import leave_out, notice, plural
from caesura.segmentation import Segmentation
from caesura.units.align import Alignment, faults_of
from caesura.units.text import locate

__all__ = ["Chunks", "chunk_document"]

_ENDS = ("end_index", "end", "end_char_idx")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Chunks(Format):
    """A chunker's output: a record ``{"id": "d1", "chunks": ["First chunk.", "Second chunk."]}`` per line, or one list of chunks.

    A chunk is a string, or an object with its text (``text``, ``page_content`` or ``content``) and, if known, its character
    offsets (``start_index``, ``start`` or ``start_char_idx``, and the matching ends; also inside ``metadata``). If a record
    holds the whole ``text``, the chunks are located in it at once. Without text and offsets they are located later: a
    command that also reads the documents (``caesura spans``, ``caesura cohesion``,
    ``caesura convert --project units --onto DOCS``) aligns them by their words. A file that is one list of chunks is one
    document.

    A record may also be a single chunk, ``{"doc_id": "d1", "text": "First chunk."}``, with or without offsets; the chunks of
    a document follow each other in the order of the file. The document is named by ``doc_id`` or ``document_id``, also
    inside ``metadata``, by LlamaIndex' ``relationships``, or by the file in the ``metadata`` (LangChain's ``source``,
    Unstructured's ``filename``), or else by ``id``, which is the chunk's own id if the document is named otherwise. Without
    any of them the file is one document. An object of lists, ``{"d1": ["First chunk."], "d2": [...]}``, names its documents.
    """

    card: ClassVar[Card] = Card(title="a chunker's chunks, as strings or with offsets (JSON, JSONL)")
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")
    sample: ClassVar[Sample] = {"walk": None, "show": None}
    many: ClassVar[bool] = True
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file holds records with chunks, or a list of chunks."""
        return looks_like_chunks(head)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        documents: list[Document] = []
        seen: set[str] = set()
        named = True
        faults: list[Alignment] = []
        unknown = 0
        source = bad = None
        for line_of, record in records(path):
            keys = [key for key in ("id", "doc_id", "document_id") if key in record]
            name = name_of(record[keys[0]], line_of) if keys else str(len(documents) + 1)
            named = named and bool(keys)
            if name in seen:
                message = f"document {name!r} appears twice; ids must be unique"
                raise ComparabilityError(str(FormatError(message, path, line_of())))
            seen.add(name)
            try:
                document, alignment = chunk_document(name, record)
            except (ComparabilityError, SegmentationError) as error:
                bad = FormatError(f"document {name!r}: {error}", line=line_of())
                leave_out(bad, path)
                continue
            documents.append(document)
            source = record.get(SOURCE)
            unknown += sum(_unplaced(entry) for entry in record["chunks"])
            if alignment is not None:
                faults.append(alignment)
        if not documents:
            raise bad or FormatError("the file is empty; it holds no document")
        remarks = faults_of(faults)
        if unknown:
            chunks = plural(unknown, "chunk has", "chunks have")
            remarks.append(f"{chunks} no offset (-1), so the chunks of the document are located by their words")
        if remarks:
            notice("; ".join(remarks), path, strict=strict)
        if len(documents) == 1 and not named:
            documents = [dataclasses.replace(documents[0], id=stem(source or path))]
        return Corpus(documents, name=str(path), ids_are_given=named)


def chunk_document(name: str, record: Mapping[str, Any]) -> tuple[Document, Alignment | None]:
    """Return the document of a record; its chunks are located if the record has offsets or the whole text."""
    if not isinstance(record["chunks"], list):
        raise SegmentationError('\'chunks\' is not a list; write the chunks as ["First chunk.", "Second chunk."]')
    if not record["chunks"]:
        raise SegmentationError("'chunks' is empty; give at least one chunk, or remove the document")
    entries = [_entry(entry, number) for number, entry in enumerate(record["chunks"], start=1)]
    texts = [text for text, _, _ in entries]
    spans = [_span(entry, number) for number, entry in enumerate(entries, start=1)]
    extra: dict[str, Any] = {SOURCE: record[SOURCE]} if SOURCE in record else {}
    if all(text is not None for text in texts):
        extra["chunks"] = texts
    if all(span is not None for span in spans):
        extra["chunk_spans"] = [list(span) for span in spans if span is not None]
    if not extra.keys() & {"chunks", "chunk_spans"}:
        raise SegmentationError("some chunks have no text and some no offsets; give all chunks text, or all offsets")
    whole = record.get("text")
    segmentation = alignment = None
    if whole is not None:
        if not isinstance(whole, str):
            raise SegmentationError("the text of the document is not a string; quote it, or remove it")
        alignment = locate(Document(id=name, n_units=1, unit="character", extra=extra), whole)
        segmentation = alignment.segmentation
        extra |= {"text": whole, "chunk_spans": [list(span) for span in alignment.spans]}
        if len(alignment.spans) < len(texts):
            extra.pop("chunks", None)
    elif "chunk_spans" in extra:
        length = max(end for _, end in extra["chunk_spans"])
        starts = sorted({start for start, _ in extra["chunk_spans"][1:]} - {0, extra["chunk_spans"][0][0]})
        segmentation = Segmentation(length, starts, unit="character")
    document = Document(
        id=name,
        n_units=segmentation.n_units if segmentation is not None else max(1, len("".join(extra["chunks"]))),
        segmentation=segmentation,
        unit="character",
        open_ended=whole is None,
        extra=extra,
    )
    return document, alignment


def _entry(entry: object, number: int) -> tuple[str | None, object, object]:
    """Return the text, start and end of a chunk, each None if missing."""
    if isinstance(entry, str):
        return entry, None, None
    if not isinstance(entry, dict):
        raise SegmentationError(f"chunk {number} is neither a string nor an object with a text; quote its words")
    fields = flat(entry)
    text = first(fields, TEXTS)
    if text is not None and not isinstance(text, str):
        raise SegmentationError(f"the text of chunk {number} is not a string; quote it")
    return text, first(fields, STARTS), first(fields, _ENDS)


def _unplaced(entry: object) -> bool:
    """Return whether a chunk has the offset -1, which LangChain writes for a chunk it could not locate."""
    return isinstance(entry, dict) and first(flat(entry), STARTS) == -1


def _span(entry: tuple[str | None, Any, Any], number: int) -> tuple[int, int] | None:
    """Return the offsets of a chunk; a missing end follows from the length of its text."""
    text, start, end = entry
    if (start is None and end is None) or start == -1:
        return None
    if end is None and text is not None and isinstance(start, int):
        end = start + len(text)
    for name, value in (("start", start), ("end", end)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise SegmentationError(f"the {name} of chunk {number} is {value!r}; it must be an integer, in characters")
    if not 0 <= start < end:
        raise SegmentationError(
            f"chunk {number} spans {start} to {end}; it must start at 0 or later and end after its start"
        )
    return start, end
