# SPDX-License-Identifier: Apache-2.0
"""Which boundaries of the documents count as the truth: the option ``against`` of every question, read in one place.

``boundaries`` are those of the documents. Of annotators: all of them (``annotators``: the mean of the scores against each), the nearest
of each document (``best``), those that a share of them marked (``consensus=0.5``), those of one (``annotator=NAME``), or
each of these in turn (``all``).
"""

from __future__ import annotations

import dataclasses

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.inputs import Source

__all__ = ["EACH", "FORMS", "chosen_boundaries", "chosen_source", "density_of", "one_choice", "one_reference"]

FORMS = "boundaries, annotators, consensus=0.5, annotator=NAME, best or all"
"""The values of ``against``, for messages and help."""
EACH = ("annotators", "best", "all")
"""The values that score against every annotator; the others choose one reference."""


def chosen_boundaries(corpus: Corpus, against: str, forms: str = FORMS) -> Corpus:
    """Return the documents with the boundaries of one reference.

    Documents that an annotator did not code are left out. ``forms`` are the values that an error names.
    """
    kind, _, value = against.partition("=")
    if kind == "boundaries" and not value:
        if not corpus.present.all() and any(document.annotations for document in corpus):
            raise ComparabilityError(
                "the reference has annotations but not boundaries for every document; "
                "choose what to score against with against='annotators' or 'consensus=0.5' (--against)"
            )
        return corpus
    if kind == "annotator" and value:
        return corpus.annotator(value)
    if kind == "consensus":
        try:
            share = float(value)
        except ValueError:
            pass
        else:
            return corpus.consensus(share)
    raise ComparabilityError(f"against {against!r} is unknown; choose {forms}")


def chosen_source(source: Source, against: str) -> Source:
    """Return an input whose documents have the boundaries of one reference."""
    if against == "boundaries":
        return source
    return dataclasses.replace(source, corpus=chosen_boundaries(source.corpus, against))


def density_of(corpus: Corpus, against: str) -> float:
    """Return the boundaries per 100 units, of all documents; of all annotators, those of a coding.

    >>> from caesura.corpus import Document
    >>> from caesura.segmentation import Segmentation
    >>> people = {"a": Segmentation(50, (10,)), "b": Segmentation(50, (10, 20, 30)), "c": Segmentation(50, (10, 20))}
    >>> corpus = Corpus([Document(id="d", n_units=50, annotations=people)])
    >>> density_of(corpus, "annotators"), density_of(corpus, "consensus=1")
    (4.0, 2.0)
    """
    if against == "annotators":
        codings = [coding for document in corpus for coding in document.annotations.values()]
    else:
        one_reference(against, "a density is that of one, or of all annotators (annotators)")
        chosen = chosen_boundaries(corpus, against)
        codings = [document.segmentation for document in chosen if document.segmentation is not None]
    units = sum(coding.n_units for coding in codings)
    if not units:
        raise ComparabilityError(f"no document has boundaries to take the density from (against {against!r})")
    return 100 * sum(coding.n_boundaries for coding in codings) / units


def one_choice(against: str) -> str:
    """Return a choice that gives one score for each system; refuse all of them in turn."""
    if against == "all":
        raise ComparabilityError(
            "against 'all' is a table of evaluate; choose annotators, consensus=0.5, annotator=NAME or best"
        )
    return against


def one_reference(against: str, why: str) -> None:
    """Refuse what scores against several references, where one is needed."""
    if against in EACH:
        raise ComparabilityError(
            f"against {against!r} gives many references; {why}; use consensus=0.5 or annotator=NAME"
        )
