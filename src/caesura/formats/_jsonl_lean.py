# SPDX-License-Identifier: Apache-2.0
"""A fast reader of JSONL files with ids, lengths and boundaries, and optionally texts, speakers and scores.

Blocks of whole lines are read in one pass over their bytes if `caesura.kernels.plain_lines` supports their spelling, and
otherwise decoded at once into lean structs and flattened into arrays. Blocks with texts, speakers or scores are kept, since
they take less memory and time than their decoded content; a document is decoded from its line on access. Anything else
(another key, a fault) is left to the line-by-line reader, which also reports faults.
"""

from __future__ import annotations

import bisect
import itertools
from array import array
from collections.abc import Iterator, Sequence
from typing import IO

import msgspec
import numpy as np

from caesura.batches.flat import Ints, starts_of
from caesura.corpus import Packed
from caesura.formats._files import BOM
from caesura.kernels import plain_lines
from caesura.limits import LINE
from caesura.segmentation import UNSPECIFIED_UNIT

BLOCK = 1 << 15
"""Small enough that a block's objects stay in the processor's cache and do not trigger garbage collection."""
_MANY = 10_000
"""Ids beyond this number stay packed; fewer are strings, which are faster to work with."""


class _Strings(msgspec.Struct, gc=False):
    """The strings of a document as spelt in the file; the rest of it is numbers and keys."""

    id: msgspec.Raw
    unit: msgspec.Raw = msgspec.Raw()
    units: msgspec.Raw = msgspec.Raw()
    speakers: msgspec.Raw = msgspec.Raw()


_STRINGS = msgspec.json.Decoder(_Strings)
_COLON, _LINE_END, _BRACE = b":\n{"


class NotLean(Exception):
    """Raised when a block holds something that the lean reader does not support."""


class LeanDocuments:
    """The ids and flat arrays of the documents read so far."""

    def __init__(self) -> None:
        self.units: set[str] = set()
        self._plain = plain_lines.COMPILED
        self._space = tuple(np.empty(0, dtype=np.int64) for _ in range(5))
        # Many small arrays would fragment the memory.
        self._ids = bytearray()  # in UTF-8, one after the other
        self._id_sizes, self._n_units, self._sizes, self._pos = (array("q") for _ in range(4))
        self._is_rich = False  # whether a document has texts, speakers or scores: from there on, blocks are kept
        self._kept: list[tuple[int, bytes]] = []

    def add(self, block: bytes) -> int:
        """Add the lines of a block and return its number of line ends; after `NotLean`, none is added."""
        before = len(self._n_units)
        ends = self._add_plain(block) if self._plain else None
        if ends is None:
            self._plain = self._plain and before > 0  # the lines of a file are usually alike: the first block decides
            ends = self._add_decoded(block)
        if self._is_rich:
            self._kept.append((before, block))
        return ends

    def _add_plain(self, block: bytes) -> int | None:
        """Add the lines of a block if all of them are plain, and return its number of line ends."""
        if not block.isascii():
            try:
                block.decode()
            except UnicodeDecodeError:
                return None
        room = len(block) // 2 + 1
        if len(self._space[0]) < room:
            self._space = tuple(np.empty(room, dtype=np.int64) for _ in range(5))
        room_of_ids, id_sizes, n_units, sizes, pos = self._space
        ids = room_of_ids.view(np.uint8)
        named, tally = list[bytes](), np.empty(plain_lines.TALLY, dtype=np.int64)
        number = plain_lines.scan_lines(
            block, block, plain_lines.KEYS, named, ids, id_sizes, n_units, sizes, pos, tally
        )
        if number < 0:
            return None
        self.units.update(map(bytes.decode, set(named)), [UNSPECIFIED_UNIT] if len(named) < number else [])
        id_sizes, sizes = id_sizes[:number], sizes[:number]
        self._keep(ids[: id_sizes.sum()].data, id_sizes, n_units[:number], sizes, pos[: sizes.sum()])
        self._is_rich = self._is_rich or bool(tally[0])
        return number - (not block.endswith(b"\n"))

    def _add_decoded(self, block: bytes) -> int:
        """Add the lines of a block in any spelling, and return its number of line ends."""
        try:
            documents = LEAN.decode_lines(block)
            segmented = [_segmented(one) for one in documents]
            gaps = [each for _, each in segmented]
            units = [one.unit for one in documents if one.unit is not msgspec.UNSET]
            details = [
                each for one in documents for each in (one.units, one.speakers, one.scores) if each is not msgspec.UNSET
            ]
            n_keys = 2 * len(documents) + len(units) + len(details)
            ends = _ends(block, len(documents))
            _refuse_repeated_keys(block, n_keys + sum(one.n_units is not msgspec.UNSET for one in documents))
            sizes = np.fromiter(map(len, gaps), np.int64, len(gaps))
            pos = np.fromiter(itertools.chain.from_iterable(gaps), np.int64, int(sizes.sum()))
            lengths = np.fromiter((n_units for n_units, _ in segmented), np.int64, len(segmented))
            ids = [str(one.id).encode() for one in documents]
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
            raise NotLean from None
        if "" in units:
            raise NotLean
        self.units.update(units, [UNSPECIFIED_UNIT] if len(units) < len(documents) else [])
        self._is_rich = self._is_rich or bool(details)
        self._keep(b"".join(ids), np.fromiter(map(len, ids), np.int64, len(ids)), lengths, sizes, pos)
        return ends

    def _keep(self, ids: bytes | memoryview, id_sizes: Ints, n_units: Ints, sizes: Ints, pos: Ints) -> None:
        self._ids += ids
        arrays = self._id_sizes, self._n_units, self._sizes, self._pos
        for kept, more in zip(arrays, (id_sizes, n_units, sizes, pos), strict=True):
            kept.frombytes(more.view(np.uint8).data)

    def ids(self) -> Sequence[str]:
        """Return the ids of all documents."""
        ids = Packed(self._ids, starts_of(np.frombuffer(self._id_sizes, np.int64)))
        return ids if len(ids) > _MANY else list(ids)

    def details(self) -> LineDetails | None:
        """Return the texts, speakers and scores of the documents, if one of them has any."""
        return LineDetails(self._kept) if self._kept else None

    def arrays(self) -> tuple[Ints, Ints, Ints]:
        """Return the segmentations of all documents, as `Flat` takes them."""
        ptr = starts_of(np.frombuffer(self._sizes, np.int64))
        # They are not shared, so no copy is needed.
        ptr.setflags(write=False)
        n_units, pos = (np.frombuffer(memoryview(each).toreadonly(), np.int64) for each in (self._n_units, self._pos))
        return n_units, ptr, pos


