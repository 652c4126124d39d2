# SPDX-License-Identifier: Apache-2.0
"""EditF1."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard, harmonic_mean
from caesura.metrics.pairwise._edits import CITATION, EditConfusion


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditF1(EditConfusion):
    r"""How well boundaries agree as edits, misses and false alarms weighed alike.

    Definition
    ----------
    The harmonic mean of `EditPrecision` and `EditRecall`.

    .. math::  F = 2PR / (P + R)

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> round(EditF1()(Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)), 4)
    0.2

    See Also
    --------
    BoundarySimilarity : the same edits in one share, in which a near miss costs something.
    """

    card = MetricCard(
        title="harmonic mean of EditPrecision and EditRecall",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        blind_to=frozenset({"shift"}),
        citation=CITATION,
        equation="unverified",
        formula="2PR / (P + R)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 2PR / (P + R)."""
        return harmonic_mean(self.precision(counts), self.recall(counts))
