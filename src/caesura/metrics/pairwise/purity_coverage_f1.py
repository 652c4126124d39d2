# SPDX-License-Identifier: Apache-2.0
"""PurityCoverageF1."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard, harmonic_mean
from caesura.metrics.pairwise._overlap import CITATION, OverlapMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class PurityCoverageF1(OverlapMetric):
    r"""How well segments correspond, cutting too much and too little weighed alike.

    Definition
    ----------
    The harmonic mean of `Purity` and `Coverage`, as pyannote.metrics offers it.

    .. math::  F = 2PC / (P + C)

    Edge cases
    ----------
    Never undefined: every document has a unit.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> round(PurityCoverageF1()(reference, hypothesis), 4)
    0.7692

    See Also
    --------
    CovN : counts segments that are found rather than units that overlap.
    """

    card = MetricCard(
        title="harmonic mean of purity and coverage",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation=CITATION,
        equation="Appendix B",
        formula="2PC / (P + C)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 2PC / (P + C)."""
        return harmonic_mean(self.purity(counts), self.coverage(counts))
