# SPDX-License-Identifier: Apache-2.0
"""What the metrics of boundary edit distance share."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from caesura.batches.pairs import check_comparable
from caesura.declare import param
from caesura.errors import MetricError
from caesura.kernels import kernel
from caesura.metrics.base import Damage, Floats, MetricCard, PairwiseMetric, Request, ratio
from caesura.segmentation import Segmentation
from caesura.units.quantity import check_quantity, resolve_quantity

CITATION = "Fournier 2013, Evaluating text segmentation using boundary edit distance, ACL"


@dataclasses.dataclass(frozen=True)
class EditMetric(PairwiseMetric):
    """A metric of the edits between two segmentations: near misses of less than n_t are one edit, not two."""

    n_t: int | str = param(
        2,
        "a near miss spans fewer than n_t units; a length such as '5s' on time",
        minimum=1,
        check=check_quantity,
    )

    columns = ("gaps", "matches", "ref_only", "hyp_only", "transpositions", "weighted")

    def facts(self) -> MetricCard:
        """Return the card; from n_t = 3 on, pairing from the left can leave over another boundary than from the right."""
        return self.card if self.n_t in (1, 2) else dataclasses.replace(self.card, mirror=False)

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
        counter = kernel(request.kernel)
        row = counter.count_one(reference, hypothesis, request.parameters)[0]
        counts = {name: Fraction(int(value)) for name, value in zip(counter.columns, row, strict=True)}
        return {**counts, "weighted": counts["distance"] / request.parameters[0]}


@dataclasses.dataclass(frozen=True)
class EditConfusion(EditMetric):
    """Precision and recall of edits: a near miss of distance d is a hit of weight 1 - d/n_t and no error."""

    as_printed: bool = param(
        False, "as segeval prints: precision and recall exchanged, a near miss weighing d/n_t"
    )

    def facts(self) -> MetricCard:
        """Return the card; as printed, precision overlooks what recall should, and the other way round."""
        card = super().facts()
        if not self.as_printed:
            return card
        other: dict[Damage, Damage] = {"removal": "insertion", "insertion": "removal", "shift": "shift"}
        return dataclasses.replace(card, blind_to=frozenset(other[kind] for kind in card.blind_to))

    def hits(self, counts: Floats) -> Floats:
        """Return the weighted true positives."""
        if self.as_printed:
            # segeval adds the cost of a near miss where its worth is meant; for n_t = 2 both are one half.
            return np.asarray(counts[..., 1] + counts[..., 5])
        return np.asarray(counts[..., 1] + counts[..., 4] - counts[..., 5])

    def rate(self, counts: Floats, wrong: int) -> Floats:
        """Return hits / (hits + wrong); 1 where neither side has a boundary, 0 where only one has."""
        hits = self.hits(counts)
        nothing = (counts[..., 1] + counts[..., 2] + counts[..., 3] + counts[..., 4]) == 0
        return np.where(nothing, 1.0, ratio(hits, hits + counts[..., wrong], empty=0.0))

    def precision(self, counts: Floats) -> Floats:
        """Return the share of the hypothesis' boundaries that are hits."""
        return self.rate(counts, 2 if self.as_printed else 3)

    def recall(self, counts: Floats) -> Floats:
        """Return the share of the reference's boundaries that are hits."""
        return self.rate(counts, 3 if self.as_printed else 2)


@dataclasses.dataclass(frozen=True)
class EditRate(EditConfusion):
    """Precision or recall alone, of boundaries or, as segeval's ``precision(cm)`` has it, of both classes together."""

    classes: str = param(
        "boundary",
        "which classes of the confusion matrix count: the boundary, or all (segeval's default call)",
        choices=("boundary", "all"),
    )

    def facts(self) -> MetricCard:
        """Return the card; over all classes, precision and recall are the same number and see both kinds of error."""
        card = super().facts()
        if self.classes == "boundary":
            return card
        return dataclasses.replace(card, symmetric=True, blind_to=frozenset[Damage]({"shift"}))

    def rate(self, counts: Floats, wrong: int) -> Floats:
        """Return hits / (hits + wrong); over all classes, what either side has alone is wrong."""
        if self.classes == "boundary":
            return super().rate(counts, wrong)
        both = np.array(counts, dtype=np.float64)
        both[..., 2] += both[..., 3]
        return super().rate(both, 2)
