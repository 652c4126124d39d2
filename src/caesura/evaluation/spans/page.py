# SPDX-License-Identifier: Apache-2.0
"""One document as spans and chunks see it: a scale on which white space takes no room, with its tokens and units."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.corpus import Document
from caesura.errors import ComparabilityError
from caesura.units.align import Alignment
from caesura.units.text import has_chunks, locate, text_of

__all__ = ["Chunked", "Cover", "Page", "chance_of_missing"]

Ints = npt.NDArray[np.int64]
_TOKEN = re.compile(r"\S+")


class Page:
    """A document's scale: characters that are no white space, or, where there are no texts, units.

    Chunkers put white space at the edges of chunks or take it away; on this scale neither makes a difference.

    Parameters
    ----------
    document : Document
        With texts, or without.

    Attributes
    ----------
    text : str or None
        The text.
    tokens : int64[]
        Where each token, a run of characters without white space, begins on the scale; without texts each unit.
    unit_starts, unit_ends : int64[]
        Where the units lie on the scale.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text: str | None = None
        if document.units is None:
            if document.unit == "character":
                raise ComparabilityError(
                    f"document {document.id!r} has no texts; give 'units', or read it as text"
                )
            self._scale: Ints = np.arange(document.n_units + 1)
            self.tokens: Ints = self._scale[:-1]
            self.unit_starts: Ints = self._scale[:-1]
            self.unit_ends: Ints = self._scale[1:]
            return
        whole = text_of(document)
        self.text = whole.text
        filled = np.array([not character.isspace() for character in whole.text], dtype=np.int64)
        self._scale = np.concatenate(([0], np.cumsum(filled)))
        self.tokens = self._scale[[match.start() for match in _TOKEN.finditer(whole.text)]]
        self.unit_starts = self._scale[list(whole.starts)]
        self.unit_ends = self._scale[list(whole.ends)]

    @property
    def length(self) -> int:
        """How long the scale is."""
        return int(self._scale[-1])

    def at(self, start: int, end: int) -> tuple[int, int]:
        """Return characters of the text, or units where there is none, on the scale."""
        return int(self._scale[start]), int(self._scale[end])

    def units_at(self, start: int, end: int) -> tuple[int, int]:
        """Return the units from one to before another on the scale."""
        return int(self.unit_starts[start]), int(self.unit_ends[end - 1])

    def count(self, places: Ints, start: int, end: int) -> int:
        """Return how many places lie in a stretch of the scale."""
        return int(np.searchsorted(places, end) - np.searchsorted(places, start))

    def units_in(self, start: int, end: int) -> int:
        """Return how many units have a part in a stretch of the scale."""
        return int(
            np.searchsorted(self.unit_starts, end) - np.searchsorted(self.unit_ends, start, side="right")
        )

    def chunks(self, document: Document, system: str) -> tuple[list[tuple[int, int]], Alignment | None]:
        """Return where the chunks of a system lie on the scale, and, where they need not tile the text, how they lie in it."""
        name = f"document {self.document.id!r} of {system!r}"
        if has_chunks(document):
            if self.text is None:
                raise ComparabilityError(
                    f"{name}: chunks of characters need the texts of the documents; give 'units'"
                )
            try:
                found = locate(document, self.text)
            except ComparabilityError as error:
                raise ComparabilityError(f"{name}: {error}") from None
            return [self.at(*span) for span in found.spans], found
        if document.segmentation is None:
            raise ComparabilityError(
                f"{name} has no boundaries; give 'boundaries', 'masses', 'labels' or 'chunks'"
            )
        if document.unit == "ms":
            raise ComparabilityError(
                f"{name} counts 'ms'; project it onto units first (caesura convert --project units)"
            )
        if document.unit == "character" and self.text is not None:
            self._check(name, document.n_units, len(self.text), "characters", document.open_ended)
            edges = (0, *document.segmentation.boundaries, len(self.text))
            return [self.at(a, b) for a, b in itertools.pairwise(edges)], None
        self._check(name, document.n_units, self.document.n_units, "units", False)
        return [self.units_at(a, b) for a, b in document.segmentation.spans], None

    @staticmethod
    def _check(name: str, has: int, wanted: int, what: str, open_ended: bool) -> None:
        if has != wanted and not (open_ended and has < wanted):
            raise ComparabilityError(
                f"{name} has {has} {what}, the document {wanted}; both must be of the same text"
            )


