# SPDX-License-Identifier: Apache-2.0
"""The quick way through a JSONL file that holds ids, lengths and boundaries only: no object per document.

Blocks that end at a line end are decoded at once into lean structs and flattened into arrays. Whatever does not fit
(another key, a fault) is left to the line by line reader, which also finds the words for a fault.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import IO, cast

import msgspec
import numpy as np

from caesura.corpus import Flat, Ints
from caesura.formats._files import BOM
from caesura.segmentation import UNSPECIFIED_UNIT

__all__ = ["MAX_LINE", "LeanDocuments", "NotLean", "blocks"]

BLOCK = 1 << 15
"""Small enough that a block's objects stay in the cache and do not set off the garbage collector."""

MAX_LINE = 1 << 28
"""A line beyond this many bytes is no document; a compressed file could otherwise fill the memory."""


class _Lean(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    id: str | int
    n_units: int = 0
    boundaries: list[int] | None = None
    masses: list[int] | None = None
    unit: str = UNSPECIFIED_UNIT


_DECODER = msgspec.json.Decoder(_Lean)
_ABSENT = 0


class NotLean(Exception):
    """A block holds something that the lean reader does not read."""


class LeanDocuments:
    """The documents read so far, as ids and flat arrays."""

    def __init__(self) -> None:
        self._ids: list[str | int] = []
        self.units: set[str] = set()
        self._n_units: list[Ints] = []
        self._sizes: list[Ints] = []
        self._pos: list[Ints] = []

    def add(self, block: bytes) -> int:
        """Take in the lines of a block, all of them or, with `NotLean`, none; return how many line ends it has."""
        try:
            documents = _DECODER.decode_lines(block)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise NotLean from None
        # Several documents on a line, or one over several lines, is JSON but not JSONL.
        ends = block.count(b"\n")
        if len(documents) != ends + (not block.endswith(b"\n")) and len(documents) != _filled(block):
            raise NotLean
        n_units = [document.n_units for document in documents]
        gaps = [document.boundaries for document in documents]
        if None in gaps or [document.masses for document in documents].count(None) != len(documents):
            n_units, gaps = _from_masses(documents)
        try:
            sizes = np.fromiter(map(len, gaps), np.int64, len(gaps))  # type: ignore[arg-type]
            flat = itertools.chain.from_iterable(gaps)  # type: ignore[arg-type]
            pos = np.fromiter(flat, np.int64, int(sizes.sum()))
            self._n_units.append(np.fromiter(n_units, np.int64, len(n_units)))
        except OverflowError:
            raise NotLean from None
        self._sizes.append(sizes)
        self._pos.append(pos)
        self._ids.extend([document.id for document in documents])
        self.units.update({document.unit for document in documents})
        return ends

    def ids(self) -> list[str]:
        """Return the ids of all documents, as texts."""
        if int in set(map(type, self._ids)):
            return [str(key) for key in self._ids]
        return cast(list[str], self._ids)

    def flat(self) -> Flat:
        """Return the segmentations of all documents."""
        sizes = np.concatenate(self._sizes)
        ptr = np.zeros(len(sizes) + 1, dtype=np.int64)
        np.cumsum(sizes, out=ptr[1:])
        return Flat(np.concatenate(self._n_units), ptr, np.concatenate(self._pos))


def _from_masses(documents: list[_Lean]) -> tuple[list[int], list[list[int] | None]]:
    """Return lengths and boundaries where some documents give masses."""
    n_units: list[int] = []
    gaps: list[list[int] | None] = []
    for document in documents:
        if document.masses is None:
            if document.boundaries is None:
                raise NotLean
            n_units.append(document.n_units)
            gaps.append(document.boundaries)
            continue
        ends = list(itertools.accumulate(document.masses))
        if document.boundaries is not None or not ends or document.n_units not in (_ABSENT, ends[-1]):
            raise NotLean
        n_units.append(ends.pop())
        gaps.append(ends)
    return n_units, gaps


def _filled(block: bytes) -> int:
    return sum(1 for line in block.split(b"\n") if line.strip())


def blocks(stream: IO[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Cut a stream into blocks that end at a line end, without a byte order mark.

    Raises
    ------
    NotLean
        If a line is longer than `MAX_LINE`.
    """
    rest: list[bytes] = []
    held = 0
    first = True
    while piece := stream.read(size):
        if first:
            piece, first = piece.removeprefix(BOM), False
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join((*rest, piece[:end]))
            rest, held = [], 0
        rest.append(piece[end:])
        held += len(piece) - end
        if held > MAX_LINE:
            raise NotLean
    last = b"".join(rest)
    if last.strip():
        yield last
