# SPDX-License-Identifier: Apache-2.0
"""A whole corpus degraded, and what could not be done."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping

from caesura.corpus import Corpus, Document
from caesura.errors import CaesuraError, ComparabilityError, DeclarationError, and_more
from caesura.experiments.degradations._base import DEGRADATIONS, Degradation, document_rng

__all__ = ["DegradedCorpus", "degrade"]


@dataclasses.dataclass(frozen=True)
class DegradedCorpus:
    """A degraded corpus, and how much of the damage could be done.

    Attributes
    ----------
    corpus : Corpus
        The documents with their new boundaries.
    asked, done : int
        Changes asked for and made, in all documents.
    skipped : mapping of str to int
        Why changes were not made, with how many.
    short : tuple of str
        The ids of the documents in which something could not be done.
    """

    corpus: Corpus
    asked: int
    done: int
    skipped: Mapping[str, int]
    short: tuple[str, ...]

    def __str__(self) -> str:
        many = "1 document" if len(self.corpus) == 1 else f"{len(self.corpus)} documents"
        said = f"{self.done} of {self.asked} changes made in {many}"
        if not self.skipped:
            return said
        reasons = ", ".join(f"{reason} ({number})" for reason, number in self.skipped.items())
        return f"{said}; not all could be made in {len(self.short)}: {reasons}"


def degrade(
    corpus: Corpus,
    degradations: str | Degradation | Iterable[str | Degradation],
    *,
    seed: int = 0,
    draw: int = 0,
) -> DegradedCorpus:
    """Damage every document of a corpus.

    Parameters
    ----------
    corpus : Corpus
        Documents with boundaries.
    degradations : str, Degradation, or several
        Such as ``"Removal(share=0.3)"``; several are done one after the other.
    seed : int
        What is drawn for a document depends on it, on the document's id and on the degradation alone.
    draw : int
        Which of several independent draws.

    Returns
    -------
    DegradedCorpus
        With the documents' texts, speakers and times; annotations, scores, hierarchy and titles, which belong to the
        boundaries that were, are left out.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> corpus = Corpus.from_segmentations({"d": Segmentation(9, (2, 5))})
    >>> str(degrade(corpus, "Removal(count=3)"))
    '2 of 3 changes made in 1 document; not all could be made in 1: no boundary left (1)'
    """
    given = [degradations] if isinstance(degradations, (str, Degradation)) else list(degradations)
    if not given:
        raise DeclarationError(f"no degradation given; known are {', '.join(DEGRADATIONS.names())}")
    chosen = [DEGRADATIONS.parse(each) if isinstance(each, str) else each for each in given]
    absent = [document.id for document in corpus if document.segmentation is None]
    if absent:
        raise ComparabilityError(
            f"document {absent[0]!r}{and_more(len(absent))} has no boundaries to degrade; "
            "give 'boundaries', 'masses' or 'labels'"
        )
    asked = done = 0
    skipped: Counter[str] = Counter()
    short: list[str] = []
    documents: list[Document] = []
    for document in corpus:
        segmentation, lacking = document.segmentation, False
        for step, degradation in enumerate(chosen):
            if segmentation is None:  # pragma: no cover - refused above
                continue
            # The place keeps two equal degradations of one document apart.
            level = str(degradation) if not step else f"{step}:{degradation}"
            try:
                result = degradation.apply(segmentation, document_rng(seed, document.id, level, draw))
            except CaesuraError as error:
                raise type(error)(f"document {document.id!r}: {error}") from None
            segmentation = result.segmentation
            asked, done = asked + result.asked, done + result.done
            skipped.update(result.skipped)
            lacking = lacking or bool(result.skipped)
        if lacking:
            short.append(document.id)
        documents.append(
            dataclasses.replace(
                document,
                segmentation=segmentation,
                annotations={},
                scores=None,
                hierarchy=(),
                extra={key: value for key, value in document.extra.items() if key != "segment_titles"},
            )
        )
    name = f"{corpus.name} [{', '.join(map(str, chosen))}]".strip()
    made = Corpus(documents, name=name, ids_are_given=corpus.ids_are_given)
    return DegradedCorpus(made, asked, done, dict(skipped), tuple(short))
