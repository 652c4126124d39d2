# SPDX-License-Identifier: Apache-2.0
"""AlignmentIndex."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, PairwiseMetric, Request, ratio
from caesura.metrics.pairwise._rates import rate_card


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class AlignmentIndex(PairwiseMetric):
    r"""How alike segments and their partners are.

    Definition
    ----------
    Each segment of either side is linked to the segment of the other with which it shares most of its units; of equal
    ones the one of larger Jaccard index, then the left-most. The index is the mean Jaccard index over the distinct links.

    .. math::  A = \frac{1}{|E|} \sum_{(r, h) \in E} \frac{|r \cap h|}{|r \cup h|}

    Edge cases
    ----------
    Never undefined: every document has a segment on both sides.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(AlignmentIndex()(reference, hypothesis), 4)  # (1 + 5/10 + 5/10) / 3
    0.6667

    See Also
    --------
    CovN : counts only segments that correspond well enough.
    """

    card = rate_card(
        title="mean Jaccard index of segments and their partners",
        symmetric=True,
        mirror=False,
        citation="Diaz & Ouyang 2022, An alignment-based approach to text segmentation similarity scoring, CoNLL",
        formula="sum of Jaccard indices / links",
    )
    columns = ("edges", "jaccard")

    def request(self, unit: str) -> Request:
        """Ask for the links."""
        return Request("alignment")

    def score(self, counts: Floats) -> Floats:
        """Return the mean Jaccard index over the links."""
        return ratio(counts[..., 1], counts[..., 0])
