# SPDX-License-Identifier: Apache-2.0
"""What purity and coverage share."""

from __future__ import annotations

import dataclasses

from caesura.declare import param
from caesura.metrics.base import Floats, PairwiseMetric, Request, ratio

CITATION = "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation"


@dataclasses.dataclass(frozen=True)
class OverlapMetric(PairwiseMetric):
    """A metric of how well the segments of one side lie inside single segments of the other."""

    weighting: str = param(
        "unit", "each unit alike (the paper), or each segment alike (its code)", choices=("unit", "segment")
    )

    columns = ("units", "n_ref", "n_hyp", "ref_best", "hyp_best", "ref_share", "hyp_share")

    def request(self, unit: str) -> Request:
        """Ask for the best overlap of each segment."""
        return Request("overlap", (int(self.weighting == "segment"),))

    def coverage(self, counts: Floats) -> Floats:
        """Return how much of the reference's segments lies in one segment of the hypothesis."""
        if self.weighting == "segment":
            return ratio(counts[..., 5], counts[..., 1])
        return ratio(counts[..., 3], counts[..., 0])

    def purity(self, counts: Floats) -> Floats:
        """Return how much of the hypothesis' segments lies in one segment of the reference."""
        if self.weighting == "segment":
            return ratio(counts[..., 6], counts[..., 2])
        return ratio(counts[..., 4], counts[..., 0])
