# SPDX-License-Identifier: Apache-2.0
"""Scores of systems that insert one boundary after another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["division_scores"]


def division_scores(order: npt.NDArray[np.int64], n_units: int) -> npt.NDArray[np.float64]:
    """Return 1 - k / n for each gap, where k is the largest number of segments at which it is not a boundary.

    ``order`` lists gaps from the first division to the last; a gap that is not in it follows after all others.

    >>> division_scores(np.array([2, 1]), 4).tolist()
    [0.5, 0.75, 0.25]
    """
    absent = np.full(n_units - 1, len(order) + 1)
    absent[order - 1] = np.arange(1, len(order) + 1)
    return np.asarray(1 - absent / n_units, dtype=np.float64)
