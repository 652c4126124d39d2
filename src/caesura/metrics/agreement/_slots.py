# SPDX-License-Identifier: Apache-2.0
"""What the coefficients over gaps share."""

from __future__ import annotations

import dataclasses

from caesura.declare import param
from caesura.metrics.agreement._base import AgreementMetric
from caesura.metrics.agreement._tables import SLOT_COLUMNS, count_slots
from caesura.metrics.base import Floats, ratio
from caesura.panel import Panel


@dataclasses.dataclass(frozen=True)
class SlotMetric(AgreementMetric):
    """A coefficient over gaps as items with two categories: boundary, no boundary."""

    include_end: bool = param(False, "count the end of the document as an item that everybody marks")

    columns = SLOT_COLUMNS

    def count(self, panel: Panel) -> Floats:
        """Count the gaps."""
        return panel.remember(("slots", self.include_end), lambda: count_slots(panel, self.include_end))

    def observed(self, counts: Floats) -> Floats:
        """Return the share of pairs of annotators who agree on a gap."""
        return ratio(counts[..., 2], counts[..., 3])
