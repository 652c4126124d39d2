# SPDX-License-Identifier: Apache-2.0
"""Similarities of all pairs of units, of their terms."""

from __future__ import annotations

import math
import warnings

import numpy as np
import numpy.typing as npt

from caesura.errors import CaesuraWarning
from caesura.kernels import one_thread
from caesura.scorers.features.terms import Terms

__all__ = ["cosine_matrix", "inverse_frequencies", "neighbour_weights"]

Floats = npt.NDArray[np.float64]

_LARGE = 5000  # units above which the memory of all pairs is reported


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


def cosine_matrix(terms: Terms, who: str, weights: Floats | None = None) -> Floats:
    """Return the cosine of every two units; 0 if one has no terms, and 1 of a unit with itself.

    Parameters
    ----------
    terms : Terms
        The counts.
    who : str
        Who needs the matrix, for the message about a long document.
    weights : array, optional
        Weights by which each unit takes up the terms of its neighbours, as `neighbour_weights` gives them.
    """
    n = terms.n_units
    if n > _LARGE:
        message = f"{who}: the similarities of {n} units take {8 * n * n >> 20} MB"
        warnings.warn(CaesuraWarning(message), stacklevel=2)
    products = np.zeros((n, n))
    with one_thread():
        for slab in terms.slabs():
            taken = slab if weights is None else _spread(slab, weights)
            products += taken @ taken.T
    length = np.sqrt(np.diag(products))
    scale = np.divide(1.0, length, out=np.zeros(n), where=length > 0)
    products *= scale[:, None]
    products *= scale[None, :]
    np.fill_diagonal(products, 1.0)
    return products


def _spread(slab: Floats, weights: Floats) -> Floats:
    """Return each row plus its neighbours by weight."""
    reach, n = len(weights) // 2, len(slab)
    spread = np.zeros_like(slab)
    for distance, weight in zip(range(-reach, reach + 1), weights, strict=True):
        low, high = max(0, -distance), min(n, n - distance)
        if low < high:
            spread[low:high] += weight * slab[low + distance : high + distance]
    return spread
