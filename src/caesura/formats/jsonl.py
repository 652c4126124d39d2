# SPDX-License-Identifier: Apache-2.0
"""Caesura's own format: JSONL, one document per line.

A file is read at one of two speeds. Blocks of lines whose keys and values are the usual ones become arrays at once
(`_jsonl_lean`); anything else, and every fault, is read line by line (`_jsonl_line`). A file larger than memory is cut
into parts (`pieces_of`), whose places are byte offsets in the decompressed content.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import itertools
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, ClassVar, NamedTuple

import msgspec
import numpy as np

from caesura.batches.flat import Flat, first_fault
from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import ComparabilityError, FormatError, SegmentationError
from caesura.files import COMPRESSIONS
from caesura.formats._base import ASPECTS, FORMATS, Format, Sample
from caesura.formats._files import BOM, faults, head, leave_out, notice, open_binary
from caesura.formats._flags import Flags, Unclear, marks_param
from caesura.formats._json import json_bytes, listed, top_keys
from caesura.formats._jsonl_lean import LeanDocuments, NotLean, blocks
from caesura.formats._jsonl_line import OWN_KEYS, document_line, read_line
from caesura.formats._roles import any_named, are_named, role_of
from caesura.limits import LINE

__all__ = ["Jsonl", "document_line", "from_records", "is_own", "pieces_of"]

_LINES_PER_CHUNK = 512
_STEP = 256  # documents between two possible cuts
_BLOCK = 1 << 20
_SHORT = 12  # bytes; no document is as short, so shorter lines may be blank
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


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
        if _is_list(head):
            return is_own(top_keys(head.lstrip()[1:]))
        line = head.lstrip().partition(b"\n")[0]
        try:
            keys = set(msgspec.json.decode(line, type=dict[str, msgspec.Raw]))
        except _BROKEN:
            return is_own(top_keys(head))  # longer than the head, or over several lines
        return is_own(keys)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        part = _Part(path, self.start, self.stop, self.line)
        try:
            try:
                return _read_lean(part)
            except NotLean:
                return _read_lines(part, strict, self.marks)
        except FormatError as error:
            if not part.whole:
                raise
            among = _items(path)
            numbered = _lacks_id(part.lines() if among is None else among)
            if among is None and not numbered:
                leave_out(error, path, note=False)  # which line by line are noted
        return _read_lines(part, strict, self.marks, among, numbered=numbered)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Yield the lines in chunks."""
        documents = iter(corpus)
        while batch := list(itertools.islice(documents, _LINES_PER_CHUNK)):
            yield b"".join([document_line(document) for document in batch])


def is_own(keys: Collection[str]) -> bool:
    """Return whether keys are those of a document of this format; with others for its id or texts it is a record of any keys."""
    others = {role_of(key) for key in keys if key not in ("id", "units", "boundaries", "masses", "labels")}
    named = "id" in keys or "doc" not in others
    if others & {"label", "boundary", "masses", "boundaries"} and not {"boundaries", "masses", "labels"} & set(keys):
        return False
    return named and (not OWN_KEYS.isdisjoint(keys) or ("labels" in keys and "text" not in others))


def _is_list(start: bytes) -> bool:
    """Return whether the content that begins so is one JSON list of objects."""
    return start.lstrip().startswith(b"[") and start.lstrip()[1:].lstrip().startswith(b"{")


def _items(path: Path) -> list[tuple[int, bytes]] | None:
    """Return the documents of a file that is one JSON list, or one object over several lines; None of lines."""
    start = head(path).lstrip()
    if _is_list(start):
        return listed(json_bytes(path), path)
    try:
        msgspec.json.decode(start.partition(b"\n")[0])
    except _BROKEN:
        with contextlib.suppress(FormatError, *_BROKEN):
            data = json_bytes(path)
            return [(1, data)] if msgspec.json.decode(data, type=dict[str, msgspec.Raw]) else None
    return None


def _lacks_id(lines: Iterable[tuple[int, bytes]]) -> bool:
    """Return whether the first document has no id."""
    first = next(iter(lines), None)
    try:
        return first is not None and "id" not in msgspec.json.decode(first[1], type=dict[str, msgspec.Raw])
    except _BROKEN:
        return False  # the reader of the line reports what is wrong


