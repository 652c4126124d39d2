# SPDX-License-Identifier: Apache-2.0
"""What the coefficients over gaps share."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.panel import Panel
from caesura.declare import param
from caesura.metrics.agreement._base import AgreementMetric
from caesura.metrics.agreement._tables import SLOT_COLUMNS, count_slots
from caesura.metrics.base import Floats, ratio


@dataclasses.dataclass(frozen=True)
class SlotMetric(AgreementMetric):
    """A coefficient over gaps as items with two categories: boundary, no boundary."""

    include_end: bool = param(False, "count the end of the document as an item that everybody marks")

    columns = SLOT_COLUMNS

    def count(self, panel: Panel) -> Floats:
        """Count the gaps."""
        return panel.remember(("slots", self.include_end), lambda: count_slots(panel, self.include_end))

    def score(self, counts: Floats) -> Floats:
        """Return the coefficient; the end alone, which everybody marks, makes no agreement."""
        scores = super().score(counts)
        if not self.include_end:
            return scores
        return np.where(counts[..., 4] == counts[..., 1], np.nan, scores)

    def observed(self, counts: Floats) -> Floats:
        """Return the share of pairs of annotators who agree on a gap."""
        return ratio(counts[..., 2], counts[..., 3])
