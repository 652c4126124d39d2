# SPDX-License-Identifier: Apache-2.0
"""Which document of a system belongs to which document of the reference: by id, or by the order of the files."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.inputs import Source

__all__ = ["Match", "matched"]

Match = Literal["id", "order"]


def matched(systems: Mapping[str, Source], documents: Corpus, match: str) -> dict[str, Source]:
    """Return the systems, by order with the ids of the documents at the same places.

    A system whose ids are those of the documents is matched by id in any case. Files must have equally many documents, and
    whoever scores them checks that documents at the same place have the same length.

    Raises
    ------
    ComparabilityError
        If ``match`` is neither "id" nor "order", or the order cannot be meant: another number of documents, or ids of the
        documents in other places.
    """
    if match not in ("id", "order"):
        raise ComparabilityError(f"match is {match!r}; it must be 'id' or 'order'")
    if match == "id":
        return dict(systems)
    return {name: _in_order(source, documents, name) for name, source in systems.items()}


def _in_order(source: Source, documents: Corpus, name: str) -> Source:
    corpus = source.corpus
    both_given = corpus.ids_are_given and documents.ids_are_given
    if both_given and set(corpus.ids) <= set(documents.ids):
        return source
    if len(corpus) != len(documents):
        raise ComparabilityError(
            f"{name!r} has {len(corpus)} documents and the reference {len(documents)}; matching by order needs equally many"
        )
    if both_given:
        for place, key in enumerate(corpus.ids):
            if key in documents and documents.ids[place] != key:
                raise ComparabilityError(
                    f"document {key!r} is number {place + 1} in {name!r} and number {documents.row(key) + 1} in the "
                    "reference; match by id, or make the ids agree"
                )
    renamed = [
        dataclasses.replace(document, id=key) for key, document in zip(documents.ids, corpus, strict=True)
    ]
    return dataclasses.replace(
        source,
        corpus=Corpus(renamed, name=corpus.name, ids_are_given=documents.ids_are_given),
        assumed={**source.assumed, "match": "order"},
    )
