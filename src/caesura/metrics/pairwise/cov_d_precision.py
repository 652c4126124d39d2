# SPDX-License-Identifier: Apache-2.0
"""CovDPrecision."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._retrieval import CITATION, RetrievalMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovDPrecision(RetrievalMetric):
    r"""The share of the hypothesis's segments that are correct, each segment counting as much as it is long.

    Definition
    ----------
    Each segment of the hypothesis is matched to the segment of the reference that covers most of it, and is
    correct if their harmonic coverage 2o / (|R| + |H|), o the overlap, exceeds gamma.

    .. math::  \frac{1}{\sum_i d(H_i)} \sum_i d(H_i)\,\varphi_\gamma(H_i)

    :math:`\varphi_\gamma` is 1 for such a segment, else 0; d is the length. ``length`` and ``cut`` restrict it to
    short or long segments of the hypothesis. A corpus is pooled, as in the paper.

    Edge cases
    ----------
    Nothing is undefined but a length class without a segment: NaN. Nothing correct: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovDPrecision()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.5

    See Also
    --------
    CovD : the harmonic mean of precision and recall.
    """

    card = MetricCard(
        title="correct segments of the hypothesis, by length",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        aggregation="micro",
        blind_to=frozenset({"removal", "shift"}),
        citation=CITATION,
        equation="Eq. 6",
        formula="length of correct segments / length of the hypothesis",
    )

    def score(self, counts: Floats) -> Floats:
        """Return length of correct segments / length of the hypothesis."""
        return self.precision_by_length(counts)
