# SPDX-License-Identifier: Apache-2.0
"""ProminenceRecall."""

from __future__ import annotations

import dataclasses

from caesura.metrics.agreement._base import PANEL
from caesura.metrics.agreement._prominence import CITATION, ProminenceMetric
from caesura.metrics.base import Floats, MetricCard, ratio


@PANEL.register()
@dataclasses.dataclass(frozen=True)
class ProminenceRecall(ProminenceMetric):
    r"""How much of the annotators' support the hypothesis finds.

    Definition
    ----------
    Every gap that any annotator marked weighs its support: the share of annotators with a boundary within half a window of
    it. Found is a gap with a boundary of the hypothesis within half a window.

    .. math::  \frac{\sum_{c\ found} s(c)}{\sum_c s(c)}

    The window is half the mean segment over all annotators.

    Edge cases
    ----------
    Nobody marked anything: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(20, (5, 12)), Segmentation(20, (5,)), Segmentation(20, (5, 16))]
    >>> round(ProminenceRecall()(readers, Segmentation(20, (5,))), 4)  # 1 of 1 + 1/3 + 1/3
    0.6

    See Also
    --------
    ProminencePrecision, MultiWindowDiff
    """

    card = MetricCard(
        title="share of the support of all marked gaps that is found",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"removal", "insertion", "shift"}),
        citation=CITATION,
        equation="section 4.2",
        formula="support found / support of all",
    )

    def score(self, counts: Floats) -> Floats:
        """Return the share of support found."""
        return ratio(counts[..., 0], counts[..., 1])

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return "nobody marked a boundary"
