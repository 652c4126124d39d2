# SPDX-License-Identifier: Apache-2.0
"""Precision_Omega: the share of the answer in the chunks that contain it.

Every chunk that touches a span of a question is taken, as if retrieval were perfect. The score of the question is the length of
the overlap of chunks and spans, divided by the length of these chunks plus the parts of the spans that they miss. A chunk that ends where
a span begins touches it, and counts in the denominator.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import numpy.typing as npt

__all__ = ["CHUNKERS", "NEAREST", "PRINTED_ONLY", "omega", "precision", "tokens"]

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

CHUNKERS = tuple(
    f"{kind} {size}" for kind in ("Recursive", "Token") for size in ("800/400", "400/200", "400/0", "200/0")
)
"""The chunkers of the table that need no model."""

PRINTED_ONLY = ("Kamradt", "KamradtMod", "Cluster 400", "Cluster 200", "LLM GPT-4o")
"""The chunkers that need a model; their chunks were not released."""

NEAREST = "clock of "
"""The prefix that makes the name of a chunker the key of the token clock with the closest mean chunk length."""


@functools.cache
def _numbers() -> dict[str, npt.NDArray[np.generic]]:
    with np.load(Path(__file__).with_name("spans.npz")) as archive:
        return {name: archive[name] for name in archive.files}


def tokens(chunker: str) -> float:
    """Return the mean number of tokens in the chunks of a chunker."""
    return float(_numbers()[f"tokens of {chunker}"])


@functools.cache
def omega(chunker: str) -> Floats:
    """Return the score of every question, from 0 to 1."""
    numbers = _numbers()
    key = str(numbers[chunker]) if chunker.startswith(NEAREST) else chunker
    asked: Ints = numbers["questions"].astype(np.int32)  # question, text, start, length
    chunks: Ints = numbers[f"chunks of {key}"].astype(np.int32)  # text, start, length
    scores = []
    for question in np.unique(asked[:, 0]):
        spans = asked[asked[:, 0] == question]
        own = chunks[chunks[:, 0] == spans[0, 1]]
        scores.append(precision(_ends(spans[:, 2:]), _ends(own[:, 1:])))
    return np.array(scores)


def precision(spans: Ints, chunks: Ints) -> float:
    """Return the score of one question; spans and chunks are rows of start and end.

    >>> precision(np.array([[0, 4]]), np.array([[0, 3], [3, 10], [10, 20]]))  # 4 of the 10 characters of two chunks
    0.4
    >>> precision(np.array([[10, 12]]), np.array([[0, 10], [10, 14]]))  # the first chunk only touches it
    0.14285714285714285
    """
    low = np.maximum(spans[:, None, 0], chunks[None, :, 0])
    high = np.minimum(spans[:, None, 1], chunks[None, :, 1])
    touching = low <= high
    if not touching.any():
        return 0.0
    shared = np.stack([low[touching], high[touching]], axis=1)
    taken = chunks[touching.any(axis=0)]
    return _covered(shared) / _covered(np.concatenate([taken, spans]))


def _ends(rows: Ints) -> Ints:
    return np.stack([rows[:, 0], rows[:, 0] + rows[:, 1]], axis=1)


def _covered(ranges: Ints) -> int:
    """Return the number of characters in the union of the ranges."""
    total, reached = 0, -1
    for start, end in ranges[np.argsort(ranges[:, 0], kind="stable")].tolist():
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
