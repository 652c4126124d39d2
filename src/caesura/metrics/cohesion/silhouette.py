# SPDX-License-Identifier: Apache-2.0
"""Silhouette."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.declare import param
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._base import COHESION, BoundedMetric, bounded_card, pool
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._silhouettes import SILHOUETTE_DISTANCES, silhouettes


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class Silhouette(BoundedMetric):
    r"""How much closer units are to their own segment than to the closer of its two neighbours.

    Definition
    ----------
    For each unit, a is the mean distance to the other units of its segment, b the mean distance to the units of the segment
    before or after, whichever is smaller. The value of a segment is the mean over its units, the score is the mean over
    segments.

    .. math::  s = \frac{b - a}{\max(a, b)}

    ``weighting='unit'`` pools units instead of segments. ``adjacent=False`` takes b over all other segments, which is the
    silhouette of clusters as in scikit-learn (which pools units).

    Edge cases
    ----------
    A segment of one unit scores 0, and so does a unit with a = b = 0. One segment: NaN, or -1 under ``on_single='worst'``.
    A zero vector has no direction: its cosine with anything is 0, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [0, 2], [0, 4], [8, 2], [8, 3]])
    >>> round(Silhouette()(Segmentation(6, (4,)), vectors), 4)
    0.8354

    See Also
    --------
    SegReFree : compares centroids instead of units.
    """

    distance: str = param("l2", "distance of vectors", choices=SILHOUETTE_DISTANCES)
    adjacent: bool = param(True, "compare with the neighbouring segments only, not with all")
    weighting: str = param(
        "segment", "what is pooled: segments by the mean of their units, or units", choices=("segment", "unit")
    )

    card = bounded_card(
        title="how much nearer units lie to their own segment than to a neighbouring one",
        citation="Ghinassi et al. 2024, When cohesion lies in the embedding space, LREC-COLING; Rousseeuw 1987",
        equation="Eq. 8-12",
        formula="mean of (b - a) / max(a, b)",
    )

    def raw(self, batch: Embedded) -> Floats:
        """Return the mean over the units of each segment."""
        where = layout(batch)
        begin = np.cumsum(where.lengths) - where.lengths
        units = silhouettes(batch, self.distance, self.adjacent)
        return np.add.reduceat(units, begin) / where.lengths if len(units) else units

    def count(self, batch: Embedded) -> Floats:
        """Return the counts of each document; under ``weighting='unit'`` units are pooled."""
        if self.weighting == "segment":
            return super().count(batch)
        units = silhouettes(batch, self.distance, self.adjacent)
        document = np.repeat(np.arange(len(batch)), batch.n_units)
        if self.on_single == "worst":
            units = np.where(layout(batch).alone[document], self.worst(), units)
        return pool(units, document, np.ones(len(units)), len(batch), self.pooling)
