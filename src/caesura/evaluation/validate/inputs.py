# SPDX-License-Identifier: Apache-2.0
"""The documents of the self-degradation test, with the boundaries to damage."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, and_more
from caesura.evaluation.inputs import CorpusLike, Source, read_source
from caesura.evaluation.matching import on_units
from caesura.results import Input

__all__ = ["Base", "read_base"]


class Base(NamedTuple):
    """Documents with the boundaries to damage, and what gave them unless they are gold; how many documents have none; the inputs."""

    corpus: Corpus
    given: Source | None
    left_out: int
    inputs: list[Input]


def read_base(
    documents: CorpusLike,
    segmentation: CorpusLike | None,
    format: str | None,  # noqa: A002
    marks: str | None,
    strict: bool,
) -> Base:
    """Read the documents and the boundaries to damage."""
    read = read_source(documents, "documents", format=format, marks=marks, strict=strict, texts=True)
    corpus = source = read.corpus
    inputs, given = [read.as_input("documents")], None
    gold = bool(source.present.any())
    if gold and segmentation is not None:
        raise ComparabilityError(
            "the documents have boundaries, which count as gold, and a segmentation is given; leave out one of them"
        )
    if not gold:
        if segmentation is None:
            raise ComparabilityError(
                "no document has boundaries; give a segmentation of the documents to degrade"
            )
        given = read_source(segmentation, "segmentation", format=format, marks=marks, strict=strict)
        inputs.append(given.as_input("segmentation"))
        corpus = _with_boundaries(source, on_units({"": given}, source)[0][""].corpus)
    usable = [key for key, size in zip(corpus.ids, np.diff(corpus.flat.ptr), strict=True) if size]
    if not usable:
        raise ComparabilityError("no document has a boundary; give documents with at least two segments")
    corpus = corpus if len(usable) == len(corpus) else corpus.subset(usable)
    return Base(corpus, given, len(source) - len(corpus), inputs)


def _with_boundaries(source: Corpus, given: Corpus) -> Corpus:
    """Return the documents with the boundaries of a segmentation."""
    lacking = [key for key in source.ids if key not in given]
    if lacking:
        raise ComparabilityError(
            f"document {lacking[0]!r}{and_more(len(lacking))} is missing from the segmentation; add it"
        )
    documents = []
    for document in source:
        segmentation = given[document.id].segmentation
        if segmentation is None:
            raise ComparabilityError(
                f"document {document.id!r} of the segmentation has no boundaries; add them"
            )
        if segmentation.n_units != document.n_units:
            raise ComparabilityError(
                f"document {document.id!r} has {document.n_units} units, its segmentation {segmentation.n_units}; "
                "both must be of the same units"
            )
        documents.append(dataclasses.replace(document, segmentation=segmentation))
    return Corpus(documents, name=source.name, ids_are_given=source.ids_are_given)
