# SPDX-License-Identifier: Apache-2.0
"""Features of a gap from the vectors of the units around it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from caesura.encoders.base import Vectors, unit_length
from caesura.scorers.blocks import block_cosines
from caesura.scorers.depth import depths

__all__ = ["PARTS", "part_names", "width", "window_features"]

Floats = npt.NDArray[np.float64]

PARTS = ("means", "differences", "products", "similarities")
"""The features of the two windows at a gap."""

_WINDOWS = (1, 2, 3, 4, 6)  # of the similarities


def part_names(text: str) -> str | None:
    """Return what is wrong with a list of parts, or None."""
    names = [name.strip() for name in text.split(",")]
    if set(names) <= set(PARTS) and len(set(names)) == len(names):
        return None
    return f"must be some of {', '.join(PARTS)}, each once, with commas between them"


def _chosen(parts: str) -> list[str]:
    named = {name.strip() for name in parts.split(",")}
    return [part for part in PARTS if part in named]


def width(parts: str, dim: int) -> int:
    """Return the number of features.

    >>> width("means,products", 256), width("similarities", 256)
    (768, 15)
    """
    sizes = {"means": 2 * dim, "differences": dim, "products": dim, "similarities": 3 * len(_WINDOWS)}
    return sum(sizes[part] for part in _chosen(parts))


def window_features(vectors: Vectors, window: int, parts: str) -> Floats:
    """Return the features of every gap of a document: an array with a row per gap.

    >>> vectors = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    >>> window_features(vectors, 2, "means")  # before and after gap 1, before and after gap 2
    array([[1.        , 0.        , 0.70710677, 0.70710677],
           [1.        , 0.        , 0.        , 1.        ]])
    """
    n = len(vectors)
    gaps = np.arange(1, n)
    sums = np.zeros((n + 1, vectors.shape[1]))
    np.cumsum(vectors, axis=0, dtype=np.float64, out=sums[1:])
    # A sum has the direction of the mean, and both are scaled to length 1.
    left = unit_length(sums[gaps] - sums[np.maximum(gaps - window, 0)]).astype(np.float64)
    right = unit_length(sums[np.minimum(gaps + window, n)] - sums[gaps]).astype(np.float64)
    found: list[Floats] = []
    for part in _chosen(parts):
        if part == "means":
            found += [left, right]
        elif part == "differences":
            found.append(np.abs(left - right))
        elif part == "products":
            found.append(left * right)
        else:
            found.append(_similarities(vectors))
    return np.concatenate(found, axis=1)


def _similarities(vectors: Vectors) -> Floats:
    """Return the cosine of the blocks around each gap, its depth, and its position, for several windows."""
    columns = []
    for window in _WINDOWS:
        cosines = block_cosines(vectors, window, "mean")
        spread = float(cosines.std()) if len(cosines) else 0.0
        apart = (cosines - cosines.mean()) / spread if spread > 0 else np.zeros_like(cosines)
        columns += [cosines, depths(cosines) / 2, apart]
    return np.stack(columns, axis=1)
