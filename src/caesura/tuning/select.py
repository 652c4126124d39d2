# SPDX-License-Identifier: Apache-2.0
"""Boundaries from the scores of a corpus, and scores matched with a reference."""

from __future__ import annotations

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, SegmentationError, and_more
from caesura.segmentation import Segmentation
from caesura.selectors import AdaptiveSelector, Selector
from caesura.selectors.scores import FlatScores

__all__ = ["scores_beside", "scores_of", "select_corpus"]


def select_corpus(corpus: Corpus, selector: Selector) -> Corpus:
    """Apply a selector to the scores of every document; an adaptive one carries its threshold over them.

    The documents returned say how they were read and who made their scores.

    Examples
    --------
    >>> from caesura.selectors import StaticSelector
    >>> corpus = Corpus([Document(id="d", n_units=4, scores=(0.1, 0.9, 0.2))])
    >>> select_corpus(corpus, StaticSelector(threshold=0.5))["d"].segmentation
    Segmentation(4, (2,))
    """
    segmented = []
    carried = selector.run_all(map(scores_of, corpus)) if isinstance(selector, AdaptiveSelector) else None
    for document in corpus:
        try:
            if carried is None:
                segmentation = selector.select(scores_of(document), unit=document.unit)
            else:
                gaps = sorted(commit.gap for commit in next(carried))
                segmentation = Segmentation(document.n_units, gaps, unit=document.unit)
        except SegmentationError as error:
            where = f"document {document.id!r}"
            raise SegmentationError(str(error) if where in str(error) else f"{where}: {error}") from None
        segmented.append(
            Document(
                id=document.id,
                n_units=document.n_units,
                segmentation=segmentation,
                unit=document.unit,
                extra=document.made_further(selector=str(selector)),
            )
        )
    return Corpus(segmented, name=corpus.name, ids_are_given=corpus.ids_are_given)


def scores_of(document: Document) -> tuple[float, ...]:
    """Return the scores of a document; raise if it has none."""
    if document.scores is None:
        raise SegmentationError(f"document {document.id!r} has no scores; give one per gap under the key 'scores'")
    return document.scores


def scores_beside(
    documents: Corpus, scored: Corpus, name: str, min_gap: int = 1, *, reference: bool = True
) -> FlatScores:
    """Return the scores of a scorer for some documents, in their order.

    If the documents are a ``reference``, all must have boundaries, and the scorer may have no other documents.
    """
    whose = "of the reference " if reference else ""
    absent = np.flatnonzero(~documents.present)
    if reference and len(absent):
        raise ComparabilityError(
            f"document {documents.ids[int(absent[0])]!r}{and_more(len(absent))} of the reference has no boundaries; "
            "give 'boundaries', 'masses' or 'labels' (an empty list is allowed), or sweep with reference=None "
            "(--no-reference)"
        )
    alike = documents.ids == scored.ids  # as nearly always: nothing is looked up
    lacking = [] if alike else [key for key in documents.ids if key not in scored]
    if lacking:
        by_order = (
            ", or match the documents by their order with match='order' (--match order)"
            if len(lacking) == len(documents) == len(scored)
            else ""
        )
        raise ComparabilityError(
            f"document {lacking[0]!r}{and_more(len(lacking))} {whose}is missing from {name!r}; add its scores{by_order}"
        )
    extra = [key for key in scored.ids if key not in documents] if reference and not alike else []
    if extra:
        raise ComparabilityError(
            f"document {extra[0]!r}{and_more(len(extra))} of {name!r} is not in the reference; "
            "remove it, or check that both files are of the same corpus"
        )
    flat = FlatScores.from_corpus(scored, documents.ids, min_gap)
    wrong = np.flatnonzero(flat.n_units != documents.flat.n_units)
    if len(wrong):
        row = int(wrong[0])
        side = "reference has" if reference else "it has"
        raise ComparabilityError(
            f"document {documents.ids[row]!r}: {side} {documents.flat.n_units[row]} units, scorer {name!r} "
            f"{flat.n_units[row]}; both must be of the same units{and_more(len(wrong), True)}"
        )
    return flat