class _Part:
    """The part of a file to read: all, or the bytes from ``start`` to ``stop``; ``line`` is the number of its first line."""

    def __init__(self, path: Path, start: int = 0, stop: int | None = None, line: int = 1) -> None:
        self.path, self.line = path, line
        self.whole = (start, stop) == (0, None)
        self._content = None if self.whole else _content(path, start, stop)

    def open(self) -> contextlib.AbstractContextManager[IO[bytes]]:
        """Open the file at the start of the part, decompressed."""
        whole = self._content is None
        return open_binary(self.path) if whole else contextlib.nullcontext(io.BytesIO(self._content or b""))

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the non-blank lines with their numbers."""
        with self.open() as stream:
            most = LINE.value
            for number in itertools.count(self.line):
                line = stream.readline(most + 1)
                if not line:
                    return
                if number == 1:
                    line = line.removeprefix(BOM)
                if len(line) > most:
                    raise FormatError(LINE.refusal("the line is longer than"), line=number)
                if line.strip():
                    yield number, line


def _read_lean(part: _Part) -> Corpus:
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


def _read_lines(
    part: _Part,
    strict: bool,
    marks: str | None,
    among: Sequence[tuple[int, bytes]] | None = None,
    *,
    numbered: bool = False,
) -> Corpus:
    """Read the lines of a file, or the items ``among`` its list; without ids, documents are numbered."""
    path = part.path
    documents: list[Document] = []
    seen: dict[str, int] = {}
    unknown: Counter[str] = Counter()
    carriers = 0
    flags = Flags(marks)
    bad: FormatError | None = None
    for place, (number, line) in enumerate(part.lines() if among is None else among, start=1):
        try:
            document, strange, labels = read_line(line, number, place if numbered else None)
            with faults(line=number):
                document = flags.add(document, labels, len(documents), number)
            if strange and strict:
                raise FormatError(f"unknown key {strange[0]!r}; remove it, or read without --strict", line=number)
        except FormatError as error:
            leave_out(error, path)
            bad = bad or error
            continue
        _check_new(document.id, seen, path, number)
        unknown.update(strange)
        carriers += bool(strange)
        documents.append(document)
    if not documents:
        raise bad or FormatError("the file is empty; it holds no document")
    if note := flags.settle(documents, whole=part.whole):
        notice(note, path, strict=strict)
    if unknown:
        notice(_unknown_keys(unknown, carriers), path)
    return Corpus(documents, name=str(path), ids_are_given=not numbered)


def _unknown_keys(unknown: Counter[str], carriers: int) -> str:
    names = [key for key, _ in unknown.most_common(4)]
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    who = "1 document carries" if carriers == 1 else f"{carriers} documents carry"
    return f"{who} unknown keys ({shown}); kept as extra, for --slice"


def from_records(
    rows: Iterable[Mapping[str, object]],
    name: str = "",
    *,
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
) -> Corpus:
    """Return the documents of rows with the keys of the format ``jsonl``, or any keys; rows without ids are numbered.

    ``columns`` says what keys are for, and ``marks`` what labels of 0 and 1 mean, as in a file.

    >>> from_records([{"id": 1, "n_units": 9, "boundaries": [4]}])["1"].segmentation
    Segmentation(9, (4,))
    >>> from_records([{"id": 1, "labels": [0, 0, 1, 0]}], marks="last")["1"].segmentation
    Segmentation(4, (3,))
    """
    documents: list[Document] = []
    numbered = False
    flags = Flags(marks)
    rows = iter(rows)
    first = next(rows, None)
    rows = itertools.chain([] if first is None else [first], rows)
    if isinstance(first, Mapping) and (not is_own(first) or are_named(columns, first)):
        from caesura.formats._records import read_rows

        said = columns if columns is not None and any_named(columns, first) else None
        return read_rows(rows, said, marks, name, strict=strict)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise FormatError(f"{name or 'row'} {number} is a {type(row).__name__}; rows must be dictionaries")
        numbered = numbered or (number == 1 and row.get("id") is None)
        known = {key: value for key, value in row.items() if value is not None}
        try:
            line = msgspec.json.encode(known, enc_hook=_plain)
        except (TypeError, ValueError) as error:
            raise FormatError(f"row {number} holds a value that a document cannot hold ({error})") from None
        try:
            document, _, labels = read_line(line, number, number if numbered else None)
            documents.append(flags.add(document, labels, len(documents), number))
        except FormatError as error:
            raise FormatError(f"row {number} of {name or 'the rows'}: {error}") from None
    try:
        note = flags.settle(documents)
    except Unclear as error:
        raise FormatError(f"row {error.line} of {name or 'the rows'}: {error.what} marks={error.marks!r}") from None
    if note:
        notice(note, name or "rows", strict=strict)
    return Corpus(documents, name=name, ids_are_given=not numbered)


def _plain(value: object) -> object:
    """Return NumPy arrays and numbers as Python objects."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")


