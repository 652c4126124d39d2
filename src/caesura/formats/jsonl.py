# SPDX-License-Identifier: Apache-2.0
"""Caesura's own format: JSONL, one document per line."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

from caesura.batches.flat import Flat, first_fault
from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import ComparabilityError, FormatError, SegmentationError
from caesura.formats._base import ASPECTS, FORMATS, Format, Sample
from caesura.formats._files import faults, head, notice
from caesura.formats._flags import Flags, marks_param
from caesura.formats._json import top_keys
from caesura.formats._jsonl_keys import DECODERS, OWN_KEYS, SILENT, near_miss
from caesura.formats._jsonl_lean import LeanDocuments, NotLean, blocks
from caesura.formats._jsonl_line import read_line, sole_labels
from caesura.formats._jsonl_parts import Listed, Part, is_list, pieces_of
from caesura.segmentation import UNSPECIFIED_UNIT

__all__ = ["Jsonl", "document_line", "pieces_of"]

_LINES_PER_CHUNK = 512


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Jsonl(Format):
    """Caesura's own format: JSONL with one document per line; a list of such objects is read too.

    Required keys: ``id``, and ``units`` (strings) or ``n_units``. The segmentation is given by ``boundaries``, ``masses``
    or ``labels``; if several are given they must agree, and without any of them the document has no segmentation. Labels of
    0 and 1 throughout a file may be flags, so ``marks`` must say what they mean, unless every document begins with a 1. If
    no document has an ``id``, they are numbered.
    Optional keys: ``unit``, ``speakers``, ``unit_times`` ([start, end] in seconds per unit), ``annotations``
    ({annotator: boundaries}), ``scores`` (one per gap), ``hierarchy`` (boundaries from coarse to fine),
    ``segment_titles`` and ``open_ended``. Other keys are kept as extra, with one warning that counts them; a misspelt
    known key is refused.
    """

    card: ClassVar[Card] = Card(title="Caesura's own JSONL, one document per line")
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")
    sample: ClassVar[Sample] = {"walk": (2, 1), "show": (3, 2)}
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "n_units", "unit", "open_ended", *ASPECTS})

    marks: str | None = marks_param()
    start: int = param(0, "first byte to read, the start of a line, for files larger than memory", minimum=0)
    stop: int | None = param(None, "byte before which reading stops; None for the end of the file", minimum=0)
    line: int = param(1, "number of the first line to read, for messages", minimum=1)

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first line is an object with keys of this format, or the file is a list of such objects."""
        if is_list(head):
            return bool(top_keys(head.lstrip()[1:]) & OWN_KEYS)
        line = head.lstrip().partition(b"\n")[0]
        try:
            keys = set(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            # The first document may be longer than the head; then only its first keys are known.
            return line == head.lstrip() and any(
                f'"{key}"'.encode() in line[:400] for key in ("units", "n_units", "boundaries")
            )
        return bool(keys & OWN_KEYS) or ("labels" in keys and "text" not in keys)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        part = Part(path, self.start, self.stop, self.line)
        try:
            return self._read(part, strict)
        except FormatError:
            if (self.start, self.stop) != (0, None):
                raise
            if is_list(head(path)):
                listed = Listed(path)
                return _read_lines(listed, strict, self.marks, numbered=_lacks_id(listed))
            if not _lacks_id(part):
                raise
        return _read_lines(part, strict, self.marks, numbered=True)

    def _read(self, part: Part, strict: bool) -> Corpus:
        try:
            return _read_lean(part)
        except NotLean:
            return _read_lines(part, strict, self.marks)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Yield the lines in chunks."""
        documents = iter(corpus)
        while batch := list(itertools.islice(documents, _LINES_PER_CHUNK)):
            yield b"".join([document_line(document) for document in batch])


def _lacks_id(part: Part) -> bool:
    """Return whether the first document has no id."""
    first = next(part.lines(), None)
    try:
        return first is not None and "id" not in msgspec.json.decode(first[1], type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False  # the reader of the line reports what is wrong


def _read_lean(part: Part) -> Corpus:
    documents = LeanDocuments()
    path, line = part.path, part.line
    with part.open() as stream:
        for block in blocks(stream):
            try:
                line += documents.add(block)
            except NotLean:
                # Look for the fault in this block only, instead of reading the whole file again slowly.
                for number, text in enumerate(block.split(b"\n"), start=line):
                    if text.strip():
                        read_line(text, number)
                raise
    ids = documents.ids()
    if not ids:
        raise FormatError("the file is empty; it holds no document")
    if len(documents.units) > 1:
        raise NotLean
    arrays = documents.arrays()
    try:
        unit, details = next(iter(documents.units)), documents.details()
        return Corpus.from_flat(ids, Flat(*arrays), unit=unit, name=str(path), details=details)
    except SegmentationError:
        row = (first_fault(*arrays) or (0,))[0]
        number, text = next(itertools.islice(part.lines(), row, None))
        read_line(text, number)
        raise
    except ComparabilityError:
        seen: dict[str, int] = {}
        for key, (number, _) in zip(ids, part.lines(), strict=True):
            _check_new(key, seen, path, number)
        raise


def _check_new(key: str, seen: dict[str, int], path: Path, number: int) -> None:
    """Record the line of a document id, and refuse an id that occurs a second time."""
    if key in seen:
        message = f"document {key!r} appears twice, first on line {seen[key]}; ids must be unique"
        raise ComparabilityError(str(FormatError(message, path, number)))
    seen[key] = number


def _read_lines(part: Part, strict: bool, marks: str | None, *, numbered: bool = False) -> Corpus:
    path = part.path
    documents: list[Document] = []
    seen: dict[str, int] = {}
    unknown: Counter[str] = Counter()
    carriers = 0
    flags = Flags(marks)
    for number, line in part.lines():
        document, strange = read_line(line, number, len(documents) + 1 if numbered else None)
        with faults(line=number):
            document = flags.add(document, sole_labels(line), len(documents), number)
        if strange and strict:
            raise FormatError(f"unknown key {strange[0]!r}; remove it, or read without --strict", line=number)
        _check_new(document.id, seen, path, number)
        unknown.update(strange)
        carriers += bool(strange)
        documents.append(document)
    if not documents:
        raise FormatError("the file is empty; it holds no document")
    if note := flags.settle(documents, whole=part.whole):
        notice(note, path, strict=strict)
    if unknown:
        notice(_unknown_keys(unknown, carriers), path)
    return Corpus(documents, name=str(path), ids_are_given=not numbered)


def _unknown_keys(unknown: Counter[str], carriers: int) -> str:
    names = [key for key, _ in unknown.most_common(4)]
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    who = "1 document carries" if carriers == 1 else f"{carriers} documents carry"
    return f"{who} unknown keys ({shown}); kept as extra but not used"


def document_line(document: Document) -> bytes:
    """Return a document as one line of the format, with its newline."""
    try:
        return msgspec.json.encode(_fields(document)) + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"document {document.id!r} cannot be written as JSON: {error}") from None


def _fields(document: Document) -> dict[str, object]:
    fields: dict[str, object] = {"id": document.id}
    if document.unit != UNSPECIFIED_UNIT:
        fields["unit"] = document.unit
    if document.units is None:
        fields["n_units"] = document.n_units
    else:
        fields["units"] = document.units
    if document.segmentation is not None:
        fields["boundaries"] = document.segmentation.boundaries
    for key in ("speakers", "unit_times", "scores"):
        if getattr(document, key) is not None:
            fields[key] = getattr(document, key)
    if document.scores is not None and not all(map(math.isfinite, document.scores)):
        raise FormatError(f"document {document.id!r}: a score is not finite, which JSON cannot hold; remove the scores")
    if document.annotations:
        fields["annotations"] = {name: value.boundaries for name, value in document.annotations.items()}
    if document.hierarchy:
        fields["hierarchy"] = [level.boundaries for level in document.hierarchy]
    if document.open_ended:
        fields["open_ended"] = True
    for key, value in document.extra.items():
        if key not in SILENT and (key in DECODERS or near_miss(key)):
            raise FormatError(f"document {document.id!r}: the extra key {key!r} is or resembles a known key; rename it")
        fields[key] = value
    return fields
