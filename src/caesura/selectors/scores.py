# SPDX-License-Identifier: Apache-2.0
"""Selection over a whole corpus of scores, for many thresholds at once."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from caesura.batches.flat import Flat, Ints, starts_of
from caesura.corpus import Corpus
from caesura.errors import SegmentationError
from caesura.selectors._base import Floats, Scores, checked_scores

__all__ = ["FlatScores"]


@dataclasses.dataclass(frozen=True)
class FlatScores:
    """The scores of many documents as flat arrays, with the order in which a greedy selector takes the gaps."""

    n_units: Ints  # [D]: units of each document
    scores: Floats  # [G]: the scores of all documents, one per gap
    min_gap: int = 1  # minimum distance between two boundaries

    def __post_init__(self) -> None:
        if self.min_gap < 1:
            raise SegmentationError(f"min_gap is {self.min_gap}; it must be at least 1 (no spacing)")
        n_units = Flat.without_boundaries(self.n_units).n_units
        gaps = int((n_units - 1).sum())
        scores = checked_scores(self.scores)
        if len(scores) != gaps:
            raise SegmentationError(f"there are {len(scores)} scores for {gaps} gaps; give one per gap")
        self.__dict__.update(n_units=n_units, scores=scores)

    @classmethod
    def from_corpus(cls, corpus: Corpus, ids: Iterable[str], min_gap: int = 1) -> FlatScores:
        """Return the scores of the given documents, in that order."""
        parts, units = {}, []
        keys = list(ids)
        documents = iter(corpus) if keys == list(corpus.ids) else map(corpus.__getitem__, keys)
        for key, document in zip(keys, documents, strict=True):
            if document.scores is None:
                raise SegmentationError(
                    f"document {key!r} of {corpus.name or 'the scores'} has no scores; give one per gap"
                )
            parts[key] = document.scores
            units.append(document.n_units)
        arrays = _as_arrays(parts)
        scores = np.concatenate(arrays) if arrays else np.empty(0)
        if not np.isfinite(scores).all():
            _checked_one_by_one(parts)
        return cls(np.array(units, dtype=np.int64), scores, min_gap)

    @functools.cached_property
    def ptr(self) -> Ints:
        """``scores[ptr[d]:ptr[d + 1]]`` are the scores of document ``d``."""
        return starts_of(self.n_units - 1)

    @property
    def document(self) -> Ints:
        """The index of the document of each gap."""
        return np.repeat(np.arange(len(self.n_units)), np.diff(self.ptr))

    @functools.cached_property
    def ranks(self) -> Ints:
        """The rank at which each gap is accepted, from 0 in each document; -1 if a better gap is too near.

        Gaps are taken by descending score, ties by position. The walk for a threshold is the head of the walk for any lower
        one, so that one walk serves every threshold.
        """
        order = np.lexsort((np.arange(len(self.scores)), -self.scores, self.document))
        ranks = np.empty(len(self.scores), dtype=np.int64)
        if self.min_gap == 1:
            ranks[order] = np.arange(len(order)) - self.ptr[self.document]
            return ranks
        listed = [-1] * len(order)
        ptr, places = self.ptr.tolist(), order.tolist()
        for begin, end in itertools.pairwise(ptr):
            taken = bytearray(end - begin)
            rank = 0
            for place in places[begin:end]:
                gap = place - begin
                if not taken[gap]:
                    listed[place] = rank
                    rank += 1
                    first, last = max(gap - self.min_gap + 1, 0), min(gap + self.min_gap, end - begin)
                    taken[first:last] = b"\1" * (last - first)
        ranks[:] = listed
        return ranks

    def at_threshold(self, threshold: float) -> Flat:
        """Return the boundaries of a static selector with this threshold."""
        return next(self.at_thresholds([threshold]))

    def at_thresholds(self, thresholds: Sequence[float] | Floats) -> Iterator[Flat]:
        """Yield the boundaries of a static selector at each of ascending thresholds."""
        places = None
        for threshold in thresholds:
            if places is None:
                reached = self.scores >= threshold
                # Without spacing every gap is accepted, and the order does not matter.
                places = np.flatnonzero(reached if self.min_gap == 1 else reached & (self.ranks >= 0))
                scores = self.scores[places]
            else:
                # A higher threshold selects a subset of the gaps of a lower one.
                reaching = np.flatnonzero(scores >= threshold)
                places, scores = places[reaching], scores[reaching]
            yield self._flat(places)

    def at_counts(self, counts: Ints) -> Flat:
        """Return the best gaps of each document, up to a number per document, or fewer if the spacing requires it."""
        return self._flat(np.flatnonzero((self.ranks >= 0) & (self.ranks < counts[self.document])))

    def _flat(self, places: Ints) -> Flat:
        """Return the gaps at some indices of `scores` as boundaries of their documents."""
        ptr = np.searchsorted(places, self.ptr).astype(np.int64)
        pos = np.repeat(self.ptr[:-1] - 1, np.diff(ptr))
        return Flat(self.n_units, ptr, np.subtract(places, pos, out=pos))


def _as_arrays(parts: Mapping[str, Scores]) -> list[Floats]:
    """Return the scores of each document as an array; the caller checks that they are finite."""
    try:
        arrays = [np.asarray(scores, dtype=np.float64) for scores in parts.values()]
    except (TypeError, ValueError):
        return _checked_one_by_one(parts)
    return arrays if all(array.ndim == 1 for array in arrays) else _checked_one_by_one(parts)


def _checked_one_by_one(parts: Mapping[str, Scores]) -> list[Floats]:
    """Return the scores of each document as an array; name the document whose scores are invalid."""
    arrays = []
    for key, scores in parts.items():
        try:
            arrays.append(checked_scores(scores))
        except SegmentationError as error:
            raise SegmentationError(f"document {key!r}: {error}") from None
    return arrays
