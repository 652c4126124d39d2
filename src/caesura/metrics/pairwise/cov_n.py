# SPDX-License-Identifier: Apache-2.0
"""CovN."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard, harmonic_mean
from caesura.metrics.pairwise._retrieval import CITATION, RetrievalMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovN(RetrievalMetric):
    r"""How well segments are retrieved, as a harmonic mean of precision and recall, each segment counting once.

    Definition
    ----------
    The harmonic mean of `CovNPrecision` and `CovNRecall`: of the hypothesis' segments that are correct and of the
    reference's segments that are retrieved, each segment counting once.

    .. math::  CovN = 2PR / (P + R)

    For gamma of 2/3 and more, correct segments pair off one to one. A corpus is pooled, as in the paper.

    Edge cases
    ----------
    Nothing is undefined but a length class without a segment: NaN. Nothing correct: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovN()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.4

    See Also
    --------
    CovD : weighs segments by their length.
    Purity, Coverage : units instead of segments.
    """

    card = MetricCard(
        title="segments retrieved, precision and recall in one",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        aggregation="micro",
        blind_to=frozenset({"shift"}),
        citation=CITATION,
        equation="Eq. 4",
        formula="2PR / (P + R)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 2PR / (P + R)."""
        return harmonic_mean(self.precision_by_number(counts), self.recall_by_number(counts))
