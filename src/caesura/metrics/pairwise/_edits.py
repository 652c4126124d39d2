# SPDX-License-Identifier: Apache-2.0
"""What the metrics of boundary edit distance share."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

from caesura.batches.pairs import Pairs, check_comparable
from caesura.errors import MetricError
from caesura.metrics.base import MetricCard, PairwiseMetric, Request, quantity
from caesura.segmentation import Segmentation
from caesura.units.quantity import needs_distance, resolve_quantity


@dataclasses.dataclass(frozen=True)
class EditMetric(PairwiseMetric):
    """A metric of the edits between two segmentations: near misses of less than n_t are one edit, not two."""

    n_t: int | str = quantity(2, "a near miss spans fewer than n_t units; a length such as '5s' on time")

    columns = ("gaps", "matches", "ref_only", "hyp_only", "transpositions", "weighted")

    def facts(self) -> MetricCard:
        """Return the card; from n_t = 3 on, pairing from the left can leave over another boundary than from the right."""
        return self.card if self.n_t in (1, 2) else dataclasses.replace(self.card, mirror=False)

    def needs_distance(self, unit: str) -> bool:
        """Say whether n_t must be given as a length."""
        return needs_distance(self.n_t, unit, 2)

    def span(self, unit: str) -> int:
        """Return n_t in units."""
        n_t = resolve_quantity(self.n_t, unit, owner=self.name(), name="n_t", default_limit=2)
        if n_t < 1:
            raise MetricError(f"{self.name()}: n_t={self.n_t!r}; it must be at least one {unit}")
        return n_t

    def request(self, unit: str) -> Request:
        """Ask for the edits."""
        return Request("edits", (self.span(unit),))

    def edits(self, reference: Segmentation, hypothesis: Segmentation) -> dict[str, Fraction]:
        """Return the counts of one pair as exact fractions, ``weighted`` included."""
        request = self.request(check_comparable(reference, hypothesis))
        row = request.count(Pairs.of(reference, hypothesis))[0]
        counts = {name: Fraction(int(value)) for name, value in zip(request.columns, row, strict=True)}
        return {**counts, "weighted": counts["distance"] / request.parameters[0]}
