# SPDX-License-Identifier: Apache-2.0
"""Conditions under which normal theory replaces resampling: many documents, none of them dominant.

A sum over many documents is normally distributed (the central limit theorem) if many of them contribute to its variance.
Resampling and permutation then give the same result as the moments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["NORMAL_FROM", "RESAMPLED_TO", "are_spread", "is_normal"]

NORMAL_FROM = 20_000
"""From this number of documents on, normal theory replaces resampling, unless a few documents dominate."""
RESAMPLED_TO = 100_000
"""Above this number of documents nothing is resampled."""
_ROWS = 300  # documents of equal weight that suffice: an interval then changes less than between seeds


def are_spread(influences: npt.NDArray[np.float64]) -> bool:
    """Return whether a score varies as if at least 300 documents contributed equally, given their influences.

    >>> are_spread(np.ones(400)), are_spread(np.eye(400)[0]), are_spread(np.zeros(3)), are_spread(np.array([np.inf]))
    (True, False, True, False)
    """
    with np.errstate(invalid="ignore", over="ignore"):
        squares = np.square(influences)
        total, fourth = float(squares.sum()), float(np.square(squares).sum())
    return _ROWS * fourth <= total * total and math.isfinite(total)


def is_normal(documents: int, influences: Iterable[npt.NDArray[np.float64]]) -> bool:
    """Return whether normal theory is used, given the influences of the documents on each score, read only if needed."""
    return documents > RESAMPLED_TO or (documents >= NORMAL_FROM and all(map(are_spread, influences)))
