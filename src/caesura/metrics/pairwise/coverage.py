# SPDX-License-Identifier: Apache-2.0
"""Coverage."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._overlap import CITATION, OverlapMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class Coverage(OverlapMetric):
    r"""How much of each reference segment stays together.

    Definition
    ----------
    Each segment of the reference is given to the segment of the hypothesis it shares most units with; coverage is the
    share of units so given.

    .. math::  \frac{1}{N} \sum_{r} \max_{h} |r \cap h|

    ``weighting="segment"`` means over segments the share of each instead, as the paper's released code does.

    Edge cases
    ----------
    No boundary in the hypothesis: 1. Refining the hypothesis never raises coverage (by units), so it must be read beside
    `Purity`.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> Coverage().counts(reference, hypothesis)["ref_best"]  # 4 of 6, 2 of 3, 4 of 4
    10.0

    See Also
    --------
    Purity : the same from the hypothesis' side.
    """

    card = MetricCard(
        title="share of units in the main part of their reference segment",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"removal"}),
        citation=CITATION,
        equation="Appendix B",
        formula="sum over reference segments of the best overlap / units",
    )

    def score(self, counts: Floats) -> Floats:
        """Return sum over reference segments of the best overlap / units."""
        return self.coverage(counts)
