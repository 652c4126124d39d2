# SPDX-License-Identifier: Apache-2.0
"""The base of SegReFree and Davies-Bouldin: dispersion of two segments over the distance of their centroids."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Ints
from caesura.declare import param
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._base import PooledMetric, cohesion_card
from caesura.metrics.cohesion._centroids import DISTANCES, all_gaps
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import Shared, centroids, centroids_request

ratio_card = functools.partial(cohesion_card, direction="lower", bounds=(0.0, math.inf), perfect=0.0)


@dataclasses.dataclass(frozen=True)
class CentroidRatio(PooledMetric):
    """Summed dispersion of two segments over the distance of their centroids, for the worst neighbour of each segment."""

    distance: str = param("l2", "distance of vectors", choices=DISTANCES)
    degenerate: str = param(
        "inf",
        "the ratio of two segments whose centroids are equal: infinite, or 0 as in the authors' notebook (0/0 is 0 in both)",
        choices=("inf", "zero"),
    )
    cap: float = param(10.0, "the worst score: of a document of one segment under on_single='worst'", minimum=0)

    def requests(self) -> tuple[Shared, ...]:
        """Request the centroids."""
        return (centroids_request(self.distance),)

    def worst(self) -> float:
        """Return the cap."""
        return float(self.cap)

    def beside(self, batch: Embedded, spread: Floats) -> Floats:
        """Return the larger ratio of each segment with the one before and the one after."""
        where = layout(batch)
        gap = centroids(batch, self.distance)[:, 1]
        after = self._ratio(spread + np.roll(spread, -1), gap)
        before = np.roll(after, 1)
        return np.asarray(np.maximum(np.where(where.last, -np.inf, after), np.where(where.first, -np.inf, before)))

    def among(self, batch: Embedded, spread: Floats) -> Floats:
        """Return the largest ratio of each segment with any other of its document."""
        where = layout(batch)
        out = np.full(len(spread), np.nan)
        for row in np.flatnonzero(~where.alone).tolist():
            some = slice(int(where.ptr[row]), int(where.ptr[row + 1]))
            out[some] = self._largest(batch, where.lo[some], where.hi[some], spread[some])
        return out

    def _largest(self, batch: Embedded, lo: Ints, hi: Ints, spread: Floats) -> Floats:
        out = np.empty(len(lo))
        for rows, gaps in all_gaps(batch.vectors, lo, hi, self.distance):
            found = self._ratio(spread[rows, None] + spread[None, :], gaps)
            found[np.arange(len(found)), np.arange(len(lo))[rows]] = -np.inf
            out[rows] = found.max(axis=1)
        return out

    def _ratio(self, above: Floats, gap: Floats) -> Floats:
        """Divide; where two centroids are equal, apply ``degenerate``."""
        equal = np.where(above > 0, np.inf if self.degenerate == "inf" else 0.0, above)
        out = np.array(np.broadcast_to(equal, np.broadcast_shapes(above.shape, gap.shape)))
        np.divide(above, gap, out=out, where=gap != 0)
        return out
