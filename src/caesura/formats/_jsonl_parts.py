# SPDX-License-Identifier: Apache-2.0
"""Parts of JSONL files that are larger than memory: finding where to cut, and reading a part.

Places are byte offsets in the decompressed content. Reading a part of a compressed file continues where the previous part
ended, so a file whose parts are read in order is decompressed once.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

import msgspec
import numpy as np

from caesura.errors import FormatError
from caesura.files import COMPRESSIONS
from caesura.formats._files import BOM, faults, open_binary
from caesura.formats._json import decoded, json_bytes
from caesura.formats._jsonl_lean import NotLean, blocks
from caesura.limits import LINE

__all__ = ["Listed", "Part", "Piece", "is_list", "pieces_of"]

_STEP = 256  # documents between two possible cuts
_BLOCK = 1 << 20
_SHORT = 12  # bytes; no document is as short, so shorter lines may be blank


class Part:
    """The part of a file to read: all, or the bytes from ``start`` to ``stop``; ``line`` is the number of its first line."""

    def __init__(self, path: Path, start: int = 0, stop: int | None = None, line: int = 1) -> None:
        self.path, self.line = path, line
        self.whole = (start, stop) == (0, None)
        self._content = None if self.whole else _content(path, start, stop)

    @contextlib.contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the file at the start of the part, decompressed."""
        if self._content is not None:
            with faults(self.path):
                yield io.BytesIO(self._content)
            return
        with open_binary(self.path) as stream:
            yield stream

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


class Listed(Part):
    """The documents of a file that is one JSON list; each counts as a line, with the number of its first."""

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield the documents with the numbers of their first lines."""
        return iter(self._documents)

    @functools.cached_property
    def _documents(self) -> list[tuple[int, bytes]]:
        data, place, number = json_bytes(self.path), 0, 1
        found = []
        for item in map(bytes, decoded(data, self.path, list[msgspec.Raw])):
            begin = data.index(item, place)
            number += data.count(b"\n", place, begin)
            found.append((number, item))
            place, number = begin + len(item), number + item.count(b"\n")
        return found


class Piece(NamedTuple):
    """A part of a file: its first byte, the byte after its last (None for the end), and the number of its first line."""

    start: int
    stop: int | None
    line: int


def is_list(head: bytes) -> bool:
    """Return whether the content that begins so is one JSON list of objects."""
    start = head.lstrip()
    return start.startswith(b"[") and start[1:].lstrip().startswith(b"{")


def pieces_of(paths: Sequence[Path], documents: int, size: int) -> list[list[Piece]] | None:
    """Cut files with the same documents in the same order, so that the n-th pieces have the same documents.

    A piece holds at most ``documents`` documents, and at most ``size`` bytes unless lines are very long. Return None if the
    files differ in their number of documents, or in the id at the start of a piece.
    """
    try:
        marks = [_marks(path) for path in paths]
    except NotLean:
        return None  # a line beyond the limit: the reader reports it
    if len({each.documents for each in marks}) != 1:
        return None
    last = len(marks[0].starts) - 1
    cuts = [0]
    for place in range(1, last):
        begun = cuts[-1]
        longest = max(each.starts[place + 1] - each.starts[begun] for each in marks)
        if (place + 1 - begun) * _STEP > documents or longest > size:
            cuts.append(place)
    if any(len({each.ids[place] for each in marks}) > 1 for place in cuts):
        return None
    return [
        [
            Piece(each.starts[begin], None if end == last else each.starts[end], each.lines[begin])
            for begin, end in itertools.pairwise([*cuts, last])
        ]
        for each in marks
    ]


class _Marks(NamedTuple):
    """Offset, line and id of every n-th document; the last offset is the end of the file."""

    starts: array[int]
    lines: array[int]
    ids: list[str | int | None]
    documents: int


class _Id(msgspec.Struct, gc=False):
    id: str | int | None = None


_ID = msgspec.json.Decoder(_Id)


def _marks(path: Path) -> _Marks:
    """Scan a file for the starts of its documents."""
    starts, lines, ids = array("q"), array("q"), list[str | int | None]()
    place, line, documents = _mark_length(path), 1, 0
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
                starts.append(place + begin)
                lines.append(line + place_in)
                ids.append(_id_of(block[begin : begin + int(lengths[place_in])]))
            documents += len(full)
            place, line = place + len(block), line + len(ends)
    starts.append(place)
    return _Marks(starts, lines, ids, documents)


def _mark_length(path: Path) -> int:
    with open_binary(path) as stream:
        return len(BOM) if stream.read(len(BOM)) == BOM else 0


def _id_of(line: bytes) -> str | int | None:
    try:
        return _ID.decode(line).id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
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
        _skip(stream, start)
    with closing:
        content = stream.read() if stop is None else stream.read(stop - start)
        if stop is not None and len(content) == stop - start:
            _LEFT_OPEN[os.fspath(path)] = (state, stop, closing.pop_all(), stream)
        return content


def _skip(stream: IO[bytes], size: int) -> None:
    while size > 0 and (piece := stream.read(min(size, _BLOCK))):
        size -= len(piece)
