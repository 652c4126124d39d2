# SPDX-License-Identifier: Apache-2.0
"""SegmentationSimilarity."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, MetricCard, either, ratio
from caesura.metrics.pairwise._edits import EditMetric
from caesura.segmentation import Segmentation


@METRICS.register("S")
@dataclasses.dataclass(frozen=True)
class SegmentationSimilarity(EditMetric):
    r"""What share of all gaps needs no edit.

    Definition
    ----------
    The edits that turn one segmentation into the other, near misses at their distance, over the gaps there are.

    .. math::  S = 1 - \frac{A + w_t}{N - 1}, \qquad w_t = \sum_t d_t / n_t

    A is the number of boundaries that only one side has and no near miss explains, :math:`d_t` the distance of near
    miss t, N - 1 the number of gaps. Near misses are paired nearest first, then from the left.

    Edge cases
    ----------
    One unit, or no boundary on either side: 1 (segeval fails; ``empty="nan"`` leaves it undefined). Few boundaries in a
    long document make S high whatever they are.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> S = SegmentationSimilarity()
    >>> S(Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6]))  # half an edit over 9 gaps
    0.9444444444444444

    See Also
    --------
    BoundarySimilarity : divides by the boundaries at hand instead of by the length.
    """

    empty: str = param("one", "no boundary on either side: 1, or undefined (segeval)", choices=("one", "nan"))

    card = MetricCard(
        title="share of gaps that need no edit",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation="Fournier & Inkpen 2012, Segmentation similarity and agreement, NAACL",
        equation="unverified",
        formula="1 - (additions + near misses at distance / n_t) / gaps",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 1 - edits / gaps."""
        edits = counts[..., 2] + counts[..., 3] + counts[..., 5]
        whole = 1.0 - ratio(edits, counts[..., 0], empty=0.0)
        if self.empty == "one":
            return whole
        return either(edits + counts[..., 1] + counts[..., 4] == 0, np.nan, whole)

    def fraction(self, reference: Segmentation, hypothesis: Segmentation) -> Fraction:
        """Return the score of one pair as an exact fraction; 1 where neither side has a boundary.

        >>> from caesura.segmentation import Segmentation
        >>> SegmentationSimilarity(n_t=3).fraction(Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6]))
        Fraction(26, 27)
        """
        e = self.edits(reference, hypothesis)
        return 1 - (e["ref_only"] + e["hyp_only"] + e["weighted"]) / e["gaps"] if e["gaps"] else Fraction(1)

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return "no boundary on either side"
