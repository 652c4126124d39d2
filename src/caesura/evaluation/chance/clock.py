# SPDX-License-Identifier: Apache-2.0
"""The blind clock: evenly spaced boundaries at the density of a hypothesis, placed without reading the text.

A useful system beats the better of two clocks: ``every`` has one period for all documents, chosen so that the total number
of boundaries is about the same; ``even`` has as many boundaries in each document as the hypothesis.
"""

from __future__ import annotations

import numpy as np

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.placements.even import even_of_each, every_of_each

__all__ = ["clock_pairs", "nearest_period", "period_of"]


def clock_pairs(pairs: Pairs) -> dict[str, Pairs]:
    """Return the clocks of a hypothesis, each as a hypothesis of the same documents."""
    clocks = {
        "every": every_of_each(pairs.n_units, period_of(pairs)),
        "even": even_of_each(pairs.n_units, np.diff(pairs.hyp_ptr)),
    }
    return {kind: pairs.against(clock) for kind, clock in clocks.items()}


def period_of(pairs: Pairs) -> int:
    """Return the period that gives about as many boundaries as the hypothesis; its own period if it is a clock.

    >>> from caesura.segmentation import Segmentation
    >>> period_of(Pairs.of(Segmentation(23, (4,)), Segmentation(23, (10, 20))))  # its own, though 8 gives 2 as well
    10
    >>> period_of(Pairs.of(Segmentation(23, (4,)), Segmentation(23, (2, 7, 9, 20))))
    5
    """
    filled = pairs.hyp_ptr[1:] > pairs.hyp_ptr[:-1]
    total, longest = len(pairs.hyp_pos), int(pairs.n_units.max(initial=1))
    if not total:
        return longest
    own = int(pairs.hyp_pos[pairs.hyp_ptr[:-1][filled][0]])
    # Counted before it is made: a clock of that period may have far more boundaries than the hypothesis.
    as_many = np.array_equal((pairs.n_units - 1) // own, np.diff(pairs.hyp_ptr))
    if as_many and np.array_equal(every_of_each(pairs.n_units, own).pos, pairs.hyp_pos):
        return own
    return nearest_period(pairs.n_units, total)


def nearest_period(n_units: Ints, total: int) -> int:
    """Return the period of a clock that has about ``total`` boundaries in all documents.

    >>> nearest_period(np.array([23]), 4)
    5
    """
    low, high = 1, int(n_units.max(initial=1))  # the number of boundaries falls as the period grows
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if _number(n_units, middle) > total else (low, middle)
    return min((low, max(low - 1, 1)), key=lambda period: abs(_number(n_units, period) - total))


def _number(n_units: Ints, period: int) -> int:
    return int(((n_units - 1) // period).sum())
