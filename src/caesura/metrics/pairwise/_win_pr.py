# SPDX-License-Identifier: Apache-2.0
"""What WinPrecision, WinRecall and WinF1 share."""

from __future__ import annotations

import dataclasses

from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import Floats, MetricCard, Request, ratio
from caesura.metrics.pairwise._windows import WindowMetric
from caesura.segmentation import CONTINUOUS_UNITS

CITATION = "Scaiano & Inkpen 2012, Getting more from segmentation evaluation, NAACL"


@dataclasses.dataclass(frozen=True)
class WinPR(WindowMetric):
    """A metric of the windows of WinPR: true positives are boundaries that both sides have in a window."""

    edge: str = param(
        "padded",
        "every window that holds a gap (the paper), or only windows inside",
        choices=("padded", "interior"),
    )

    columns = ("ref_sum", "hyp_sum", "surplus", "deficit")

    def facts(self) -> MetricCard:
        """Return the card; without the windows at the ends, a shift near them may go unnoticed."""
        card = super().facts()
        if self.edge == "padded":
            return card
        return dataclasses.replace(card, blind_to=card.blind_to | {"shift"})

    def request(self, unit: str) -> Request:
        """Ask for the windows of WinPR."""
        if unit in CONTINUOUS_UNITS and self.k is None:
            example = "'30s'" if unit == "ms" else "'200c'"
            raise MetricError(
                f"{self.name()}: there is no default k on the unit {unit!r}; give one, such as k={example}"
            )
        return Request("window_diff", (*self.window_parameters(unit), 3 if self.edge == "padded" else 0))

    def precision(self, counts: Floats) -> Floats:
        """Return TP / (TP + FP): all that the hypothesis has, less its surplus."""
        return ratio(counts[..., 1] - counts[..., 2], counts[..., 1])

    def recall(self, counts: Floats) -> Floats:
        """Return TP / (TP + FN): all that the reference has, less what lacks."""
        return ratio(counts[..., 0] - counts[..., 3], counts[..., 0])
