# SPDX-License-Identifier: Apache-2.0
"""How large a paired difference is beside its spread."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

__all__ = ["paired_effect"]


def paired_effect(differences: npt.NDArray[np.float64]) -> float:
    """Return the mean of paired differences over their standard deviation (Cohen's d of the differences).

    NaN values are left out. Not defined (NaN) with fewer than two values, or where all are equal.

    >>> paired_effect(np.array([1.0, 2.0, 3.0, np.nan]))
    2.0
    """
    defined = differences[np.isfinite(differences)]
    if len(defined) < 2 or np.ptp(defined) <= 1e-12 * np.max(np.abs(defined)):
        return math.nan
    return float(defined.mean() / defined.std(ddof=1))
