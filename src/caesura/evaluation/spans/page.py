# SPDX-License-Identifier: Apache-2.0
"""One document as spans and chunks see it: a scale on which white space takes no room, with its tokens and units."""

from __future__ import annotations

import itertools
import re

import numpy as np
import numpy.typing as npt

from caesura.chunks import Alignment
from caesura.corpus import Document
from caesura.errors import ComparabilityError
from caesura.texts import has_chunks, locate, text_of

__all__ = ["Page"]

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
