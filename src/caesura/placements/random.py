# SPDX-License-Identifier: Apache-2.0
"""Random boundaries: of many documents at once, of one, and shuffled segment lengths."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, Ints, starts_of
from caesura.errors import SegmentationError
from caesura.kernels import draws
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation

__all__ = ["RandomPlacements", "ShuffledLengths", "checked_seed", "random_boundaries", "random_gaps"]

# Gaps per boundary, and beside that, up to which marking gaps is cheaper than sorting.
_GAPS_EACH = 64
_GAPS_MORE = 4_096
_WORD = 2**64 - 1


class RandomPlacements:
    """Random segmentations of documents with a fixed number of boundaries in each.

    Parameters
    ----------
    n_units : int64[D]
        Units of each document.
    counts : int64[D]
        Boundaries of each document, at most one per gap.
    seed : int or sequence of int
        Random seed; the same seed gives the same sequence of draws.
    min_gap : int
        Minimum distance between two boundaries; every set that respects it is equally likely.

    Examples
    --------
    >>> placements = RandomPlacements(np.array([10, 5]), np.array([3, 4]), seed=1)
    >>> flat = placements.draw()
    >>> np.diff(flat.ptr).tolist(), flat.pos[3:].tolist()
    ([3, 4], [1, 2, 3, 4])
    """

    def __init__(self, n_units: Ints, counts: Ints, *, seed: int | Sequence[int], min_gap: int = 1) -> None:
        self._n_units = np.array(n_units, dtype=np.int64)
        self._counts = np.array(counts, dtype=np.int64)
        if min_gap < 1:
            raise SegmentationError(f"min_gap is {min_gap}; it must be at least 1 (no spacing)")
        self._spread = min_gap - 1
        # Spaced sets of a long row of gaps correspond to plain sets of a shorter one: the gaps that must stay free after each
        # boundary but the last are removed before the draw and put back after it.
        self._gaps = self._n_units - 1 - np.maximum(self._counts - 1, 0) * self._spread
        wrong = np.flatnonzero((self._counts < 0) | (self._counts > self._gaps))
        if len(wrong):
            row = int(wrong[0])
            count, units = self._counts[row], self._n_units[row]
            raise SegmentationError(
                f"{count} boundaries at least {min_gap} apart do not fit into {units} units; lower the count or min_gap"
                if self._spread
                else f"count is {count}, but {units} units have {self._gaps[row]} gaps; lower it"
            )
        self._rng = _generator(seed)
        self._ptr = starts_of(self._counts)
        # If more than half of the gaps are boundaries, the others are drawn, so that rejection is always fast.
        self._dense = 2 * self._counts > self._gaps
        self._drawn: Ints = np.where(self._dense, self._gaps - self._counts, self._counts)
        self._base = starts_of(self._gaps)
        few = self._base[-1] <= min(_GAPS_EACH * self._ptr[-1] + _GAPS_MORE, 2**31)
        self._state = _words_of(self._rng) if few and draws.COMPILED else None

    def draw(self) -> Flat:
        """Return the next placement."""
        if self._state is not None:
            pos: Ints = np.empty(self._ptr[-1], dtype=np.int64)
            marks, words, again = self._space
            marks.fill(0)
            draws.place_gaps(
                self._gaps, self._drawn, self._base, self._ptr, self._spread, self._state, marks, words, again, pos
            )
        else:
            pos = self._places()
            if self._spread:
                pos = pos + self._spread * (np.arange(len(pos)) - np.repeat(self._ptr[:-1], self._counts))
        return Flat._known(self._n_units, self._ptr, pos)

    @functools.cached_property
    def _space(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint64], Ints]:
        """Memory that is kept from one draw to the next: marks for the gaps, and what has to be drawn again."""
        return (
            np.empty(self._base[-1], dtype=np.uint8),
            np.empty(len(self._gaps), dtype=np.uint64),
            np.empty(self._ptr[-1] + 1, dtype=np.int64),
        )

    @functools.cached_property
    def _owner(self) -> Ints:
        """The document of each gap that is drawn."""
        return np.repeat(np.arange(len(self._drawn)), self._drawn)

    def _places(self) -> Ints:
        """Return gaps of the shortened rows, increasing in each document."""
        keys = self._distinct()
        dense = np.flatnonzero(self._dense)
        if not len(dense):
            gaps: Ints = keys - self._base[self._owner] + 1
            return gaps
        sparse_places = ~self._dense[self._owner]
        pos = np.empty(self._ptr[-1], dtype=np.int64)
        is_dense = np.repeat(self._dense, self._counts)
        pos[~is_dense] = keys[sparse_places] - self._base[self._owner[sparse_places]] + 1
        pos[is_dense] = self._complement(dense, keys[~sparse_places], self._owner[~sparse_places])
        return pos

    def draws(self, number: int) -> Iterator[Flat]:
        """Yield ``number`` placements."""
        for _ in range(number):
            yield self.draw()

    def _distinct(self) -> Ints:
        """Return distinct gaps of each document as keys that increase over all documents.

        The first distinct values of a sequence of uniform draws are a uniform set, so a repeated gap is drawn again.
        Every document has its own range of keys, so that sorting all of them keeps documents apart.
        """
        keys = self._keys(self._owner)
        repeated = np.flatnonzero(keys[1:] == keys[:-1]) + 1
        if not len(repeated):
            return keys
        # Only what is drawn again is sorted again, since of a long document almost everything stays.
        owner, found = self._owner[repeated], [np.delete(keys, repeated)]
        while len(owner):
            again = self._keys(owner)
            taken = np.zeros(len(again), dtype=bool)
            taken[1:] = again[1:] == again[:-1]
            for known in found:
                taken |= known[np.minimum(np.searchsorted(known, again), len(known) - 1)] == again
            if not taken.all():
                found.append(again[~taken])
            owner = owner[taken]
        added = np.sort(np.concatenate(found[1:]))
        return np.insert(found[0], np.searchsorted(found[0], added), added)

    def _keys(self, owner: Ints) -> Ints:
        """Return a random gap of each of these documents as a key, in order; those of 32 bits sort in half the time."""
        highs, kind = self._gaps[owner], np.int32 if self._base[-1] <= np.iinfo(np.int32).max else np.int64
        one_bound = len(highs) and (highs == highs[0]).all()  # four times as fast, and gives the same
        gaps = self._rng.integers(0, highs[0], size=len(highs)) if one_bound else self._rng.integers(0, highs)
        keys: Ints = (self._base[owner] + gaps).astype(kind)
        keys.sort()
        return keys

    def _complement(self, dense: Ints, keys: Ints, owner: Ints) -> Ints:
        """Return the gaps of the dense documents that were not drawn; the cost is below twice their boundaries."""
        gaps = self._gaps[dense]
        starts = starts_of(gaps)
        place = np.zeros(len(self._gaps), dtype=np.int64)
        place[dense] = starts[:-1]
        is_boundary = np.ones(starts[-1], dtype=bool)
        is_boundary[keys - self._base[owner] + place[owner]] = False
        boundaries = np.flatnonzero(is_boundary)
        return boundaries - np.repeat(starts[:-1], self._counts[dense]) + 1


def checked_seed(seed: object) -> int:
    """Return a seed; refuse what is not one."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise SegmentationError(f"seed is {seed!r}; it must be a whole number, at least 0")
    return int(seed)


