# SPDX-License-Identifier: Apache-2.0
"""Segment or chunk lengths: in units, seconds or characters, and in words, to compare with a token limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus, Document
from caesura.evaluation.outcome import Answered, Corpora

__all__ = ["chunk_lengths", "lengths"]


def lengths(inputs: Corpora, unit: str, *, reference: bool) -> dict[str, object] | None:
    """Return the histograms of segment lengths and word counts for each side; None without a side."""
    given = {"reference": inputs.documents} if reference and inputs.documents is not None else {}
    sides: Mapping[str, Corpus] = {**given, **inputs.systems}
    masses = {name: made for name, corpus in sides.items() if (made := _masses(corpus, unit))}
    if not masses:
        return None
    words = {name: found for name, corpus in sides.items() if (found := _words(corpus, inputs.documents))}
    return {"unit": "second" if unit == "ms" else unit, "sides": masses, "words": words}


def _masses(corpus: Corpus, unit: str) -> list[tuple[str, int]]:
    """Return the number of segments between consecutive powers of two."""
    size = 1000 if unit == "ms" else 1
    masses = [np.array(corpus.segmentation(int(row)).masses, dtype=np.int64) for row in np.flatnonzero(corpus.present)]
    return _between_powers(np.concatenate(masses) // size) if masses else []


def chunk_lengths(found: Mapping[str, Answered], unit: str, systems: Sequence[str]) -> dict[str, object] | None:
    """Return the same of chunks, which may overlap: their characters, or units without texts, and their words."""
    sides: dict[str, list[tuple[str, int]]] = {}
    words: dict[str, list[tuple[int, int]]] = {}
    for system in systems:
        sizes = [end - start for each in found.values() for start, end in each.chunks[system]]
        if sizes:
            sides[system] = _between_powers(np.array(sizes, dtype=np.int64))
        texts = [
            len(each.text[start:end].split())
            for each in found.values()
            if each.text is not None
            for start, end in each.chunks[system]
        ]
        if texts:
            words[system] = _counted(np.array(texts, dtype=np.int64))
    return {"unit": unit, "sides": sides, "words": words} if sides else None


def _between_powers(lengths: npt.NDArray[np.int64]) -> list[tuple[str, int]]:
    """Return the number of lengths between consecutive powers of two."""
    powers = np.floor(np.log2(np.maximum(lengths, 1))).astype(int)
    return [
        (f"{2**power}" if power == 0 else f"{2**power} to {2 ** (power + 1) - 1}", int((powers == power).sum()))
        for power in range(int(powers.min()), int(powers.max()) + 1)
    ]


def _words(corpus: Corpus, texts: Corpus | None) -> list[tuple[int, int]]:
    """Return the histogram of words per segment, split at white space as in a sweep; empty without texts."""
    found = []
    for row in np.flatnonzero(corpus.present).tolist():
        units = _units(corpus, row, texts)
        if units is None:
            return []
        before = np.concatenate(([0], np.cumsum([len(text.split()) for text in units])))
        segmentation = corpus.segmentation(row)
        found.append(np.diff(before[[0, *segmentation.boundaries, segmentation.n_units]]))
    if not found:
        return []
    return _counted(np.concatenate(found))


def _counted(numbers: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    values, counts = np.unique(numbers, return_counts=True)
    return list(zip(values.tolist(), counts.tolist(), strict=True))


def _units(corpus: Corpus, row: int, texts: Corpus | None) -> tuple[str, ...] | None:
    """Return the texts of a document: those of the documents, or its own."""
    key, n_units = corpus.ids[row], corpus.segmentation(row).n_units
    candidates: list[Document] = [texts[key]] if texts is not None and key in texts else []
    return next((each.units for each in [*candidates, corpus[key]] if each.units and len(each.units) == n_units), None)
