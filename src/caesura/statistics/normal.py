# SPDX-License-Identifier: Apache-2.0
"""When normal theory takes the place of resampling: with many documents, none of which decide alone.

A sum over many documents is normally distributed (the central limit theorem) if many of them contribute to its variation. Then
resampling and permutation give what the moments give at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["NORMAL_FROM", "RESAMPLED_TO", "are_spread", "is_normal"]

NORMAL_FROM = 20_000
"""With so many documents or more, normal theory takes the place of resampling, unless a few documents decide."""
RESAMPLED_TO = 100_000
"""With more documents than this nothing is resampled."""
_ROWS = 300  # of equal weight, that are enough: an interval then moves by less than it does from seed to seed


def are_spread(influences: npt.NDArray[np.float64]) -> bool:
    """Say whether a score varies as if at least 300 documents contributed equally, given how far each of them moves it.

    >>> are_spread(np.ones(400)), are_spread(np.eye(400)[0]), are_spread(np.zeros(3)), are_spread(np.array([np.inf]))
    (True, False, True, False)
    """
    with np.errstate(invalid="ignore", over="ignore"):
        squares = np.square(influences)
        total, fourth = float(squares.sum()), float(np.square(squares).sum())
    return _ROWS * fourth <= total * total and math.isfinite(total)


def is_normal(documents: int, influences: Iterable[npt.NDArray[np.float64]]) -> bool:
    """Say whether normal theory is used, given how far each document moves each score; they are looked at only if they matter."""
    return documents > RESAMPLED_TO or (documents >= NORMAL_FROM and all(map(are_spread, influences)))
