# SPDX-License-Identifier: Apache-2.0
"""Holm's correction of several p-values."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = ["holm"]


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values that were looked at together, so that one false alarm among them all is as rare as asked for.

    The smallest of m is multiplied by m, the next by m - 1, and so on; a corrected value is never below that of a smaller
    one, nor above 1. Values that are NaN stay so and are not counted.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted((place for place, p in enumerate(p_values) if not math.isnan(p)), key=p_values.__getitem__)
    corrected = [math.nan] * len(p_values)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (len(order) - rank) * p_values[place]))
        corrected[place] = least
    return corrected
