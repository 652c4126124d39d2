# SPDX-License-Identifier: Apache-2.0
"""DaviesBouldin."""

from __future__ import annotations

import dataclasses

from caesura.batches.embedded import Embedded
from caesura.declare import param
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._base import COHESION
from caesura.metrics.cohesion._measures import centroids
from caesura.metrics.cohesion._ratios import CentroidRatio, ratio_card


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class DaviesBouldin(CentroidRatio):
    r"""How widely segments scatter relative to the distance between their centroids: the index for clusters.

    Definition
    ----------
    Segments are clusters. :math:`S_i` is the mean distance of the units of a segment to their centroid. The value of
    a segment is its largest ratio with any other (``adjacent=True``: with a neighbour); the score is the mean.

    .. math::  \frac{1}{N} \sum_i \max_{j \ne i} \frac{S_i + S_j}{\lVert c_i - c_j \rVert}

    Equal to scikit-learn's where that is defined. `SegReFree` is the same index for neighbours, with a penalty for short
    segments.

    Edge cases
    ----------
    A segment of one unit has no scatter. Equal centroids: infinite, or 0 under ``degenerate='zero'`` (scikit-learn);
    0/0 is 0. One segment: NaN, or ``cap`` under ``on_single='worst'``.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [0, 2], [0, 4], [8, 2], [8, 3]])
    >>> DaviesBouldin()(Segmentation(6, (4,)), vectors)
    0.1875

    See Also
    --------
    SegReFree : the variant for segmentations.
    """

    adjacent: bool = param(False, "compare neighbours only, not all pairs of segments")

    card = ratio_card(
        title="scatter of segments over the distance of their centroids, as for clusters",
        citation="Davies & Bouldin 1979, A cluster separation measure, IEEE TPAMI 1(2); Lucas et al. 2023, Eq. 1",
        formula="mean of the largest (S_i + S_j) / distance of centroids",
    )

    def raw(self, batch: Embedded) -> Floats:
        """Return the largest ratio of each segment."""
        spread = centroids(batch, self.distance)[:, 0]
        return self.beside(batch, spread) if self.adjacent else self.among(batch, spread)
