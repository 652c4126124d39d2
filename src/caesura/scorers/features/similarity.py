# SPDX-License-Identifier: Apache-2.0
"""Similarities of all pairs of units by their terms."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator

import numpy as np

from caesura.kernels import one_thread
from caesura.scorers.features.terms import Floats, Ints, Terms

__all__ = ["ALL_PAIRS", "cosine_matrix", "cosine_rows", "inverse_frequencies", "neighbour_weights"]


ALL_PAIRS = 5000  # units up to which the similarities of all pairs are kept
_ROWS = 256  # rows that are scaled and mirrored together
_CELLS = 1 << 20  # maximum entries of a block of rows, and of the products of its terms


def inverse_frequencies(terms: Terms, parts: int) -> Floats:
    """Return ln(parts / parts with the term) of each term, for a document cut into equal parts.

    >>> from caesura.scorers.features.terms import count_terms
    >>> inverse_frequencies(count_terms([["a", "b"], ["a"]]), 2).round(3).tolist()
    [0.0, 0.693]
    """
    parts = min(parts, terms.n_units)
    part = terms.unit * parts // terms.n_units
    size = max(len(terms.vocabulary), 1)
    holders = np.unique(part * size + terms.term) % size
    return np.log(parts / np.maximum(np.bincount(holders, minlength=len(terms.vocabulary)), 1))


def neighbour_weights(decay: float, reach: int) -> Floats:
    """Return exp(-decay · distance) for the distances -reach .. reach."""
    return np.array([math.exp(-decay * abs(distance)) for distance in range(-reach, reach + 1)])


def cosine_matrix(terms: Terms, weights: Floats | None = None) -> Floats:
    """Return the cosine of every two units, symmetric to the bit; 0 if one has no terms, 1 for a unit with itself.

    By ``weights``, as `neighbour_weights` gives them, each unit takes up the terms of its neighbours.
    """
    n = terms.n_units
    products = np.zeros((n, n))
    with one_thread():
        for slab in terms.slabs():
            taken = slab if weights is None else _spread(slab, weights)
            products += taken @ taken.T
    length = np.sqrt(np.diag(products))
    scale = np.divide(1.0, length, out=np.zeros(n), where=length > 0)
    for first in range(0, n, _ROWS):
        block, rest = slice(first, first + _ROWS), slice(first + _ROWS, n)
        products[block, first:] *= np.multiply.outer(scale[block], scale[first:])
        products[rest, block] = products[block, rest].T
        upper = np.triu(products[block, block], 1)
        products[block, block] = upper + upper.T
    np.fill_diagonal(products, 1.0)
    return products


def cosine_rows(terms: Terms, weights: Floats | None = None, order: Ints | None = None) -> Iterator[Floats]:
    """Yield the rows of `cosine_matrix` one at a time, so that a long document fits the memory.

    ``order`` is that of rows and columns, if different from the document's.
    """
    n, size = terms.n_units, len(terms.vocabulary)
    near = terms if weights is None else _spread_terms(terms, weights)
    length = np.sqrt(np.bincount(near.unit, near.count**2, minlength=n))
    scale = np.divide(1.0, length, out=np.zeros(n), where=length > 0)
    by_term = np.argsort(terms.term, kind="stable")
    holders = np.searchsorted(terms.term[by_term], np.arange(size + 1))
    entries = np.searchsorted(near.unit, np.arange(n + 1))
    held = np.diff(holders)[near.term]  # units that hold the term of each entry
    work = np.concatenate(([0], np.cumsum(held)))[entries]
    places = np.arange(n) if order is None else order
    first = 0
    while first < n:
        products = np.cumsum(np.diff(work)[places[first:]])
        last = first + max(1, min(int(np.searchsorted(products, _CELLS, side="right")), _CELLS // n))
        units = places[first:last]
        mine = _ranges(entries[units], entries[units + 1])
        pair = np.repeat(mine, held[mine])
        there = by_term[_ranges(holders[near.term[mine]], holders[near.term[mine] + 1])]
        row = np.repeat(np.arange(len(units)), np.diff(work)[units])
        values = near.count[pair] * terms.count[there]
        cells = np.bincount(row * n + terms.unit[there], values, minlength=len(units) * n)
        block = cells.astype(np.float64).reshape(-1, n)
        if weights is not None:
            block = _spread(block.T, weights).T
        block = block * np.multiply.outer(scale[units], scale)
        block[np.arange(len(units)), units] = 1.0
        yield from block[:, places]
        first = last


def _ranges(starts: Ints, ends: Ints) -> Ints:
    """Return the concatenated ranges from each start to its end (exclusive)."""
    sizes = ends - starts
    numbers: Ints = np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    return numbers


def _spread_terms(terms: Terms, weights: Floats) -> Terms:
    """Return the weighted terms of each unit and its neighbours."""
    reach, size = len(weights) // 2, max(len(terms.vocabulary), 1)
    units = np.add.outer(np.arange(-reach, reach + 1), terms.unit)
    inside = (units >= 0) & (units < terms.n_units)
    keys, place = np.unique((units * size + terms.term)[inside], return_inverse=True)
    count = np.bincount(place, np.multiply.outer(weights, terms.count)[inside], minlength=len(keys))
    return dataclasses.replace(terms, unit=keys // size, term=keys % size, count=count.astype(np.float64))


def _spread(slab: Floats, weights: Floats) -> Floats:
    """Return the weighted sum of each row and its neighbours."""
    reach, n = len(weights) // 2, len(slab)
    spread = np.zeros_like(slab)
    for distance, weight in zip(range(-reach, reach + 1), weights, strict=True):
        low, high = max(0, -distance), min(n, n - distance)
        if low < high:
            spread[low:high] += weight * slab[low + distance : high + distance]
    return spread