def _segmented(document: _Lean) -> tuple[int, list[int]]:
    """Return length and boundaries of a document with either boundaries or masses; its details must agree with them."""
    n_units, gaps = document.n_units, document.boundaries
    if n_units is msgspec.UNSET and document.units is not msgspec.UNSET:
        n_units = len(document.units)
    if document.masses is not msgspec.UNSET:
        ends = list(itertools.accumulate(document.masses))
        if gaps is not msgspec.UNSET or not ends or n_units not in (msgspec.UNSET, ends[-1]):
            raise NotLean
        n_units, gaps = ends.pop(), ends
    if gaps is msgspec.UNSET or n_units is msgspec.UNSET:
        raise NotLean
    for each, wanted in ((document.units, n_units), (document.speakers, n_units), (document.scores, n_units - 1)):
        if each is not msgspec.UNSET and len(each) != wanted:
            raise NotLean
    return n_units, gaps


def _refuse_repeated_keys(block: bytes, n_keys: int) -> None:
    """Raise `NotLean` if a document repeats a key: each is followed by a colon, and other colons are inside strings."""
    colons = np.count_nonzero(np.frombuffer(block, np.uint8) == _COLON)
    if colons != n_keys:
        spelt = _STRINGS.decode_lines(block)  # as a colon may be escaped
        inside = sum(bytes(text).count(b":") for one in spelt for text in (one.id, one.unit, one.units, one.speakers))
        if colons != n_keys + inside:
            raise NotLean


def _ends(block: bytes, documents: int) -> int:
    """Return the number of line ends of a block, after checking that it has one document per line.

    There must be as many lines as documents, each beginning with ``{`` (a lean document contains no other object).
    Blocks with blank or indented lines are checked line by line.
    """
    signs = np.frombuffer(block, np.uint8)
    places = np.flatnonzero(signs == _LINE_END)
    ends = len(places)
    lines = ends + (not block.endswith(b"\n"))
    begun = int(np.count_nonzero(signs[places[: lines - 1] + 1] == _BRACE)) + block.startswith(b"{")
    if not documents == lines == begun:
        for line in block.split(b"\n"):
            if line.strip() and len(LEAN.decode_lines(line)) != 1:
                raise NotLean
    return ends


def blocks(stream: IO[bytes], size: int = BLOCK) -> Iterator[bytes]:
    """Yield the blocks of whole lines of a stream, without a byte order mark; raise if a line exceeds the limit."""
    rest: list[bytes] = []
    held = 0
    first = True
    most = LINE.value
    while piece := stream.read(size):
        if first:
            piece, first = piece.removeprefix(BOM), False
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join((*rest, piece[:end]))
            rest, held = [], 0
        rest.append(piece[end:])
        held += len(piece) - end
        if held > most:
            raise NotLean
    last = b"".join(rest)
    if last.strip():
        yield last


class _Lean(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A document with a segmentation, and optionally texts, speakers and scores."""

    id: str | int
    n_units: int | msgspec.UnsetType = msgspec.UNSET
    boundaries: list[int] | msgspec.UnsetType = msgspec.UNSET
    masses: list[int] | msgspec.UnsetType = msgspec.UNSET
    unit: str | msgspec.UnsetType = msgspec.UNSET
    units: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    speakers: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    scores: tuple[float, ...] | msgspec.UnsetType = msgspec.UNSET


LEAN = msgspec.json.Decoder(_Lean)


class LineDetails:
    """Texts, speakers and scores of documents, each read from its line on access."""

    def __init__(self, blocks: list[tuple[int, bytes]]) -> None:
        self._starts, self._blocks = [row for row, _ in blocks], [block for _, block in blocks]
        self._split: tuple[int, list[bytes]] = -1, []

    def __call__(self, row: int) -> dict[str, object]:
        """Return the texts, speakers and scores of the document at a row."""
        lean = LEAN.decode(self._line(row))
        given = {"units": lean.units, "speakers": lean.speakers, "scores": lean.scores}
        return {key: value for key, value in given.items() if value is not msgspec.UNSET}

    def _line(self, row: int) -> bytes:
        """Return the line of a document; a line without details if it precedes the first kept block."""
        place = bisect.bisect_right(self._starts, row) - 1
        if place < 0:
            return b'{"id": 0}'
        if self._split[0] != place:
            # Documents are mostly accessed in order.
            self._split = place, [line for line in self._blocks[place].split(b"\n") if line.strip()]
        return self._split[1][row - self._starts[place]]
