# SPDX-License-Identifier: Apache-2.0
"""Purity."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._overlap import CITATION, OverlapMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class Purity(OverlapMetric):
    r"""How free of other topics the hypothesis' segments are.

    Definition
    ----------
    Each segment of the hypothesis is given to the segment of the reference it shares most units with; purity is the
    share of units so given.

    .. math::  \frac{1}{N} \sum_{h} \max_{r} |h \cap r|

    ``weighting="segment"`` means over segments the share of each instead, as the paper's released code does.

    Edge cases
    ----------
    Every unit alone: 1. Refining the hypothesis never lowers purity (by units), so it must be read beside `Coverage`.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> Purity().counts(reference, hypothesis)["hyp_best"]  # 4 of 4, 2 of 4, 4 of 5
    10.0

    See Also
    --------
    Coverage : the same from the reference's side.
    """

    card = MetricCard(
        title="share of units in the main topic of their hypothesis segment",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"insertion"}),
        citation=CITATION,
        equation="Appendix B",
        formula="sum over hypothesis segments of the best overlap / units",
    )

    def score(self, counts: Floats) -> Floats:
        """Return sum over hypothesis segments of the best overlap / units."""
        return self.purity(counts)
