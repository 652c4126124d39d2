# SPDX-License-Identifier: Apache-2.0
"""Systems among the annotators: pairwise agreement, with each system treated as one more annotator."""

from __future__ import annotations

import dataclasses
from typing import Any

from caesura.corpus import Corpus
from caesura.errors import CaesuraError
from caesura.evaluation.agree import agreement
from caesura.evaluation.outcome import Corpora
from caesura.results import number

__all__ = ["among_people"]

_MOST_NAMES, _MOST_DOCUMENTS = 40, 2000


def among_people(inputs: Corpora) -> dict[str, Any] | None:
    """Return the pairwise metric between all annotators and systems; None if there are none or too many of either."""
    documents = inputs.documents
    if documents is None or not inputs.systems or len(documents) > _MOST_DOCUMENTS:
        return None
    people = dict.fromkeys(name for document in documents for name in document.annotations)
    systems = {
        name if name not in people else f"{name} (system)": made for name, made in inputs.systems.items()
    }
    if len(people) < 2 or len(people) + len(systems) > _MOST_NAMES:
        return None
    joined = [
        dataclasses.replace(
            document,
            annotations={
                **document.annotations,
                **{
                    name: corpus.segmentation(corpus.row(document.id))
                    for name, corpus in systems.items()
                    if document.id in corpus and corpus.present[corpus.row(document.id)]
                },
            },
        )
        for document in documents
    ]
    try:
        outcome = agreement(Corpus(joined, name=documents.name))
        found = outcome.pairwise(outcome.by)
    except CaesuraError:
        return None
    names = [name for name in (*people, *systems) if name in found.names]
    order = [found.names.index(name) for name in names]
    matrix = [[number(float(value)) for value in row] for row in found.matrix[order][:, order]]
    return {"metric": outcome.by, "names": names, "systems": list(systems), "matrix": matrix}
