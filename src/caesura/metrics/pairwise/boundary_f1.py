# SPDX-License-Identifier: Apache-2.0
"""BoundaryF1."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard, harmonic_mean
from caesura.metrics.pairwise._boundaries import CITATION, BoundaryMetric


@METRICS.register("F1", **{"W-F1": {"tolerance": 1}})
@dataclasses.dataclass(frozen=True)
class BoundaryF1(BoundaryMetric):
    r"""How well boundaries are hit within a tolerance, misses and false alarms weighed alike.

    Definition
    ----------
    The harmonic mean of `BoundaryPrecision` and `BoundaryRecall`, with the same parameters.

    .. math::  F = 2PR / (P + R)

    ``F1`` is the exact one (tolerance 0), ``W-F1`` the window-tolerant one of the granularity paper (tolerance 1,
    coverage). Under coverage one boundary may find two, so a hypothesis with twice the boundaries can score 1.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0 (``empty="vacuous"`` gives 1 to the side with nothing to
    judge, as pyannote and Episodic do). In a length class without boundaries: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> BoundaryF1(tolerance=1)(reference, hypothesis)
    0.5

    See Also
    --------
    BOR : how many boundaries there are, without which F1 cannot be read.
    BoundarySimilarity : lets near misses count in part.
    """

    card = MetricCard(
        title="harmonic mean of boundary precision and recall",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation=CITATION,
        equation="Appendix A (coverage), Appendix G (one to one)",
        formula="2PR / (P + R)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 2PR / (P + R)."""
        return harmonic_mean(self.precision(counts), self.recall(counts))
