# SPDX-License-Identifier: Apache-2.0
"""What every segmenter is: declared by name, a document in, boundaries out."""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar, overload

import numpy as np

from caesura.corpus import READ_AS, Corpus, Document, drawing_places
from caesura.declare import Declared, Registry, param
from caesura.errors import shareable
from caesura.scorers import Encoding, Features, Floats
from caesura.segmentation import Segmentation
from caesura.units.projection import Projection

__all__ = ["SEGMENTERS", "Cut", "Segmenter", "SizedSegmenter", "as_document", "package_of"]


@dataclasses.dataclass(frozen=True)
class Cut:
    """What a segmenter made of one document.

    Attributes
    ----------
    segmentation : Segmentation
        Its boundaries.
    scores : array or None
        One score per gap, higher where a boundary is more likely; None if the segmenter ranks no gaps.
    hierarchy : tuple of Segmentation
        Segmentations from coarse to fine, if it makes several.
    projection : Projection or None
        For a chunker, how its chunks lie in the text it read, and how far their starts moved to the nearest gap.
    chunks : mapping
        For a chunker, the chunks that it made, as a document keeps them (`has_chunks`).
    readings : mapping of str to Segmentation
        What it may stand for, if that depends on the other documents (`Segmenter.reading`); ``segmentation`` is the first.
    """

    segmentation: Segmentation
    scores: Floats | None = None
    hierarchy: tuple[Segmentation, ...] = ()
    projection: Projection | None = None
    chunks: Mapping[str, object] = dataclasses.field(default_factory=dict)
    readings: Mapping[str, Segmentation] = dataclasses.field(default_factory=dict)

    @classmethod
    def at(cls, features: Features, boundaries: Iterable[int], scores: Floats | None = None) -> Cut:
        """Return a cut of a document at some gaps, in any order."""
        document = features.document
        return cls(Segmentation(document.n_units, sorted(boundaries), unit=document.unit), scores)

    @classmethod
    def of(cls, document: Document) -> Cut:
        """Return the boundaries, scores and hierarchy of a document that was segmented with all others."""
        scores = None if document.scores is None else np.array(document.scores, dtype=np.float64)
        segmentation = document.segmentation or Segmentation(document.n_units, unit=document.unit)
        return cls(segmentation, scores, document.hierarchy)


@dataclasses.dataclass(frozen=True)
class Segmenter(Declared):
    """Base of all segmenters; a subclass is a frozen dataclass whose fields are its parameters.

    Attributes
    ----------
    needs_vectors : bool
        Whether it reads the vectors of the units, so that a run encodes its documents in advance.
    encodes : bool
        Whether it encodes texts of its own making, such as windows.
    at_once : bool
        Whether it segments a corpus at once (`segment_corpus`), not document by document.
    """

    needs_vectors: ClassVar[bool] = False
    encodes: ClassVar[bool] = False
    at_once: ClassVar[bool] = False

    @property
    def oracle(self) -> bool:
        """Whether it reads the number of boundaries from the documents, which no system in use can."""
        return False

    @property
    def label(self) -> str:
        """The name in tables and files: the text that makes it, without anything private, and whether it is an oracle."""
        text = shareable(str(self))
        return f"{text} (oracle)" if self.oracle and "oracle" not in text else text

    def versions(self) -> Mapping[str, str]:
        """Return the versions of other programs that make the boundaries, by name: here of the package that declares it."""
        return package_of(type(self).__module__)

    def cut(self, features: Features) -> Cut:
        """Segment one document; every segmenter has its own."""
        raise NotImplementedError  # pragma: no cover - every segmenter has its own

    @overload
    def segment(self, source: Document, seed: int = 0, *, encoding: Encoding | None = None) -> Segmentation: ...
    @overload
    def segment(self, source: Corpus, seed: int = 0, *, encoding: Encoding | None = None) -> Corpus: ...
    def segment(
        self, source: Document | Corpus, seed: int = 0, *, encoding: Encoding | None = None
    ) -> Segmentation | Corpus:
        """Segment a document or a corpus.

        Parameters
        ----------
        source : Document or Corpus
            What to segment.
        seed : int
            Random seed, for segmenters that draw.
        encoding : Encoding, optional
            The encoder, for segmenters that read vectors; by default the included one.

        Returns
        -------
        Segmentation or Corpus
            The boundaries of the document, or the documents of the corpus with boundaries and scores.
        """
        if isinstance(source, Document):
            cut = self.cut(Features(source, encoding, seed=seed))
            return cut.readings.get(self.reading([(source.id, cut.readings)]), cut.segmentation)
        return self.segment_corpus(source, seed, encoding or Encoding())

    def segment_corpus(self, corpus: Corpus, seed: int, encoding: Encoding) -> Corpus:
        """Return the documents of a corpus with the boundaries and scores of this segmenter."""
        if self.needs_vectors and not encoding.prepared_for(corpus):
            encoding.prepare(corpus)
        places = drawing_places(corpus.ids).tolist()
        cuts = [
            self.cut(Features(each, encoding, seed=seed, row=row)) for row, each in zip(places, corpus, strict=True)
        ]
        kind = self.reading([(key, cut.readings) for key, cut in zip(corpus.ids, cuts, strict=True)])
        cuts = [dataclasses.replace(cut, segmentation=cut.readings.get(kind, cut.segmentation)) for cut in cuts]
        documents = [as_document(cut, document) for cut, document in zip(cuts, corpus, strict=True)]
        return Corpus(documents, name=self.label, ids_are_given=corpus.ids_are_given)

    def reading(self, found: Sequence[tuple[str, Mapping[str, Segmentation]]]) -> str:
        """Return which reading of its outputs, given by document id, holds for all of them; "" if they have one meaning."""
        return ""

    def cut_corpus(self, corpus: Corpus, seed: int, encoding: Encoding) -> list[Cut]:
        """Segment the documents of a corpus at once; only for those that do so (`at_once`)."""
        return [Cut.of(document) for document in self.segment_corpus(corpus, seed, encoding)]


