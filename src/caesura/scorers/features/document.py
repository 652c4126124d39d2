# SPDX-License-Identifier: Apache-2.0
"""The features of a document that scorers and segmenters read, each computed on first use."""

from __future__ import annotations

import numpy as np

from caesura.corpus import Document
from caesura.encoders.base import Vectors, unit_length
from caesura.errors import SegmentationError
from caesura.scorers.features.encoding import Encoding
from caesura.scorers.features.terms import Terms, count_terms, terms_of

__all__ = ["Features"]


class Features:
    """A document, with its terms and vectors.

    Parameters
    ----------
    document : Document
        The document; its boundaries are read by oracles only.
    encoding : Encoding, optional
        The encoder of the run; by default the included one.
    seed : int
        Random seed of the run.
    row : int
        The place of the document among the ids of its corpus; random draws depend on the seed and this place.
    vectors : array, optional
        The vector of each unit, if already computed.
    whole_text : bool
        Whether a chunker reads the text of the document as it is, with its own settings; otherwise it reads the units, one
        per line, and is set to keep them whole.

    Examples
    --------
    >>> features = Features(Document(id="d", n_units=2, units=("Two cats.", "A cat sleeps.")))
    >>> features.terms().vocabulary
    ('cat', 'sleep')
    """

    def __init__(
        self,
        document: Document,
        encoding: Encoding | None = None,
        *,
        seed: int = 0,
        row: int = 0,
        vectors: Vectors | None = None,
        whole_text: bool = False,
    ) -> None:
        self.document = document
        self.encoding = encoding or Encoding()
        self.seed, self.row = seed, row
        self._terms: dict[tuple[str, bool], Terms] = {}
        self._vectors = vectors
        self.whole_text = whole_text

    @property
    def n_units(self) -> int:
        """The number of units."""
        return self.document.n_units

    @property
    def units(self) -> tuple[str, ...]:
        """The text of each unit; raises if the document has none."""
        if self.document.units is None:
            raise SegmentationError(
                f"document {self.document.id!r} has no text to segment; add 'units', the text of each unit"
            )
        return self.document.units

    @property
    def n_reference(self) -> int:
        """The number of segments of the document's own boundaries, for oracles."""
        if self.document.segmentation is None:
            raise SegmentationError(
                f"document {self.document.id!r} has no boundaries, whose number an oracle reads; "
                "add them, or give n_segments a number"
            )
        return self.document.segmentation.n_segments

    def part(self, start: int, stop: int) -> Features:
        """Return the features of some consecutive units, independent of the others."""
        document = self.document
        known = Document(
            id=document.id, n_units=stop - start, unit=document.unit,
            units=document.units and document.units[start:stop],
            speakers=document.speakers and document.speakers[start:stop],
            unit_times=document.unit_times and document.unit_times[start:stop],
        )  # fmt: skip
        vectors = None if self._vectors is None else self._vectors[start:stop]
        return Features(known, self.encoding, seed=self.seed, row=self.row, vectors=vectors)

    def rng(self) -> np.random.Generator:
        """Return a generator that depends on the seed and the place of the document among the ids of its corpus."""
        return np.random.default_rng([self.seed, self.row])

    def terms(self, stop_words: str = "english", stemmed: bool = True) -> Terms:
        """Return the counts of terms in each unit."""
        key = (stop_words, stemmed)
        if key not in self._terms:
            self._terms[key] = count_terms([terms_of(text, stop_words, stemmed) for text in self.units])
        return self._terms[key]

    @property
    def vectors(self) -> Vectors:
        """The vector of each unit, scaled to length 1; a zero vector stays zero."""
        if self._vectors is None:
            self._vectors = unit_length(self.encoding.vectors(self.document))
        return self._vectors
