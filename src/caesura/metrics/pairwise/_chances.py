# SPDX-License-Identifier: Apache-2.0
"""How many of some gaps are drawn by chance."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.metrics.base import Floats

__all__ = ["share_with", "share_without", "too_long"]

_LOOKED_UP = 1 << 16
_LONGEST = 1 << 27  # units up to which differences of ln n! leave seven digits


def too_long(pairs: Pairs) -> bool:
    """Return whether a document has so many units that `share_with` would lose digits that are shown.

    >>> from caesura.segmentation import Segmentation
    >>> [too_long(Pairs.of(each, each)) for each in (Segmentation(86_400_000), Segmentation(2**28))]
    [False, True]
    """
    return int(pairs.n_units.max(initial=0)) > _LONGEST


def share_with(inside: Ints, k: Ints, pairs: Pairs, document: Ints) -> Floats:
    """Return the probability that c of k gaps of a document are drawn: C(k, c) C(g-k, m-c) / C(g, m).

    With m of the g gaps drawn at random, the number in any k of them is hypergeometric.
    """
    gaps, drawn = pairs.n_units - 1, np.diff(pairs.hyp_ptr)
    log_factorial = _log_factorials(int(gaps.max(initial=0)))

    def log_choose(n: Ints, c: Ints) -> Floats:
        return log_factorial(n) - log_factorial(c) - log_factorial(n - c)

    every = log_choose(gaps, drawn)[document]
    gaps, drawn = gaps[document], drawn[document]
    possible = (inside <= k) & (inside <= drawn) & (drawn - inside <= gaps - k)
    c, rest, others, within = (np.where(possible, each, 0) for each in (inside, drawn - inside, gaps - k, k))
    logarithm = log_choose(within, c) + log_choose(others, rest) - every
    return np.where(possible, np.exp(np.minimum(logarithm, 0.0)), 0.0)


def share_without(k: Ints, pairs: Pairs, document: Ints) -> Floats:
    """Return the probability that none of k gaps of a document is drawn, C(g-k, m) / C(g, m); where that is more than all, 0."""
    gaps, drawn = pairs.n_units - 1, np.diff(pairs.hyp_ptr)
    log_factorial = _log_factorials(int(gaps.max(initial=0)))
    every = (log_factorial(gaps) - log_factorial(gaps - drawn))[document]
    others = gaps[document] - k
    left = others - drawn[document]
    logarithm = log_factorial(others) - log_factorial(np.maximum(left, 0)) - every
    return np.where(left >= 0, np.exp(np.minimum(logarithm, 0.0)), 0.0)


def _log_factorials(most: int) -> Callable[[Ints], Floats]:
    """Return the function that gives ln n! of whole numbers up to ``most``: looked up, unless the table would be too long."""
    if most > _LOOKED_UP:
        from scipy.special import gammaln  # type: ignore[import-untyped]

        return lambda n: np.asarray(gammaln(n + 1.0))
    return _table(1 << most.bit_length()).take


@functools.lru_cache(maxsize=4)
def _table(numbers: int) -> Floats:
    return np.array([math.lgamma(n + 1) for n in range(numbers)])
