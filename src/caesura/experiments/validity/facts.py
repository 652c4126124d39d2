# SPDX-License-Identifier: Apache-2.0
"""What of a corpus and its vectors makes metrics without a reference go wrong."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.corpus import Corpus

__all__ = ["CorpusFacts", "corpus_facts"]

_PAIRS = 20_000  # cosines of so many pairs give the mean to about 0.002


@dataclasses.dataclass(frozen=True)
class CorpusFacts:
    """Facts of a corpus, its segmentation and its vectors.

    Attributes
    ----------
    singletons : float
        Share of segments that have one unit.
    repeats : float
        Share of units whose text, but for case and spaces, stands elsewhere in the same document; NaN without texts.
    anisotropy : float
        Mean cosine of two units of different documents (of one, if there is one only): 0 where vectors point everywhere, near 1 where all are alike.
    documents, units, segments : int
        Sizes.
    """

    singletons: float
    repeats: float
    anisotropy: float
    documents: int
    units: int
    segments: int

    def reasons(self, singletons: float, repeats: float, anisotropy: float) -> list[str]:
        """Return the facts that reach a limit, in words."""
        found = []
        if self.singletons >= singletons:
            found.append(f"{100 * self.singletons:.0f} % of the segments have one unit")
        if self.repeats >= repeats:
            found.append(f"{100 * self.repeats:.0f} % of the units repeat another of their document")
        if self.anisotropy >= anisotropy:
            found.append(f"the vectors are alike (mean cosine {self.anisotropy:.2f})")
        return found


def corpus_facts(corpus: Corpus, batch: Embedded, seed: int = 0) -> CorpusFacts:
    """Measure the facts of documents, their segmentation and their vectors."""
    flat = batch.segmentations
    edges = [
        np.diff([0, *flat.pos[flat.ptr[row] : flat.ptr[row + 1]].tolist(), int(flat.n_units[row])])
        for row in range(len(flat))
    ]
    lengths = np.concatenate(edges)
    return CorpusFacts(
        singletons=float((lengths == 1).mean()),
        repeats=_repeats(corpus),
        anisotropy=_anisotropy(batch, seed),
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
        repeated += sum(number for number in counts.values() if number > 1)
        units += document.n_units
    return repeated / units if units else float("nan")


def _anisotropy(batch: Embedded, seed: int) -> float:
    """Return the mean cosine of random pairs of units of different documents; of any units if there is one document."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([np.arange(s, s + n) for s, n in zip(batch.starts, batch.n_units, strict=True)])
    owner = np.repeat(np.arange(len(batch)), batch.n_units)
    first, second = rng.integers(0, len(rows), size=(2, _PAIRS))
    kept = owner[first] != owner[second] if len(batch) > 1 else first != second
    one = batch.vectors[rows[first[kept]]].astype(np.float64)
    two = batch.vectors[rows[second[kept]]].astype(np.float64)
    lengths = np.sqrt(np.einsum("ij,ij->i", one, one) * np.einsum("ij,ij->i", two, two))
    usable = lengths > 0
    if not usable.any():
        return float("nan")
    return float((np.einsum("ij,ij->i", one, two)[usable] / lengths[usable]).mean())
