# SPDX-License-Identifier: Apache-2.0
"""Boundary scores in steps: the resolution of a slider, in a fraction of the space.

A score is stored as the number of whole steps below it. Whether it reaches a threshold of whole steps is then
exact, so a page that selects at such thresholds selects the same boundaries as the library does from the scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["stepped"]

_MOST_STEPS = 1000
_LARGEST = 1e300
_EXACT = 2.0**50
_SMALLEST = -22
"""The largest power of ten that a float represents exactly."""


def stepped(scores: Sequence[float] | None) -> dict[str, Any] | None:
    """Return scores as whole steps above ``first``, each ``times / per`` wide; None if one is not finite, or huge.

    The threshold after ``k`` steps is ``(first + k) * times / per``, computed in this order with floats.

    >>> stepped([0.1, 0.75, 0.7509, 1.0])
    {'first': 100, 'times': 1.0, 'per': 1000.0, 'steps': [0, 650, 650, 900]}
    """
    values = np.asarray(() if scores is None else scores, dtype=np.float64)
    if not values.size or not (np.abs(values) < _LARGEST).all():
        return None
    times, per = _width(float(values.min()), float(values.max()))
    steps = np.floor(values * per / times)
    # The division rounds, so a score next to a threshold may fall on the wrong side.
    steps += (steps + 1) * times / per <= values
    steps -= steps * times / per > values
    first = steps.min()
    return {"first": int(first), "times": times, "per": per, "steps": (steps - first).astype(int).tolist()}


def _width(low: float, high: float) -> tuple[float, float]:
    """Return a round width of steps as a fraction: 1, 2 or 5 times a power of ten."""
    wanted = max(high / _MOST_STEPS - low / _MOST_STEPS, abs(low) / _EXACT, abs(high) / _EXACT)
    power = max(_SMALLEST, math.floor(math.log10(wanted))) if wanted else 0
    if 5 * 10.0**power < wanted:
        power += 1
    digit = next((digit for digit in (1.0, 2.0, 5.0) if digit * 10.0**power >= wanted), 5.0)
    return (digit, 10.0**-power) if power < 0 else (digit * 10.0**power, 1.0)