class Cover(NamedTuple):
    """What a reader must take to have a span.

    ``chunks`` are the fewest that hold all of the span that stands in any; ``start`` and ``end`` where the first of them
    begins and the last ends; ``lost`` how much of the span stands in no chunk. Of several ways with as few chunks it is the
    one with the least beside the span.
    """

    chunks: int
    start: int
    end: int
    lost: int


class Chunked:
    """The chunks of a document, which may overlap and leave holes, on a scale without white space.

    Parameters
    ----------
    spans : sequence of (int, int)
        Where they lie; empty ones are left out.

    Examples
    --------
    >>> Chunked([(0, 5), (4, 9), (9, 12)]).cover(3, 8)
    Cover(chunks=2, start=0, end=9, lost=0)
    """

    def __init__(self, spans: Sequence[tuple[int, int]]) -> None:
        kept = sorted((start, end) for start, end in spans if start < end)
        self.starts: Ints = np.array([start for start, _ in kept], dtype=np.int64)
        self.ends: Ints = np.array([end for _, end in kept], dtype=np.int64)
        self._reach: Ints = np.maximum.accumulate(self.ends) if kept else self.ends

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def overlap(self) -> bool:
        """Whether some chunk begins before an earlier one ends."""
        return bool((self.starts[1:] < self._reach[:-1]).any())

    def cover(self, start: int, end: int) -> Cover:
        """Return the fewest chunks that hold the span ``[start, end)``."""
        low = int(np.searchsorted(self._reach, start, side="right"))
        high = int(np.searchsorted(self.starts, end, side="left"))
        near = [
            (a, b)
            for a, b in zip(self.starts[low:high].tolist(), self.ends[low:high].tolist(), strict=True)
            if b > start
        ]
        if not near:
            return Cover(0, start, end, end - start)
        whole = [(b - a, a, b) for a, b in near if a <= start and b >= end]
        if whole:
            _, a, b = min(whole)
            return Cover(1, a, b, 0)
        # The first chunk holds the first point of the span that any does; which of them, is the only choice: from there
        # on the one that reaches furthest never needs more, and the last may be the shortest that reaches the end.
        point = max(start, near[0][0])
        firsts = [chunk for chunk in near if chunk[0] <= point]
        ways = [_onwards(first, near, end) for first in firsts]
        best = min(ways, key=lambda way: (way[0], max(0, start - way[1]) + max(0, way[2] - end)))
        return Cover(*best, _lost(near, start, end))


def _onwards(first: tuple[int, int], chunks: Sequence[tuple[int, int]], end: int) -> tuple[int, int, int]:
    """Return how many chunks follow from a first one to the end of a span, where they begin and where they end."""
    number, reach, before = 1, first[1], first[1]
    place = 0
    furthest = 0
    while reach < end:
        while place < len(chunks) and chunks[place][0] <= reach:
            furthest = max(furthest, chunks[place][1])
            place += 1
        if furthest <= reach:
            if place == len(chunks):
                return number, first[0], reach  # the rest of the span stands nowhere
            reach = chunks[place][0]  # over a hole
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
    r"""Return the probability that no boundary falls inside a span, when all places are equally likely.

    Parameters
    ----------
    gaps : int
        Where boundaries may lie in the document.
    boundaries : int
        How many there are.
    inside : int
        How many of the gaps lie inside the span.

    Notes
    -----
    Of all ways to choose K of G gaps those that avoid u of them:

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
