# SPDX-License-Identifier: Apache-2.0
"""Counts of terms in the units of a document."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from caesura.scorers.features.stems import stem
from caesura.scorers.features.words import stop_list, words

__all__ = ["Terms", "count_terms", "terms_of", "weigh_terms"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_CELLS = 1 << 22  # numbers in one slab of a dense matrix


@dataclasses.dataclass(frozen=True)
class Terms:
    """The counts of terms in units, as a sparse matrix sorted by unit and then by term."""

    n_units: int
    vocabulary: tuple[str, ...]
    unit: Ints  # [E]: the unit of each entry
    term: Ints  # [E]: its term, an index of `vocabulary`
    count: Floats  # [E]: the count of the term in the unit

    def weighted(self, weights: Floats) -> Terms:
        """Return the counts times the weight of their term."""
        return dataclasses.replace(self, count=self.count * weights[self.term])

    def part(self, first: int, last: int) -> Terms:
        """Return the counts of the units from ``first`` to ``last`` (exclusive)."""
        lo, hi = np.searchsorted(self.unit, (first, last))
        unit, term, count = self.unit[lo:hi] - first, self.term[lo:hi], self.count[lo:hi]
        return dataclasses.replace(self, n_units=last - first, unit=unit, term=term, count=count)

    def slabs(self) -> Iterator[Floats]:
        """Yield the matrix of units by terms in slabs of columns, so that a long document fits the memory."""
        width = max(1, _CELLS // max(self.n_units, 1))
        order = np.argsort(self.term, kind="stable")
        unit, term, count = self.unit[order], self.term[order], self.count[order]
        for first in range(0, len(self.vocabulary), width):
            last = min(first + width, len(self.vocabulary))
            lo, hi = np.searchsorted(term, (first, last))
            slab = np.zeros((self.n_units, last - first))
            slab[unit[lo:hi], term[lo:hi] - first] = count[lo:hi]
            yield slab

    @functools.cached_property
    def totals(self) -> Floats:
        """The counts of each term in the whole document."""
        sums = np.bincount(self.term, weights=self.count, minlength=len(self.vocabulary))
        return sums.astype(np.float64)


def terms_of(text: str, stop_words: str = "english", stemmed: bool = True) -> list[str]:
    """Return the terms of a text: its words without stop words, as stems.

    >>> terms_of("The cats were sleeping on a mat.")
    ['cat', 'sleep', 'mat']
    """
    stops = stop_list(stop_words)
    kept = [word for word in words(text) if word not in stops]
    return [stem(word.removesuffix("'s")) for word in kept] if stemmed else kept


def count_terms(lists: Sequence[Sequence[str]]) -> Terms:
    """Return the counts of terms given as one list per unit.

    >>> terms = count_terms([["cat", "cat"], [], ["mat", "cat"]])
    >>> terms.vocabulary, terms.unit.tolist(), terms.term.tolist(), terms.count.tolist()
    (('cat', 'mat'), [0, 2, 2], [0, 0, 1], [2.0, 1.0, 1.0])
    """
    places: dict[str, int] = {}
    flat = [places.setdefault(term, len(places)) for terms in lists for term in terms]
    unit = np.repeat(np.arange(len(lists)), [len(terms) for terms in lists])
    size = max(len(places), 1)
    keys, count = np.unique(unit * size + np.array(flat, dtype=np.int64), return_counts=True)
    return Terms(len(lists), tuple(places), keys // size, keys % size, count.astype(np.float64))


def weigh_terms(weights: Sequence[Mapping[str, float]]) -> Terms:
    """Return terms with a separate weight in each unit.

    >>> weigh_terms([{"cat": 2.0}, {"mat": 0.5, "cat": 1.0}]).count.tolist()
    [2.0, 1.0, 0.5]
    """
    counted = count_terms([list(of) for of in weights])
    vocabulary = counted.vocabulary
    own = [weights[unit][vocabulary[term]] for unit, term in zip(counted.unit, counted.term, strict=True)]
    return dataclasses.replace(counted, count=np.array(own, dtype=np.float64))
