# SPDX-License-Identifier: Apache-2.0
"""VectorDepth: the depth score of TextTiling on the vectors of an encoder."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from caesura.declare import Card, param
from caesura.scorers.base import SCORERS, Scorer
from caesura.scorers.blocks import block_cosines, depths, smoothed
from caesura.scorers.features import Features, Floats

__all__ = ["VectorDepth"]


@SCORERS.register()
@dataclasses.dataclass(frozen=True)
class VectorDepth(Scorer):
    """Score a gap by how far the similarity of the vectors around it lies below the peaks on both sides, halved.

    With ``window=1`` neighbours are compared, as in dialogue segmentation. Larger blocks are compared by the mean of
    their vectors (DeepTiling), or by the largest value in each dimension (``pooling='max'``, Solbiati et al. 2021).
    """

    window: int = param(1, "units in each block", minimum=1)
    pooling: str = param("mean", "how the vectors of a block are pooled", choices=("mean", "max"))
    smoothing: int = param(0, "rounds of averaging each similarity with its neighbours", minimum=0)

    needs_vectors: ClassVar[bool] = True
    card = Card(
        title="depth of the similarity of vectors",
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="Tables 4 and 6",
    )

    def similarities(self, features: Features) -> Floats:
        """Return the similarity of the blocks around each gap."""
        return smoothed(block_cosines(features.vectors, self.window, self.pooling), self.smoothing)

    def gap_scores(self, features: Features) -> Floats:
        """Return half the depth at each gap."""
        return depths(self.similarities(features)) / 2
