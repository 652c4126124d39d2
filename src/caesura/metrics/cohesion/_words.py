# SPDX-License-Identifier: Apache-2.0
"""How alike the words of a segment are: their evidence if each segment has its own distribution of words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from caesura.batches.flat import Ints
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._likeness import block_sums, rotated_sums
from caesura.metrics.cohesion._prefix import running

__all__ = ["Entries", "Occurrences", "WordLikeness", "evidence_steps", "words_of"]

# Decided by measurement: docs/placement.md.
_ALPHA = 0.1  # what the prior counts of each stretch
_LETTERS = 4
_TOGETHER = 64  # distances between occurrences of a word counted together
_TABLE = (
    2048  # units up to which all segments are valued at once: 84 s less for a sweep without a reference on 12 meetings
)
_CELLS = 1 << 19  # words looked at together otherwise
_WORD = re.compile(r"[^\W\d_]+")


class _Places:
    """Places in units, in the order of words and then of units."""

    word: Ints
    unit: Ints

    def pairs(self, width: int) -> Iterator[tuple[Ints, Ints]]:
        """Yield the pairs of places of one word that lie fewer than ``width`` units apart, many at a time."""
        key = self.word * (int(self.unit.max(initial=0)) + width) + self.unit
        later = np.searchsorted(key, key + width) - np.arange(1, len(key) + 1)
        ends = np.cumsum(later)
        begin = 0
        while begin < len(key):
            before = int(ends[begin - 1]) if begin else 0
            stop = max(begin + 1, int(np.searchsorted(ends, before + _CELLS, side="right")))
            some = later[begin:stop]
            first = np.repeat(np.arange(begin, stop), some)
            within = np.arange(len(first)) - np.repeat(ends[begin:stop] - some - before, some)
            yield first, first + 1 + within
            begin = stop


class Occurrences(_Places):
    """The words of a document, in the order of words and then of units; "words" are stretches of four letters (`words_of`)."""

    def __init__(self, texts: Sequence[str]) -> None:
        words = [words_of(text) for text in texts]
        places = {word: place for place, word in enumerate(dict.fromkeys(w for unit in words for w in unit))}
        word = np.array([places[w] for unit in words for w in unit], dtype=np.int64)
        unit = np.repeat(np.arange(len(words)), [len(each) for each in words])
        order = np.argsort(word, kind="stable")
        self.n_units, self.n_words = len(words), len(places)
        self.word, self.unit = word[order], unit[order]

    def distinct(self) -> Entries:
        """Return each word of each unit once."""
        return Entries(self)


class Entries(_Places):
    """Each word of each unit once, with its weight: ln(1 + times) ln(units / units that have it)."""

    def __init__(self, found: Occurrences) -> None:
        new = np.ones(len(found.word), dtype=bool)
        new[1:] = (found.word[1:] != found.word[:-1]) | (found.unit[1:] != found.unit[:-1])
        begin = np.flatnonzero(new)
        self.n_units = found.n_units
        self.word, self.unit = found.word[begin], found.unit[begin]
        times = np.diff(np.append(begin, len(found.word)))
        units = np.bincount(self.word)
        self.weight: Floats = np.log1p(times) * np.log(found.n_units / units)[self.word]

    def unseen(self, widths: Sequence[int]) -> Floats:
        """Return, for each width, the share of the words after each gap that are not in the window before it, then the reverse."""
        most = max(widths) + 1
        step = np.full(len(self.unit) + 1, most)
        np.subtract(self.unit[1:], self.unit[:-1], out=step[1:-1], where=self.word[1:] == self.word[:-1])
        known = np.bincount(self.unit, minlength=self.n_units).astype(np.float64)
        rows = []
        for apart, units in ((step[:-1], slice(1, None)), (step[1:], slice(None, -1))):
            times = np.bincount(self.unit * (most + 1) + np.minimum(apart, most), minlength=self.n_units * (most + 1))
            seen = times.reshape(self.n_units, most + 1).cumsum(axis=1)[:, widths].astype(np.float64)
            rows.append((1.0 - ratio(seen, known[:, None], empty=1.0))[units].T)
        return np.concatenate(rows)


def evidence_steps(found: Occurrences) -> tuple[Floats, Floats]:
    """Return ln G(a + c) - ln G(a) of c occurrences of one word, and the same of all words of a document together."""
    steps = np.arange(len(found.word))
    return running(np.log(_ALPHA + steps)), running(np.log(_ALPHA * max(found.n_words, 1) + steps))


class WordLikeness:
    """The evidence of the words of one document: a Dirichlet compound multinomial for each segment.

    "Words" are stretches of four letters (`words_of`). A segment of N words in which word w occurs c_w times has the sum over words of ln G(a + c_w) - ln G(a), plus
    ln G(V a) - ln G(V a + N), where G is the gamma function and V is the number of different words of the document.
    """

    def __init__(self, texts: Sequence[str] | Occurrences) -> None:
        found = texts if isinstance(texts, Occurrences) else Occurrences(texts)
        self._word, self._unit = found.word, found.unit
        self.whole = float(len(found.word))
        self._before = running(np.bincount(found.unit, minlength=found.n_units).astype(np.float64)).astype(np.int64)
        self._own, self._all = evidence_steps(found)
        self._table = self._every_segment() if found.n_units <= _TABLE else None

    def values(self, edges: Ints) -> Floats:
        """Return the evidence of each segment."""
        if self._table is not None:
            return self._table.take(edges[:, :-1] * len(self._table) + edges[:, 1:])
        step = max(1, _CELLS // max(len(self._word), 1))
        parts = [self._counted(edges[begin : begin + step]) for begin in range(0, len(edges), step)]
        return np.concatenate(parts)

    def totals(self, boundaries: Ints, by: Ints) -> Floats | None:
        """Return the sum over all segments after each shift, where the compiled loop can do it."""
        return rotated_sums(self._table, boundaries, by)

    def usual(self, length: int) -> float:
        """Return the mean over all stretches of so many units."""
        if self._table is not None:
            return float(np.diagonal(self._table, length).mean())
        n_units, total = len(self._before) - 1, 0.0
        for begin in range(min(length, n_units - length + 1)):
            inner = np.arange(begin, n_units + 1, length)
            edges = np.unique(np.concatenate(([0], inner, [n_units])))
            values = self._counted(edges[None])[0]
            first = 1 if begin else 0
            total += float(values[first : first + len(inner) - 1].sum())
        return total / (n_units - length + 1)

    def _every_segment(self) -> Floats:
        """Return the evidence of every segment, from pairs of occurrences of a word.

        The c-th occurrence of a word in a segment adds ln(a + c - 1). This is ln a, and for each earlier occurrence in the
        segment, t occurrences before it, ln(a + t) - ln(a + t - 1): a sum over pairs, and so over blocks of a matrix.
        """
        n_units = len(self._before) - 1
        pairs = np.zeros(n_units * n_units)
        gain = np.diff(np.log(_ALPHA + np.arange(len(self._word) + 1)))
        first = np.arange(len(self._word))
        cells: list[Ints] = []
        weights: list[Floats] = []
        for apart in range(1, len(self._word)):
            first = first[: np.searchsorted(first, len(self._word) - apart)]
            first = first[self._word[first] == self._word[first + apart]]
            cells.append(self._unit[first] * n_units + self._unit[first + apart])
            weights.append(np.full(len(first), gain[apart - 1]))
            last = not len(first) or apart == len(self._word) - 1
            if last or len(cells) == _TOGETHER:
                pairs += np.bincount(np.concatenate(cells), np.concatenate(weights), len(pairs))
                cells, weights = [], []
            if last:
                break
        square = pairs.reshape(n_units, n_units)
        out = block_sums((square + square.T) / 2)
        # Below the diagonal there is no segment.
        counts = np.maximum(self._before - self._before[:, None], 0)
        out += counts * np.log(_ALPHA)
        out -= self._all[counts]
        return out

    def _counted(self, edges: Ints) -> Floats:
        """Return the evidence of each segment from the lengths of runs of one word in one segment."""
        rows, segments = len(edges), edges.shape[1] - 1
        lengths = np.diff(edges, axis=1)
        owner = np.repeat(np.arange(rows * segments), lengths.ravel()).reshape(rows, -1)[:, self._unit]
        new = np.ones(owner.shape, dtype=bool)
        new[:, 1:] = (owner[:, 1:] != owner[:, :-1]) | (self._word[1:] != self._word[:-1])
        begin = np.flatnonzero(new)
        runs = np.diff(np.append(begin, owner.size))
        out = np.bincount(owner.ravel()[begin], self._own[runs], minlength=rows * segments)
        words = self._before[edges[:, 1:]] - self._before[edges[:, :-1]]
        return np.asarray(out.reshape(rows, segments) - self._all[words])


def words_of(text: str) -> list[str]:
    """Return what is counted of a text: every four letters in a row of each word, and shorter words whole.

    Stretches of letters do the work of stemming and of a list of stop words in any language.

    >>> words_of("It's clocks, Mr. X!")
    ['it', 's', 'cloc', 'lock', 'ocks', 'mr', 'x']
    """
    return [
        word[begin : begin + _LETTERS]
        for word in _WORD.findall(text.casefold())
        for begin in range(max(1, len(word) - _LETTERS + 1))
    ]
