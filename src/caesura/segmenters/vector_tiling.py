# SPDX-License-Identifier: Apache-2.0
"""TextTiling on the vectors of an encoder."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.declare import Card, param
from caesura.scorers import Features
from caesura.scorers.vector_depth import VectorDepth
from caesura.segmenters._search import above, best
from caesura.segmenters.base import SEGMENTERS, Cut, SizedSegmenter
from caesura.selectors import SPACING

__all__ = ["VectorTiling"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class VectorTiling(SizedSegmenter):
    """Cut where the vectors before and after a gap differ most from each other.

    Definition
    ----------
    The similarity at a gap is the cosine of the pooled vectors of up to ``window`` units on each side; its depth is half
    the sum of the rises to the peaks on both sides, each reached by walking while the similarity does not fall.
    Boundaries are the gaps whose depth exceeds mean + ``alpha`` · sd (of the population) of the document. With
    ``window=1`` this is the TextTiling of dialogue segmentation (alpha 0 in Table 6 of the granularity paper), with
    more units DeepTiling, with ``pooling='max'`` the method of Solbiati et al. The scores are the depths.

    Edge cases
    ----------
    A document of two units, and one whose depths are all equal but for rounding, has no boundary.
    """

    window: int = param(3, "units in each block", minimum=1)
    alpha: float = param(0.5, "standard deviations above the mean depth that a boundary must exceed")
    pooling: str = param("mean", "how the vectors of a block become one", choices=("mean", "max"))
    smoothing: int = param(0, "rounds of averaging each similarity with its neighbours", minimum=0)
    min_gap: int = param(1, SPACING, minimum=1)

    needs_vectors: ClassVar[bool] = True
    card = Card(
        title="valleys of the similarity of vectors",
        citation="Solbiati et al. 2021; Ghinassi 2021 (DeepTiling); Coen, When F1 fails",
    )

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        scorer = VectorDepth(window=self.window, pooling=self.pooling, smoothing=self.smoothing)
        depth = scorer.gap_scores(features)
        wanted = self.wanted(features)
        if wanted is not None:
            return Cut.at(features, best(depth, wanted, self.min_gap), depth)
        if not len(depth) or np.ptp(depth) < _ROUNDING:
            return Cut.at(features, (), depth)
        threshold = float(depth.mean() + self.alpha * depth.std())
        return Cut.at(features, above(depth, threshold, self.min_gap), depth)


_ROUNDING = 1e-6  # differences of depths that the vectors, which are float32, do not carry
