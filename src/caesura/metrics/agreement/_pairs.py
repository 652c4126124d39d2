# SPDX-License-Identifier: Apache-2.0
"""Every two annotators of a document side by side, in blocks that fit a processor's cache."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.batches.panel import Panel

__all__ = ["PairBlock", "count_pairs", "pair_blocks", "two_of"]

Ints = npt.NDArray[np.int64]
_AT_ONCE = 16_384  # a block is built and counted several times faster than everything at once


class PairBlock(NamedTuple):
    """Every two annotators of some documents, each two once."""

    pairs: Pairs  # the one who comes first in the document as reference
    document: Ints  # [P]: the document of each pair
    first: Ints  # [P]: the places of the two codings
    second: Ints


def count_pairs(panel: Panel) -> int:
    """Return in how many ways two annotators of the same document can be compared."""
    h = panel.n_annotators
    return int((h * (h - 1) // 2).sum())


def pair_blocks(panel: Panel) -> Iterator[PairBlock]:
    """Yield every two annotators of each document; all pairs of a document are in one block."""
    sizes = panel.n_annotators
    last_of = np.cumsum(sizes * (sizes - 1) // 2)
    start = done = 0
    while start < len(panel):
        stop = max(start + 1, int(np.searchsorted(last_of, done + _AT_ONCE, side="right")))
        if last_of[stop - 1] > done:
            yield _block(panel, start, stop)
        start, done = stop, int(last_of[stop - 1])


def _block(panel: Panel, start: int, stop: int) -> PairBlock:
    places = [two_of(h) for h in panel.n_annotators[start:stop].tolist()]
    number = [len(first) for first, _ in places]
    document = np.repeat(np.arange(start, stop), number)
    offset = panel.doc_ptr[document]
    first = np.concatenate([a for a, _ in places]) + offset
    second = np.concatenate([b for _, b in places]) + offset
    left, right = panel.codings.take(first), panel.codings.take(second)
    pairs = Pairs.beside(left, right, panel.unit)
    return PairBlock(pairs, document, first, second)


@functools.lru_cache(maxsize=64)
def two_of(h: int) -> tuple[Ints, Ints]:
    """Return the places of each two of h annotators, in the order of the pairs.

    >>> [places.tolist() for places in two_of(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(h, k=1)
    return first.astype(np.int64), second.astype(np.int64)
