# SPDX-License-Identifier: Apache-2.0
"""Facts of a corpus and its vectors that mislead reference-free metrics."""

from __future__ import annotations

from collections import Counter

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus, drawing_order
from caesura.results import number
from caesura.results.validate.facts import CorpusFacts

__all__ = ["corpus_facts"]

_PAIRS = 20_000  # the mean cosine of this many pairs is accurate to about 0.002


def corpus_facts(corpus: Corpus, batch: Embedded, seed: int = 0) -> CorpusFacts:
    """Measure the facts of documents, their segmentation and their vectors; `CorpusFacts` says what they are."""
    flat = batch.segmentations
    starts = np.concatenate(([0], np.cumsum(flat.n_units)))
    lengths = np.diff(np.union1d(flat.pos + np.repeat(starts[:-1], np.diff(flat.ptr)), starts))
    return CorpusFacts(
        singletons=float((lengths == 1).mean()),
        repeats=number(_repeats(corpus)),
        anisotropy=number(_anisotropy(batch, seed)),
        documents=len(batch),
        units=int(flat.n_units.sum()),
        segments=len(lengths),
    )


def _repeats(corpus: Corpus) -> float:
    repeated = units = 0
    for document in corpus:
        if document.units is None:
            return float("nan")
        counts = Counter(" ".join(text.casefold().split()) for text in document.units)
        repeated += sum(times for times in counts.values() if times > 1)
        units += document.n_units
    return repeated / units if units else float("nan")


def _anisotropy(batch: Embedded, seed: int) -> float:
    """Return the mean cosine of random pairs of units of different documents; of any units if there is one document."""
    rng, order = np.random.default_rng(seed), drawing_order(batch.ids)
    starts, sizes = batch.starts[order], batch.n_units[order]
    rows = np.concatenate([np.arange(s, s + n) for s, n in zip(starts, sizes, strict=True)])
    owner = np.repeat(np.arange(len(batch)), sizes)
    first, second = rng.integers(0, len(rows), size=(2, _PAIRS))
    apart = owner[first] != owner[second] if len(batch) > 1 else first != second
    one = batch.vectors[rows[first[apart]]].astype(np.float64)
    two = batch.vectors[rows[second[apart]]].astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", one, one) * np.einsum("ij,ij->i", two, two))
    usable = lengths > 0
    if not usable.any():
        return float("nan")
    return float((np.einsum("ij,ij->i", one, two)[usable] / lengths[usable]).mean())
