# SPDX-License-Identifier: Apache-2.0
"""One document on a scale without white space, where spans, chunks, tokens and units can be compared."""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.corpus import Document, no_boundaries
from caesura.errors import ComparabilityError
from caesura.units.align import Alignment
from caesura.units.text import chunks_of, locate, text_of

__all__ = ["Chunked", "Cover", "Page", "chance_of_missing"]

Ints = npt.NDArray[np.int64]
_IS_SPACE = np.array([chr(code).isspace() for code in range(0x3002)])  # U+3000 is the last


class Page:
    """The scale of a document: characters other than white space, or units if there are no texts.

    Chunkers add and strip white space at the edges of chunks; on this scale neither has an effect.

    ``tokens`` has the start of each token (a run of characters without white space) on the scale, or of each unit without
    texts, and ``words`` the same in characters of the text; ``unit_starts`` and ``unit_ends`` are the positions of the units.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text: str | None = None
        if document.units is None:
            if document.unit == "character":
                raise ComparabilityError(f"document {document.id!r} has no texts; give 'units', or read it as text")
            self._scale: Ints = np.arange(document.n_units + 1)
            self._units = self._scale[:-1], self._scale[1:]
            self.words: Ints = self._scale[:-1]
            self.tokens: Ints = self._scale[:-1]
            self.unit_starts: Ints = self._scale[:-1]
            self.unit_ends: Ints = self._scale[1:]
            return
        whole = text_of(document)
        self.text = whole.text
        codes = np.frombuffer(whole.text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        filled = ~_IS_SPACE[np.minimum(codes, len(_IS_SPACE) - 1)]
        self._scale = np.concatenate(([0], np.cumsum(filled)))
        before = np.concatenate(([False], filled[:-1]))
        self.words = np.flatnonzero(filled & ~before)
        self.tokens = self._scale[self.words]
        self._units = np.array(whole.starts, dtype=np.int64), np.array(whole.ends, dtype=np.int64)
        self.unit_starts, self.unit_ends = (self._scale[edges] for edges in self._units)

    @property
    def length(self) -> int:
        """Length of the scale."""
        return int(self._scale[-1])

    def at(self, start: int, end: int) -> tuple[int, int]:
        """Map a range of characters, or of units if there is no text, to the scale."""
        return int(self._scale[start]), int(self._scale[end])

    def on_scale(self, edges: Ints) -> Ints:
        """Map many edges at a time to the scale."""
        return self._scale[edges]

    def in_text(self, start: int, end: int) -> tuple[int, int]:
        """Map a range of the scale to characters of the text, without white space at its ends, or to units."""
        if self.text is None:
            return start, end
        return int(self._places[start]), int(self._places[end - 1]) + 1

    @functools.cached_property
    def bare(self) -> str:
        """The text without white space: a position in it is one on the scale."""
        return "".join((self.text or "").split())

    @functools.cached_property
    def _places(self) -> Ints:
        return np.flatnonzero(np.diff(self._scale))

    def units_at(self, start: int, end: int) -> tuple[int, int]:
        """Map a half-open range of units to the scale."""
        return int(self.unit_starts[start]), int(self.unit_ends[end - 1])

    # Lists and bisect: for one range at a time several times as fast as arrays, and a question asks for a dozen.
    @functools.cached_property
    def _lists(self) -> tuple[list[int], list[int], list[int]]:
        return self.tokens.tolist(), self.unit_starts.tolist(), self.unit_ends.tolist()

    def tokens_in(self, start: int, end: int) -> int:
        """Count the tokens that begin in a range of the scale."""
        tokens = self._lists[0]
        return bisect.bisect_left(tokens, end) - bisect.bisect_left(tokens, start)

    def units_in(self, start: int, end: int) -> int:
        """Count the units with a part in a range of the scale."""
        _, starts, ends = self._lists
        return bisect.bisect_left(starts, end) - bisect.bisect_right(ends, start)

    def chunks(self, document: Document, system: str) -> tuple[list[tuple[int, int]], Alignment | None]:
        """Return the chunks of a system in characters of the text (units without texts), and their alignment if they need not tile it."""
        name = f"document {self.document.id!r} of {system!r}"
        if chunks_of(document):
            if self.text is None:
                raise ComparabilityError(f"{name}: chunks of characters need the texts of the documents; give 'units'")
            try:
                alignment = locate(document, self.text)
            except ComparabilityError as error:
                raise ComparabilityError(f"{name}: {error}") from None
            return [(start, end) for start, end in alignment.spans], alignment
        if document.segmentation is None:
            raise no_boundaries([document], repr(system), "give 'boundaries', 'masses', 'labels' or 'chunks'")
        if document.unit == "ms":
            raise ComparabilityError(
                f"{name} is in 'ms'; project it onto units first (caesura convert --project units)"
            )
        if document.unit == "character" and self.text is not None:
            self._check(name, document.n_units, len(self.text), "characters", document.open_ended)
            edges = (0, *document.segmentation.boundaries, len(self.text))
            return list(itertools.pairwise(edges)), None
        self._check(name, document.n_units, self.document.n_units, "units", False)
        starts, ends = self._units
        return [(int(starts[a]), int(ends[b - 1])) for a, b in document.segmentation.spans], None

    @staticmethod
    def _check(name: str, has: int, wanted: int, what: str, open_ended: bool) -> None:
        if has != wanted and not (open_ended and has < wanted):
            raise ComparabilityError(f"{name} has {has} {what}, the document {wanted}; both must be of the same text")


class Cover(NamedTuple):
    """The chunks that a reader needs to get a span.

    ``chunks`` is the minimum number that contains every part of the span that any chunk contains, ``lost`` is the length of the span
    that lies in no chunk. ``ends`` are the start of the first and the end of the last of so many chunks, for every set that may have
    the least padding: which one has depends on whether tokens, characters or units are counted.
    """

    chunks: int
    ends: tuple[tuple[int, int], ...]
    lost: int


class Chunked:
    """The chunks of a document, which may overlap and leave gaps, on a scale without white space.

    It is created from the start and end of each chunk; empty ones are ignored.

    >>> Chunked([(0, 5), (4, 9), (9, 12)]).cover(3, 8)
    Cover(chunks=2, ends=((0, 9),), lost=0)
    """

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        self._chunks = sorted((start, end) for start, end in spans if start < end)
        self.starts: Ints = np.array([start for start, _ in self._chunks], dtype=np.int64)
        self.ends: Ints = np.array([end for _, end in self._chunks], dtype=np.int64)
        self._reach = list(itertools.accumulate((end for _, end in self._chunks), max))

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def overlap(self) -> bool:
        """Whether any chunk begins before an earlier one ends."""
        return any(start < reach for (start, _), reach in zip(self._chunks[1:], self._reach, strict=False))

    def cover(self, start: int, end: int) -> Cover:
        """Return the minimum cover of the span ``[start, end)``."""
        low, high = bisect.bisect_right(self._reach, start), bisect.bisect_left(self._chunks, (end, 0))
        near = [(a, b) for a, b in self._chunks[low:high] if b > start]
        if not near:
            return Cover(0, ((start, end),), end - start)
        whole = tuple((a, b) for a, b in near if a <= start and b >= end)
        if whole:
            return Cover(1, whole, 0)
        # The first chunk must hold the first point of the span that any chunk holds; which one is the only choice. From
        # there on the furthest-reaching chunk is never worse, and the last may be the shortest that reaches the end.
        point = max(start, near[0][0])
        firsts = [chunk for chunk in near if chunk[0] <= point]
        ways = [_onwards(first, near, end) for first in firsts]
        fewest = min(number for number, _, _ in ways)
        ends = tuple((first, last) for number, first, last in ways if number == fewest)
        return Cover(fewest, ends, _lost(near, start, end))


def _onwards(first: tuple[int, int], chunks: Sequence[tuple[int, int]], end: int) -> tuple[int, int, int]:
    """Return the number of chunks from a first one to the end of a span, their start and their end."""
    number, reach, before = 1, first[1], first[1]
    place = 0
    furthest = 0
    while reach < end:
        while place < len(chunks) and chunks[place][0] <= reach:
            furthest = max(furthest, chunks[place][1])
            place += 1
        if furthest <= reach:
            if place == len(chunks):
                return number, first[0], reach  # no chunk holds the rest of the span
            reach = chunks[place][0]  # across a gap
            continue
        number, before, reach = number + 1, reach, furthest
    last = reach if number == 1 else min(b for a, b in chunks if a <= before and b >= end)
    return number, first[0], last


def _lost(chunks: Sequence[tuple[int, int]], start: int, end: int) -> int:
    lost, reach = 0, start
    for a, b in chunks:
        lost += max(0, min(a, end) - reach)
        reach = max(reach, b)
    return lost + max(0, end - reach)


def chance_of_missing(gaps: int, boundaries: int, inside: int) -> float:
    r"""Return the probability that no boundary falls inside a span if all sets of places are equally likely.

    ``gaps`` is the number of places where boundaries may lie, ``inside`` how many of them lie inside the span.

    Notes
    -----
    The share of all ways to choose K of G gaps that avoid u of them:

    .. math:: \binom{G - u}{K} \Big/ \binom{G}{K}

    Examples
    --------
    >>> round(chance_of_missing(4, 2, 1), 6)  # 3 of the 6 pairs of four gaps avoid a given one
    0.5
    """
    boundaries, inside = min(boundaries, gaps), min(inside, gaps)
    if gaps - inside < boundaries:
        return 0.0
    logarithm = (
        math.lgamma(gaps - inside + 1)
        - math.lgamma(gaps - inside - boundaries + 1)
        - math.lgamma(gaps + 1)
        + math.lgamma(gaps - boundaries + 1)
    )
    return min(1.0, math.exp(logarithm))
