# SPDX-License-Identifier: Apache-2.0
"""Degrade a whole corpus, and report what could not be done."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from caesura.batches.embedded import Vectors
from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError, DeclarationError, and_more
from caesura.evaluation.degrade._base import DEGRADATIONS, Degradation, Degraded, document_rng
from caesura.evaluation.inputs import CorpusLike, read_source
from caesura.segmentation import Segmentation

if TYPE_CHECKING:
    from caesura.encoders import Encoder, Precomputed

__all__ = ["DegradedCorpus", "degrade"]


@dataclasses.dataclass(frozen=True)
class DegradedCorpus:
    """A degraded corpus, and how many of the requested changes could be made in all documents.

    ``skipped`` maps the reasons why changes were not made to their numbers, ``incomplete`` has the ids of the documents
    concerned.
    """

    corpus: Corpus
    requested: int
    done: int
    skipped: Mapping[str, int]
    incomplete: tuple[str, ...]

    def __str__(self) -> str:
        many = "1 document" if len(self.corpus) == 1 else f"{len(self.corpus)} documents"
        done = f"{self.done} of {self.requested} changes made in {many}"
        if not self.skipped:
            return done
        reasons = ", ".join(f"{reason} ({number})" for reason, number in self.skipped.items())
        return f"{done}; {len(self.incomplete)} incomplete: {reasons}"


def degrade(
    documents: CorpusLike,
    degradations: str | Degradation | Iterable[str | Degradation],
    *,
    encoder: str | Encoder | Precomputed = "default",
    seed: int = 0,
    draw: int = 0,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
) -> DegradedCorpus:
    """Damage the boundaries of every document in a known way.

    Parameters
    ----------
    documents : path, Corpus, or mapping of document id to Segmentation
        Documents with boundaries.
    degradations : str, Degradation, or several
        Such as ``"Removal(share=0.3)"``; several are applied in turn.
    encoder : str, Encoder or Precomputed
        The source of vectors for degradations that read them (``Odd``); others need no texts.
    seed : int
        Random seed; the draws of a document depend only on it, the document's id and the degradation.
    draw : int
        Which of several independent draws.
    format : str, optional
        The format of the file; detected if not given.
    columns : str, optional
        What columns and keys are for (`caesura.load`).
    marks : str, optional
        What labels of 0 and 1, bits or spans mark, such as ``"first"`` (`caesura.load`).
    strict : bool
        Refuse unknown keys in the file.

    Returns
    -------
    DegradedCorpus
        The documents with their texts, speakers and times. Annotations, scores, hierarchy and titles belong to the original
        boundaries and are left out.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> str(degrade({"d": Segmentation(9, (2, 5))}, "Removal(count=3)"))
    '2 of 3 changes made in 1 document; 1 incomplete: no boundary left (1)'
    """
    from caesura.encoders import embed, source

    given = [degradations] if isinstance(degradations, (str, Degradation)) else list(degradations)
    if not given:
        raise DeclarationError(f"no degradation given; choose from {', '.join(DEGRADATIONS.names())}")
    steps = [DEGRADATIONS.parse(each) if isinstance(each, str) else each for each in given]
    corpus = read_source(documents, "documents", format=format, columns=columns, marks=marks, strict=strict).corpus
    absent = [document.id for document in corpus if document.segmentation is None]
    if absent:
        raise ComparabilityError(
            f"document {absent[0]!r}{and_more(len(absent))} has no boundaries to degrade; "
            "give 'boundaries', 'masses' or 'labels'"
        )
    vectors = embed(corpus, source(encoder)) if any(step.reads for step in steps) else {}
    requested = done = 0
    skipped: Counter[str] = Counter()
    incomplete: dict[str, None] = {}
    degraded: list[Document] = []
    for row, document in enumerate(corpus):
        segmentation = corpus.segmentation(row)
        for outcome in _applied(document.id, segmentation, vectors.get(document.id), steps, seed, draw):
            segmentation = outcome.segmentation
            requested, done = requested + outcome.requested, done + outcome.done
            skipped.update(outcome.skipped)
            if outcome.skipped:
                incomplete[document.id] = None
        degraded.append(_with_boundaries(document, segmentation, steps))
    name = f"{corpus.name} [{', '.join(map(str, steps))}]".strip()
    result = Corpus(degraded, name=name, ids_are_given=corpus.ids_are_given)
    return DegradedCorpus(result, requested, done, dict(skipped), tuple(incomplete))


def _applied(
    key: str, segmentation: Segmentation, vectors: Vectors | None, steps: Sequence[Degradation], seed: int, draw: int
) -> Iterator[Degraded]:
    """Apply degradations in turn, and yield what each did."""
    for place, degradation in enumerate(steps):
        # The place keeps two equal degradations of one document apart.
        level = f"{place}:{degradation}" if place else str(degradation)
        try:
            degraded = degradation.apply_to(segmentation, document_rng(seed, key, level, draw), vectors)
        except CaesuraError as error:
            raise type(error)(f"document {key!r}: {error}") from None
        segmentation = degraded.segmentation
        yield degraded


def _with_boundaries(document: Document, segmentation: Segmentation, steps: Sequence[Degradation]) -> Document:
    """Replace the boundaries, and drop everything that belonged to the old ones but who made them."""
    extra = {key: value for key, value in document.extra.items() if key != "segment_titles"}
    extra |= document.made_further(degradations=list(map(str, steps)))
    return dataclasses.replace(
        document, segmentation=segmentation, annotations={}, scores=None, hierarchy=(), extra=extra
    )
