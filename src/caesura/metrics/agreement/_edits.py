# SPDX-License-Identifier: Apache-2.0
"""What the agreement coefficients over edits share."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.declare import param
from caesura.metrics.agreement._base import AgreementMetric
from caesura.metrics.agreement._tables import EDIT_COLUMNS, count_edits
from caesura.metrics.base import Floats, MetricCard, ratio
from caesura.panel import Panel, PanelLike
from caesura.quantity import check_quantity, resolve_quantity


@dataclasses.dataclass(frozen=True)
class EditAgreement(AgreementMetric):
    """A coefficient over the similarity of every two annotators; chance is the square of how often gaps are marked."""

    n_t: int | str = param(
        2,
        "a near miss spans fewer than n_t units; a length such as '5s' on time",
        minimum=1,
        check=check_quantity,
    )
    kappa: bool = param(False, "chance by annotator (kappa) instead of pooled (pi)")

    columns = EDIT_COLUMNS

    def facts(self) -> MetricCard:
        """Return the card; with chance by annotator, documents cannot be pooled."""
        return dataclasses.replace(self.card, additive=False) if self.kappa else self.card

    def count(self, panel: Panel) -> Floats:
        """Count the edits of every two annotators."""
        n_t = resolve_quantity(self.n_t, panel.unit, owner=self.name(), name="n_t", default_limit=2)
        return panel.remember(("edits", n_t), lambda: count_edits(panel, n_t))

    def expected(self, counts: Floats) -> Floats:
        """Return the chance that two annotators mark the same gap."""
        return counts[..., 6] if self.kappa else ratio(counts[..., 4], counts[..., 5]) ** 2

    def bias(self, segmentations: PanelLike) -> float:
        """Return how much of the pooled chance comes from annotators who mark at different rates.

        >>> from caesura.metrics import metric
        >>> from caesura.segmentation import Segmentation
        >>> metric("AgreementB").bias([Segmentation(9, (2, 4, 6)), Segmentation(9, (2, 4, 8))])
        0.0
        """
        return float(self.bias_of(self.count(Panel.of(segmentations)))[0])

    def bias_of(self, counts: Floats) -> Floats:
        """Return the bias of each row of counts: the pooled expectation less the one by annotator."""
        pooled = dataclasses.replace(self, kappa=False).expected(counts)
        return np.asarray(pooled - dataclasses.replace(self, kappa=True).expected(counts))
