# SPDX-License-Identifier: Apache-2.0
"""CalinskiHarabasz."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.declare import param
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._base import COHESION, PooledMetric, cohesion_card
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import Shared, centroids, centroids_request, inertias


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class CalinskiHarabasz(PooledMetric):
    r"""How much segments differ from each other relative to how much units vary within them.

    Definition
    ----------
    Segments are clusters; B is the variation of their K centroids around the centroid of all n units, weighted by units, W the
    variation of units around the centroid of their segment.

    .. math::  \frac{B / (K - 1)}{W / (n - K)}, \quad B = \sum_i n_i \lVert c_i - c \rVert^2, \quad
        W = \sum_i \sum_{e \in E_i} \lVert e - c_i \rVert^2

    Equal to scikit-learn's where that is defined. Under ``adjacent=True`` the index is computed for each segment with each
    of its two neighbours, the value of a segment is the lower one, and the score pools these values. (Lucas et al. 2023
    tried an adaptation to neighbours but print no formula; this one is ours.)

    Edge cases
    ----------
    Without ``adjacent`` only the document has a value, its segments have none, and micro adds B, W and their degrees of
    freedom.
    Segments of one unit only: NaN. No variation within: infinite, 0/0 NaN. One segment: NaN, or 0 under
    ``on_single='worst'``.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [0, 2], [0, 4], [8, 2], [8, 3]])
    >>> round(CalinskiHarabasz()(Segmentation(6, (4,)), vectors), 4)
    62.0606

    See Also
    --------
    DaviesBouldin : by distances instead of variances.
    """

    adjacent: bool = param(False, "compare each segment with its neighbours only")

    columns = ("above", "below", "above_weight", "below_weight")
    card = cohesion_card(
        title="variation between segments over variation within",
        direction="higher",
        bounds=(0.0, float("inf")),
        perfect=float("inf"),
        citation="Calinski & Harabasz 1974, A dendrite method for cluster analysis, Communications in Statistics 3(1)",
        formula="(B / (K - 1)) / (W / (n - K))",
    )

    def requests(self) -> tuple[Shared, ...]:
        """Request the centroids."""
        return (centroids_request("l2"),)

    def worst(self) -> float:
        """Return 0."""
        return 0.0

    def raw(self, batch: Embedded) -> Floats:
        """Return the lower index of each segment with a neighbour; NaN without ``adjacent``."""
        where = layout(batch)
        if not self.adjacent:
            return np.full(len(where.document), np.nan)
        table = centroids(batch, "l2")
        sizes, following = where.lengths, np.roll(where.lengths, -1)
        between = sizes * following / (sizes + following) * table[:, 1] ** 2
        within = table[:, 2] + np.roll(table[:, 2], -1)
        after = _index(between, within, (sizes + following - 2).astype(np.float64))
        after[where.last] = np.nan
        before = np.roll(after, 1)
        before[where.first] = np.nan
        return np.asarray(np.fmin(after, before))

    def count(self, batch: Embedded) -> Floats:
        """Return variations and degrees of freedom, or the pooled indices of neighbours."""
        where = layout(batch)
        if self.adjacent:
            pooled = super().count(batch)
            ones = np.ones(len(batch))
            return np.column_stack((pooled[:, 0], ones, pooled[:, 1], ones))
        segments = np.diff(where.ptr)
        between, within = inertias(batch)
        out = np.column_stack((between, within, segments - 1, batch.n_units - segments)).astype(np.float64)
        if self.on_single == "worst":
            out[where.alone] = (0.0, 1.0, 1.0, 1.0)
        return out

    def score(self, counts: Floats) -> Floats:
        """Return the quotient of the two means."""
        above = ratio(counts[..., 0], counts[..., 2])
        return _index(above, counts[..., 1], counts[..., 3])


def _index(above: Floats, within: Floats, free: Floats) -> Floats:
    """Return above / (within / free); infinite where only ``within`` is 0, NaN for 0/0."""
    above, within, free = np.broadcast_arrays(above, within, free)
    out = np.where(np.isnan(above) | (above == 0) | (free == 0), np.nan, np.inf)
    return np.divide(above * free, within, out=out, where=(within > 0) & (free > 0))
