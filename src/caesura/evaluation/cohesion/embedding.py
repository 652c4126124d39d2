# SPDX-License-Identifier: Apache-2.0
"""The documents of a measurement with the vectors of their units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.corpus import MADE_BY, Corpus
from caesura.evaluation.inputs import Source
from caesura.results.base import EncoderFacts

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed

__all__ = ["embed_documents", "made_with"]


def embed_documents(
    corpus: Corpus,
    encoder: str | Encoder | Precomputed,
    cache: Cache | bool | None = None,
    allow_download: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Embedded, EncoderFacts]:
    """Return the documents, as one segment each, with their vectors, and the facts of the encoder.

    Documents that the source leaves out, because an engine could not encode them, are left out.
    """
    from caesura.encoders import embed
    from caesura.encoders import source as find

    vectors = find(encoder, allow_download=allow_download)
    # The default encoder is faster than the cache. An encoder object states its own fingerprint, and a wrong one would
    # corrupt the cache, so its vectors are cached only on request.
    cached = isinstance(encoder, str) and vectors.name != "default" if cache is None else cache
    arrays = embed(corpus, vectors, cache=cached, progress=progress)
    if len(arrays) < len(corpus):
        corpus = corpus.subset(arrays)
    n_units = corpus.flat.n_units
    whole = Flat(n_units, np.zeros(len(corpus) + 1, dtype=np.int64), np.empty(0, dtype=np.int64))
    stacked = np.concatenate([arrays[key] for key in corpus.ids])
    unit = corpus.unit
    texts = {document.id: document.units for document in corpus if document.units is not None}
    return (
        Embedded.from_arrays(corpus.ids, whole, stacked, unit=unit).with_texts(texts),
        EncoderFacts(name=vectors.name, fingerprint=vectors.fingerprint, dim=vectors.dim),
    )


def made_with(systems: Mapping[str, Source], fingerprint: str) -> list[str]:
    """Return the systems whose files say that they were made with an encoder, by its fingerprint.

    ``caesura segment`` writes the name and the fingerprint of its encoder into each document, under ``made_by``.
    """
    return [name for name, system in systems.items() if fingerprint in _encoders(system.corpus)]


def _encoders(corpus: Corpus) -> set[str]:
    """Return the words of every ``made_by.encoder`` of a corpus; what is not of that form says nothing."""
    found: set[str] = set()
    for document in corpus:
        recipe = document.extra.get(MADE_BY)
        encoder = recipe.get("encoder") if isinstance(recipe, Mapping) else None
        if isinstance(encoder, str):
            found.update(encoder.split())
    return found
