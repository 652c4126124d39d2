# SPDX-License-Identifier: Apache-2.0
"""CovD."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard, harmonic_mean
from caesura.metrics.pairwise._retrieval import CITATION, RetrievalMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovD(RetrievalMetric):
    r"""How well segments are retrieved, as a harmonic mean of precision and recall, each segment counting as much as it is long.

    Definition
    ----------
    The harmonic mean of `CovDPrecision` and `CovDRecall`: of the hypothesis' segments that are correct and of the
    reference's segments that are retrieved, each segment counting as much as it is long.

    .. math::  CovD = 2PR / (P + R)

    For gamma of 2/3 and more, correct segments pair off one to one. A corpus is pooled, as in the paper.

    Edge cases
    ----------
    Nothing is undefined but a length class without a segment: NaN. Nothing correct: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovD()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.5

    See Also
    --------
    CovN : counts each segment once.
    Purity, Coverage : units instead of segments.
    """

    card = MetricCard(
        title="segments retrieved, precision and recall in one, by length",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        aggregation="micro",
        blind_to=frozenset({"shift"}),
        citation=CITATION,
        equation="section 3.3 (harmonic mean of Eq. 5 and 6)",
        formula="2PR / (P + R)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 2PR / (P + R)."""
        return harmonic_mean(self.precision_by_length(counts), self.recall_by_length(counts))
