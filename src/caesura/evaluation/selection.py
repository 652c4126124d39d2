# SPDX-License-Identifier: Apache-2.0
"""Boundaries from the scores of a corpus."""

from __future__ import annotations

from caesura.corpus import Corpus, Document
from caesura.errors import SegmentationError
from caesura.selectors import Selector

__all__ = ["select_corpus"]


def select_corpus(corpus: Corpus, selector: Selector) -> Corpus:
    """Apply a selector to the scores of every document.

    Parameters
    ----------
    corpus : Corpus
        Documents with one score per gap.
    selector : Selector
        Turns scores into boundaries.

    Returns
    -------
    Corpus
        The same documents with the chosen boundaries, and nothing else of them.

    Examples
    --------
    >>> from caesura.selectors import StaticSelector
    >>> corpus = Corpus([Document(id="d", n_units=4, scores=(0.1, 0.9, 0.2))])
    >>> select_corpus(corpus, StaticSelector(threshold=0.5))["d"].segmentation
    Segmentation(4, (2,))
    """
    found = []
    for document in corpus:
        if document.scores is None:
            raise SegmentationError(
                f"document {document.id!r} has no scores; give one per gap under the key 'scores'"
            )
        try:
            chosen = selector.select(document.scores, unit=document.unit)
        except SegmentationError as error:
            raise SegmentationError(f"document {document.id!r}: {error}") from None
        found.append(
            Document(id=document.id, n_units=document.n_units, segmentation=chosen, unit=document.unit)
        )
    return Corpus(found, name=corpus.name, ids_are_given=corpus.ids_are_given)