def _words_of(rng: np.random.Generator) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return the state of a generator, as the kernels go on with it."""
    held = rng.bit_generator.state
    number, step = held["state"]["state"], held["state"]["inc"]
    words = [number >> 64, number & _WORD, step >> 64, step & _WORD, held["uinteger"], held["has_uint32"]]
    return np.array(words, dtype=np.uint64)


def _generator(seed: int | Sequence[int] | np.random.Generator) -> np.random.Generator:
    if isinstance(seed, np.random.Generator):
        return seed
    parts = seed if isinstance(seed, Sequence) else [seed]
    return np.random.default_rng([checked_seed(part) for part in parts])


class ShuffledLengths:
    """Random orders of the segments of documents; every order of a document is equally likely.

    The same seed gives the same sequence of draws.

    >>> flat = Flat(np.array([10]), np.array([0, 2]), np.array([1, 4]))
    >>> shuffled = ShuffledLengths(flat, seed=1).draw()
    >>> sorted(np.diff([0, *shuffled.pos.tolist(), 10]).tolist())
    [1, 3, 6]
    """

    def __init__(self, flat: Flat, *, seed: int | Sequence[int]) -> None:
        self._rng = _generator(seed)
        self._flat = flat
        self._lengths = flat.masses()
        self._owner = np.repeat(np.arange(len(flat)), np.diff(flat.ptr) + 1)
        self._is_end = np.zeros(len(self._lengths), dtype=bool)
        self._is_end[flat.ptr[1:] + np.arange(len(flat))] = True

    def draw(self) -> Flat:
        """Return the next order."""
        # Random keys sorted within each document: the order of documents is kept, that of segments is not.
        order = np.lexsort((self._rng.random(len(self._owner)), self._owner))
        ends = np.cumsum(self._lengths[order])
        before = np.concatenate(([0], np.cumsum(self._flat.n_units)[:-1]))
        pos = (ends - before[self._owner])[~self._is_end]
        return Flat._known(self._flat.n_units, self._flat.ptr, pos)


def random_boundaries(
    n_units: int, count: int, *, seed: int | np.random.Generator, unit: str = UNSPECIFIED_UNIT
) -> Segmentation:
    """Set ``count`` boundaries at random gaps, at most one per gap, each gap equally likely.

    >>> random_boundaries(10, 3, seed=1).n_boundaries
    3
    """
    if not 0 <= count <= n_units - 1:
        raise SegmentationError(f"count is {count}, but {n_units} units have {n_units - 1} gaps; lower it")
    gaps = _generator(seed).choice(n_units - 1, size=count, replace=False) + 1
    return Segmentation(n_units, np.sort(gaps), unit=unit)


def random_gaps(
    n_units: int, p: float, *, seed: int | np.random.Generator, unit: str = UNSPECIFIED_UNIT
) -> Segmentation:
    """Make each gap a boundary with probability ``p``, independently.

    >>> random_gaps(10, 1.0, seed=1).n_boundaries
    9
    """
    if not 0 <= p <= 1:
        raise SegmentationError(f"p is {p}; it must be a probability between 0 and 1")
    rng = _generator(seed)
    # The number of boundaries is binomial, and any set of that size is equally likely: no draw per gap is needed.
    return random_boundaries(n_units, int(rng.binomial(n_units - 1, p)), seed=rng, unit=unit)
