# SPDX-License-Identifier: Apache-2.0
"""Random numbers of many documents, each from the stream that words of its own give, such as its seed and its index.

A generator of NumPy for each document takes longer than everything else that is done with it. So the seeds of all documents are
mixed at once, as `numpy.random.SeedSequence` mixes them, and a kernel draws. What is drawn is what NumPy draws with one generator
for each document.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Ints, starts_of
from caesura.kernels import draws

__all__ = ["Streams", "Words", "chosen_gaps", "words_of"]

_POOL = 4  # words of 32 bits
_START, _STEP = 0x43B0D7E5, 0x931E8875
_START_OUT, _STEP_OUT = 0x8B51F9DD, 0x58F38DED
_LEFT, _RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_SHIFT = np.uint32(16)
_LARGE = 10_000  # gaps of a document beyond which NumPy may choose otherwise
Words = np.ndarray[tuple[int, ...], np.dtype[np.uint32]]
Seeds = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]


@dataclasses.dataclass(frozen=True, eq=False)
class Streams:
    """The stream of random numbers of each document; ``words[w, d]`` is word ``w`` of document ``d``.

    >>> streams = Streams.of(words_of(7), np.arange(3))
    >>> expected = np.random.default_rng([7, 2])
    >>> bool(streams.generator(2).random() == expected.random())
    True
    """

    words: Words

    @classmethod
    def of(cls, shared: list[int], own: npt.ArrayLike) -> Streams:
        """Lay the words that all documents share before those of each, one of them or rows of several."""
        rows = np.atleast_2d(np.asarray(own))
        words = np.empty((len(shared) + len(rows), rows.shape[1]), dtype=np.uint32)
        words[: len(shared)] = np.array(shared, dtype=np.uint32)[:, None]
        words[len(shared) :] = rows
        return cls(words)

    def generator(self, row: int) -> np.random.Generator:
        """Return the generator of one document."""
        return np.random.default_rng(self.words[:, row].tolist())

    def seeds(self, rows: Ints | slice = slice(None)) -> Seeds:
        """Return the four words of 64 bits for each document from which NumPy seeds PCG64."""
        words = self.words[:, rows]
        constant = _START

        def hashed(value: Words) -> Words:
            nonlocal constant
            value = value ^ np.uint32(constant)
            constant = constant * _STEP & 0xFFFFFFFF
            value = value * np.uint32(constant)
            return value ^ (value >> _SHIFT)

        def mixed(first: Words, second: Words) -> Words:
            value: Words = _LEFT * first - _RIGHT * second
            return value ^ (value >> _SHIFT)

        nothing = np.zeros(words.shape[1], dtype=np.uint32)
        pool = [hashed(words[place] if place < len(words) else nothing) for place in range(_POOL)]
        for source in range(_POOL):
            for target in range(_POOL):
                if source != target:
                    pool[target] = mixed(pool[target], hashed(pool[source]))
        for word in words[_POOL:]:
            for target in range(_POOL):
                pool[target] = mixed(pool[target], hashed(word))
        constant = _START_OUT
        out = np.empty((words.shape[1], 2 * _POOL), dtype=np.uint64)
        for place in range(2 * _POOL):
            value = pool[place % _POOL] ^ np.uint32(constant)
            constant = constant * _STEP_OUT & 0xFFFFFFFF
            value = value * np.uint32(constant)
            out[:, place] = value ^ (value >> _SHIFT)
        return out[:, ::2] | (out[:, 1::2] << np.uint64(32))


def chosen_gaps(gaps: Ints, counts: Ints, streams: Streams) -> Ints:
    """Return ``counts`` random gaps of each document, increasing and counted from 1, one document after the other.

    >>> chosen_gaps(np.array([9, 4]), np.array([3, 4]), Streams.of([0], np.arange(2)))[3:].tolist()
    [1, 2, 3, 4]
    """
    ptr = starts_of(counts)
    pos = np.empty(ptr[-1], dtype=np.int64)
    slow = gaps > (_LARGE if draws.COMPILED else -1)
    rows = slice(None) if not slow.any() else np.flatnonzero(~slow)
    if not slow.all():
        sizes = counts[rows]
        own = starts_of(sizes)
        drawn = np.empty(own[-1], dtype=np.int64)
        chosen = np.zeros(int(gaps[rows].max(initial=0)), dtype=np.int64)
        draws.choose_gaps(streams.seeds(rows), gaps[rows], own, drawn, chosen, np.empty(6, dtype=np.uint64))
        if isinstance(rows, slice):
            return drawn
        pos[np.repeat(~slow, counts)] = drawn
    for row in np.flatnonzero(slow).tolist():
        picked = streams.generator(row).choice(int(gaps[row]), size=int(counts[row]), replace=False)
        pos[ptr[row] : ptr[row + 1]] = np.sort(picked) + 1
    return pos


def words_of(number: int) -> list[int]:
    """Return a whole number in words of 32 bits, the lowest first; 0 is one word."""
    words = [number & 0xFFFFFFFF]
    while number := number >> 32:
        words.append(number & 0xFFFFFFFF)
    return words