class _Piece(NamedTuple):
    """A part of a file: its first byte, the byte after its last (None for the end), and the number of its first line."""

    start: int
    stop: int | None
    line: int


def pieces_of(paths: Sequence[Path], documents: int, size: int) -> list[list[_Piece]] | None:
    """Cut files with the same documents in the same order, so that the n-th pieces have the same documents.

    A piece holds at most ``documents`` documents, and at most ``size`` bytes unless lines are very long. Return None if the
    files differ in their number of documents, or in the id at the start of a piece.
    """
    try:
        counts, marked = zip(*map(_marks, paths), strict=True)
    except NotLean:
        return None  # a line beyond the limit: the reader reports it
    if len(set(counts)) != 1:
        return None
    last = len(marked[0]) - 1
    cuts = [0]
    for place in range(1, last):
        begun = cuts[-1]
        longest = max(marks[place + 1].start - marks[begun].start for marks in marked)
        if (place + 1 - begun) * _STEP > documents or longest > size:
            cuts.append(place)
    if any(len({marks[place].id for marks in marked}) > 1 for place in cuts):
        return None
    return [
        [
            _Piece(marks[begin].start, None if end == last else marks[end].start, marks[begin].line)
            for begin, end in itertools.pairwise([*cuts, last])
        ]
        for marks in marked
    ]


class _Mark(NamedTuple):
    """Where a document begins, and its id."""

    start: int
    line: int
    id: str | int | None = None


class _Id(msgspec.Struct, gc=False):
    id: str | int | None = None


def _marks(path: Path) -> tuple[int, list[_Mark]]:
    """Return the number of documents of a file, and where every n-th begins; the last mark is the end of the file."""
    marks: list[_Mark] = []
    line, documents = 1, 0
    with open_binary(path) as stream:
        place = len(BOM) if stream.read(len(BOM)) == BOM else 0
    with open_binary(path) as stream:
        for block in blocks(stream, _BLOCK):
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1
            begins = np.concatenate([[0], ends[ends < len(block)]])
            lengths = np.diff(begins, append=len(block))
            full = np.arange(len(begins))
            if lengths.min() <= _SHORT:
                full = np.array([i for i in full if block[begins[i] : begins[i] + lengths[i]].strip()], dtype=np.int64)
            for place_in in full[-documents % _STEP :: _STEP].tolist():
                begin = int(begins[place_in])
                text = block[begin : begin + int(lengths[place_in])]
                marks.append(_Mark(place + begin, line + place_in, _id_of(text)))
            documents += len(full)
            place, line = place + len(block), line + len(ends)
    return documents, [*marks, _Mark(place, line)]


def _id_of(line: bytes) -> str | int | None:
    try:
        return msgspec.json.decode(line, type=_Id).id
    except _BROKEN:
        return None  # the reader reports what is wrong with the line


_Standing = tuple[tuple[int, int, int], int, contextlib.ExitStack, IO[bytes]]
_LEFT_OPEN: dict[str, _Standing] = {}
"""Partly read compressed files: their state, the offset, and the open stream."""


def _content(path: Path, start: int, stop: int | None) -> bytes:
    if path.suffix.lower() not in COMPRESSIONS:
        with open_binary(path) as stream:
            stream.seek(start)
            return stream.read() if stop is None else stream.read(stop - start)
    facts = path.stat()
    state = facts.st_ino, facts.st_size, facts.st_mtime_ns
    known = _LEFT_OPEN.pop(os.fspath(path), None)
    if known is not None and known[:2] == (state, start):
        _, _, closing, stream = known
    else:
        if known is not None:
            known[2].close()
        closing = contextlib.ExitStack()
        stream = closing.enter_context(open_binary(path))
        left = start
        while left > 0 and (piece := stream.read(min(left, _BLOCK))):
            left -= len(piece)
    with closing:
        content = stream.read() if stop is None else stream.read(stop - start)
        if stop is not None and len(content) == stop - start:
            _LEFT_OPEN[os.fspath(path)] = (state, stop, closing.pop_all(), stream)
        return content
