# SPDX-License-Identifier: Apache-2.0
"""Boundary similarity (B) and segmentation similarity (S): the edits between two segmentations as one share."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, columns, either, ratio
from caesura.metrics.pairwise._rates import rate_card
from caesura.metrics.pairwise.edits import EditMetric

__all__ = ["BoundarySimilarity", "SegmentationSimilarity", "SimilarityMetric"]


@dataclasses.dataclass(frozen=True)
class SimilarityMetric(EditMetric):
    """One less the edits, as a share of what could be edited."""

    empty: str = param("one", "no boundary on either side: 1, or undefined (segeval)", choices=("one", "nan"))

    undefined = "no boundary on either side"


@METRICS.register("B")
@dataclasses.dataclass(frozen=True)
class BoundarySimilarity(SimilarityMetric):
    r"""What share of the boundaries agrees, with partial credit for near misses.

    Definition
    ----------
    The edits that turn one segmentation into the other, with near misses weighted by their distance, divided by the
    number of boundaries: matched, near, or on one side only.

    .. math::  B = 1 - \frac{A + w_t}{A + T + M}, \qquad w_t = \sum_t d_t / n_t

    A is the number of boundaries on one side only that are not near misses, T the number of near misses,
    :math:`d_t` the distance of near miss t, M the number of matches. With the default n_t = 2 a boundary one off costs
    half. Near misses are paired nearest first, then from the left; that order is part of the definition.

    Edge cases
    ----------
    No boundary on either side: 1 (segeval fails; ``empty="nan"`` leaves it undefined).

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> B = BoundarySimilarity()
    >>> B(Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6]))  # one near miss at half
    0.5

    See Also
    --------
    SegmentationSimilarity : divides by the length of the document.
    EditF1 : the same edits as precision and recall.
    """

    card = rate_card(
        title="share of boundaries that agree, near misses counting in part",
        symmetric=True,
        citation="Fournier 2013, Evaluating text segmentation using boundary edit distance, ACL",
        formula="1 - (additions + near misses at distance / n_t) / (additions + near misses + matches)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 1 - edits / boundaries at hand."""
        _, matches, ref_only, hyp_only, near, weighted = columns(counts)
        additions = ref_only + hyp_only
        at_hand = additions + matches + near
        empty = 0.0 if self.empty == "one" else np.nan
        return 1.0 - ratio(additions + weighted, at_hand, empty=empty)


@METRICS.register("S")
@dataclasses.dataclass(frozen=True)
class SegmentationSimilarity(SimilarityMetric):
    r"""What share of all gaps needs no edit.

    Definition
    ----------
    The edits that turn one segmentation into the other, with near misses weighted by their distance, divided by the number
    of gaps.

    .. math::  S = 1 - \frac{A + w_t}{N - 1}, \qquad w_t = \sum_t d_t / n_t

    A is the number of boundaries on one side only that are not near misses, :math:`d_t` the distance of near
    miss t, N - 1 the number of gaps. Near misses are paired nearest first, then from the left.

    Edge cases
    ----------
    One unit, or no boundary on either side: 1 (segeval fails; ``empty="nan"`` leaves it undefined). In a long
    document with few boundaries S is high wherever they are.

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

    card = rate_card(
        title="share of gaps that need no edit",
        symmetric=True,
        citation="Fournier & Inkpen 2012, Segmentation similarity and agreement, NAACL",
        formula="1 - (additions + near misses at distance / n_t) / gaps",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 1 - edits / gaps."""
        gaps, matches, ref_only, hyp_only, near, weighted = columns(counts)
        edits = ref_only + hyp_only + weighted
        whole = 1.0 - ratio(edits, gaps, empty=0.0)
        if self.empty == "one":
            return whole
        return either(edits + matches + near == 0, np.nan, whole)