@functools.cache
def package_of(module: str) -> Mapping[str, str]:
    """Return the version of the installed package that a module belongs to, by name; nothing if it is Caesura's."""
    top = module.partition(".")[0]
    names = () if top == "caesura" else importlib.metadata.packages_distributions().get(top, ())
    return MappingProxyType({name: importlib.metadata.version(name) for name in names})


def as_document(cut: Cut, document: Document) -> Document:
    """Return a document with other boundaries, and the chunks of a chunker; what belongs to its own boundaries is left out."""
    kept = {key: document.extra[key] for key in ("text", "structure", READ_AS) if key in document.extra}
    return dataclasses.replace(
        document,
        segmentation=cut.segmentation,
        scores=None if cut.scores is None else tuple(cut.scores.tolist()),
        hierarchy=cut.hierarchy,
        annotations={},
        open_ended=False,
        extra={**kept, **cut.chunks},
    )


def _n_segments_fault(value: object) -> str | None:
    if value in ("auto", "oracle") or (isinstance(value, int) and value >= 1):
        return None
    return "must be a number of at least 1, 'auto' (the segmenter decides), or 'oracle' (as many as the document has)"


@dataclasses.dataclass(frozen=True)
class SizedSegmenter(Segmenter):
    """A segmenter whose number of segments can be given; by default it decides itself.

    Attributes
    ----------
    finds_topics : bool
        Whether it finds topics of six short units that share no word, given their number; a contract test holds it to that.
    """

    finds_topics: ClassVar[bool] = True
    n_segments: int | str = param(
        "auto",
        "segments of each document, at most one per unit; 'auto': the segmenter decides; 'oracle': as many as the document "
        "has",
        check=_n_segments_fault,
    )
    per_100: float | None = param(None, "boundaries per 100 units, instead of n_segments", minimum=0, maximum=100)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.per_100 is not None and self.n_segments != "auto":
            raise self.error(f"{type(self).__name__}: give n_segments or per_100, not both")

    @property
    def oracle(self) -> bool:
        """Whether the number of segments is read from the document."""
        return self.n_segments == "oracle"

    def wanted(self, features: Features) -> int | None:
        """Return the number of segments that was requested for a document, or None if the segmenter decides."""
        if self.per_100 is not None:
            return min(round(self.per_100 * features.n_units / 100) + 1, features.n_units)
        if self.n_segments == "auto":
            return None
        if self.n_segments == "oracle":
            return features.n_reference
        return min(int(self.n_segments), features.n_units)


SEGMENTERS: Registry[Segmenter] = Registry("segmenter", "caesura.segmenters")
"""Every segmenter."""
