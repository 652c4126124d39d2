# SPDX-License-Identifier: Apache-2.0
"""Depths of a row of similarities: how far the similarity at a gap lies below the peaks on both sides."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["below_valleys", "depths", "smoothed"]

Floats = npt.NDArray[np.float64]


def depths(similarities: Floats) -> Floats:
    """Return (left peak - s) + (right peak - s) at each gap; a peak is reached by walking while s does not fall.

    >>> depths(np.array([0.5, 0.9, 0.2, 0.6, 0.6, 0.7, 0.1])).round(3).tolist()
    [0.4, 0.0, 1.2, 0.1, 0.1, 0.0, 0.6]
    """
    peaks = _left_peaks(similarities) + _left_peaks(similarities[::-1])[::-1]
    return np.asarray(peaks - 2 * similarities, dtype=np.float64)


def _left_peaks(similarities: Floats) -> Floats:
    """Return the value that a walk to the left reaches from each gap while the similarity does not fall."""
    if not len(similarities):
        return similarities
    stops = np.ones(len(similarities), dtype=bool)
    stops[1:] = similarities[:-1] < similarities[1:]
    reached: Floats = similarities[np.maximum.accumulate(np.where(stops, np.arange(len(stops)), 0))]
    return reached


def below_valleys(similarities: Floats, depth: Floats, most: float = 2.0) -> Floats:
    """Return the depths with all gaps that are not valleys ranked below all valleys, lowered by ``most``.

    The last gap of a flat valley counts.

    >>> below_valleys(np.array([0.5, 0.9, 0.2, 0.2, 0.6]), np.array([0.4, 0.0, 1.1, 1.1, 0.0])).round(1).tolist()
    [0.4, -2.0, -0.9, 1.1, -2.0]
    """
    valley = np.ones(len(similarities), dtype=bool)
    valley[1:] &= similarities[:-1] >= similarities[1:]
    valley[:-1] &= similarities[:-1] < similarities[1:]
    return np.where(valley & (depth > 0), depth, depth - most)


def smoothed(similarities: Floats, rounds: int) -> Floats:
    """Return the means of each gap and its neighbours, in several rounds.

    >>> smoothed(np.array([0.0, 3.0, 0.0, 0.0]), 1).tolist()
    [1.5, 1.0, 1.0, 0.0]
    """
    for _ in range(rounds):
        padded = np.concatenate(([0.0], similarities, [0.0]))
        there = np.concatenate(([0.0], np.ones(len(similarities)), [0.0]))
        sums, sizes = (row[:-2] + row[1:-1] + row[2:] for row in (padded, there))
        similarities = sums / sizes
    return similarities
