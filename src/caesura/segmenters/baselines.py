# SPDX-License-Identifier: Apache-2.0
"""Baselines that look at no text: what a system must beat before it has understood anything."""

from __future__ import annotations

import numpy as np

from caesura.errors import SegmentationError
from caesura.segmentation import UNSPECIFIED_UNIT, Segmentation

__all__ = ["every", "none", "random_boundaries"]


def none(n_units: int, *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
    """Set no boundary.

    >>> none(5).masses
    (5,)
    """
    return Segmentation(n_units, unit=unit)


def every(n_units: int, length: int, *, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
    """Set a boundary after every ``length`` units, like a clock.

    >>> every(10, 4).masses
    (4, 4, 2)
    """
    if length < 1:
        raise SegmentationError(f"length is {length}; a segment has at least one unit")
    return Segmentation(n_units, range(length, n_units, length), unit=unit)


def random_boundaries(n_units: int, count: int, *, seed: int, unit: str = UNSPECIFIED_UNIT) -> Segmentation:
    """Set ``count`` boundaries at random gaps, each gap equally likely.

    Parameters
    ----------
    n_units : int
        How many units the document has.
    count : int
        How many boundaries, at most one per gap.
    seed : int
        The same seed gives the same boundaries.
    unit : str, optional
        What is counted.

    Examples
    --------
    >>> random_boundaries(10, 3, seed=1).n_boundaries
    3
    """
    if not 0 <= count <= n_units - 1:
        raise SegmentationError(f"count is {count}; {n_units} units have {n_units - 1} gaps")
    gaps = np.random.default_rng(seed).choice(n_units - 1, size=count, replace=False) + 1
    return Segmentation(n_units, np.sort(gaps), unit=unit)
