"""The segmenter that encoders are measured with: fixed windows, depth scores, a threshold nobody tuned."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["boundaries", "depths"]

Floats = npt.NDArray[np.float64]


def depths(vectors: npt.NDArray[np.floating], window: int = 3) -> Floats:
    """Return, for each gap, how deep the cosine of the windows beside it lies below the peaks on both sides.

    A window is the mean of up to ``window`` units before, or after, the gap. A peak is reached by climbing from the gap
    for as long as the cosine does not fall (Hearst 1997).
    """
    units = vectors.astype(np.float64)
    units /= np.maximum(np.linalg.norm(units, axis=1, keepdims=True), 1e-12)
    gaps = range(1, len(units))
    left = np.stack([units[max(0, gap - window) : gap].mean(0) for gap in gaps])
    right = np.stack([units[gap : gap + window].mean(0) for gap in gaps])
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosine = (left * right).sum(1) / np.maximum(lengths, 1e-12)
    return _climb(cosine) + _climb(cosine[::-1])[::-1]


def _climb(cosine: Floats) -> Floats:
    """Return how much higher the peak to the left of each place is."""
    peak = cosine.copy()
    for place in range(1, len(cosine)):
        if cosine[place - 1] >= cosine[place]:
            peak[place] = peak[place - 1]
    return peak - cosine


def boundaries(vectors: npt.NDArray[np.floating], window: int = 3, above: float = 0.5) -> list[int]:
    """Return the gaps whose depth exceeds the mean of the document by ``above`` standard deviations."""
    if len(vectors) < 2:
        return []
    depth = depths(vectors, window)
    return [int(place) + 1 for place in np.flatnonzero(depth > depth.mean() + above * depth.std())]
