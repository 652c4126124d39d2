# SPDX-License-Identifier: Apache-2.0
"""Segments of given lengths in a random order, in all documents at once.

A stricter chance than random places: the number of boundaries and every length stay, one-unit segments too, so a score
that only likes short or even segments gains nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from caesura.flat import Flat
from caesura.segmenters.placements import checked_seed

__all__ = ["ShuffledLengths"]


class ShuffledLengths:
    """Random orders of the segments of documents; every order of a document is equally likely.

    Parameters
    ----------
    flat : Flat
        The segmentations whose lengths are kept.
    seed : int or sequence of int
        The same seed gives the same sequence of draws.

    Examples
    --------
    >>> flat = Flat(np.array([10]), np.array([0, 2]), np.array([1, 4]))
    >>> shuffled = ShuffledLengths(flat, seed=1).draw()
    >>> sorted(np.diff([0, *shuffled.pos.tolist(), 10]).tolist())
    [1, 3, 6]
    """

    def __init__(self, flat: Flat, *, seed: int | Sequence[int]) -> None:
        parts = seed if isinstance(seed, Sequence) else [seed]
        self._rng = np.random.default_rng([checked_seed(part) for part in parts])
        self._flat = flat
        counts = np.diff(flat.ptr)
        self._owner = np.repeat(np.arange(len(flat)), counts + 1)
        ends = flat.ptr[1:] + np.arange(1, len(flat) + 1)
        self._last = ends - 1
        closed = np.empty(len(flat.pos) + len(flat), dtype=np.int64)
        is_end = np.zeros(len(closed), dtype=bool)
        is_end[self._last] = True
        closed[is_end], closed[~is_end] = flat.n_units, flat.pos
        self._is_end = is_end
        starts = np.zeros(len(closed), dtype=np.int64)
        starts[1:] = closed[:-1]
        starts[ends - counts - 1] = 0
        self._lengths = closed - starts

    def draw(self) -> Flat:
        """Return the next order."""
        # Random keys sorted within each document: documents keep their places, segments lose theirs.
        order = np.lexsort((self._rng.random(len(self._owner)), self._owner))
        ends = np.cumsum(self._lengths[order])
        before = np.concatenate(([0], np.cumsum(self._flat.n_units)[:-1]))
        pos = (ends - before[self._owner])[~self._is_end]
        return Flat(self._flat.n_units, self._flat.ptr, pos)

    def draws(self, number: int) -> Iterator[Flat]:
        """Yield so many orders."""
        for _ in range(number):
            yield self.draw()
