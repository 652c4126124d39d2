# SPDX-License-Identifier: Apache-2.0
"""One annotator of a document as the hypothesis, each other as the reference, as in the Stargazer table."""

from __future__ import annotations

from typing import NamedTuple

from caesura.corpus import Document
from caesura.declare import nearest
from caesura.errors import ComparabilityError
from caesura.metrics import metric

__all__ = ["BothWays", "against_annotator"]


class BothWays(NamedTuple):
    """A score with the chosen annotator as the hypothesis, and with the two sides exchanged."""

    score: float
    exchanged: float


def against_annotator(document: Document, chosen: str, judge: str = "Pk") -> dict[str, BothWays]:
    """Score one annotator against each annotator of a document, the chosen one included.

    Parameters
    ----------
    document : Document
        A document with annotators.
    chosen : str
        The annotator who serves as the hypothesis.
    judge : str
        A reference-based metric.

    Examples
    --------
    >>> from caesura.datasets.bundled import bundled
    >>> (article,) = bundled("stargazer")
    >>> found = against_annotator(article, "4")
    >>> len(found), found["4"].score
    (7, 0.0)
    """
    if chosen not in document.annotations:
        raise ComparabilityError(
            f"document {document.id!r} has no annotator {chosen!r}; {nearest(chosen, list(document.annotations))}"
        )
    score = metric(judge)
    hypothesis = document.annotations[chosen]
    return {
        name: BothWays(float(score(own, hypothesis)), float(score(hypothesis, own)))
        for name, own in document.annotations.items()
    }
