# SPDX-License-Identifier: Apache-2.0
"""What precision, recall and F1 of boundaries share."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, PairwiseMetric, Request, ratio
from caesura.metrics.pairwise._lengths import LENGTHS, length_class
from caesura.quantity import check_quantity, resolve_quantity

CITATION = "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation"
MATCHINGS = ("coverage", "one_to_one", "as_run", "as_run_one_to_one")


@dataclasses.dataclass(frozen=True)
class BoundaryMetric(PairwiseMetric):
    """A metric of boundaries found within a tolerance."""

    tolerance: int | str = param(
        0,
        "how far a boundary may be off and still be found; a length such as '10s' on time",
        minimum=0,
        check=check_quantity,
    )
    matching: str = param(
        "coverage",
        "coverage: near any; one_to_one: each at most once; as_run, as_run_one_to_one: the granularity paper's code",
        choices=MATCHINGS,
    )
    empty: str = param(
        "zero",
        "boundaries on one side only: 0 on both counts (paper), or 1 for the side with nothing to judge",
        choices=("zero", "vacuous"),
    )
    length: str = param("all", "only boundaries that open a segment of this length class", choices=LENGTHS)
    cut: int | str | None = param(
        None,
        "where short ends and long begins; a length such as '30s' on time",
        minimum=1,
        check=check_quantity,
    )

    columns = ("n_ref", "n_hyp", "found_ref", "found_hyp")

    def facts(self) -> MetricCard:
        """Return the card, which changes with the parameters.

        A tolerance or a length class overlooks more; read backwards, a boundary opens another segment; the paper's code
        depends on the order of its sets.
        """
        card = self.card
        if self.tolerance != 0 or self.length != "all":
            card = dataclasses.replace(card, blind_to=ANY_DAMAGE, mirror=self.length == "all")
        if self.matching.startswith("as_run"):
            card = dataclasses.replace(card, symmetric=False, mirror=False)
        return card

    def reach(self, unit: str) -> int:
        """Return the tolerance in units."""
        return resolve_quantity(self.tolerance, unit, owner=self.name(), name="tolerance", default_limit=1)

    def request(self, unit: str) -> Request:
        """Ask for the boundaries found."""
        low, high = length_class(self, unit)
        if self.matching.startswith("as_run"):
            if self.length != "all":
                raise MetricError(
                    f"{self.name()}: matching={self.matching!r} knows no length classes; leave length out"
                )
            return Request("as_run", (self.reach(unit),))
        if self.matching == "one_to_one" and self.length != "all":
            return Request("matching", (self.reach(unit), low, high))
        return Request("boundaries", (self.reach(unit), low, high))

    def places(self, request: Request) -> list[int]:
        """Return where the counts stand: what is found depends on the matching."""
        return (
            [0, 1, 4, 4] if "one_to_one" in self.matching and request.kernel != "matching" else [0, 1, 2, 3]
        )

    def rate(self, counts: Floats, total: int) -> Floats:
        """Return found / total; with nothing to judge, what the paper fixes (or NaN in a length class)."""
        if self.length != "all":
            return ratio(counts[..., total + 2], counts[..., total])
        nothing = (counts[..., 0] + counts[..., 1]) == 0
        found = ratio(counts[..., total + 2], counts[..., total], empty=0.0 if self.empty == "zero" else 1.0)
        return np.where(nothing, 1.0, found)

    def recall(self, counts: Floats) -> Floats:
        """Return the share of the reference's boundaries that are found."""
        return self.rate(counts, 0)

    def precision(self, counts: Floats) -> Floats:
        """Return the share of the hypothesis' boundaries that are right."""
        return self.rate(counts, 1)

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return f"no boundary opens a {self.length} segment"
