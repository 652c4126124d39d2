# SPDX-License-Identifier: Apache-2.0
"""ProminencePrecision."""

from __future__ import annotations

import dataclasses

from caesura.metrics.agreement._base import PANEL
from caesura.metrics.agreement._prominence import CITATION, ProminenceMetric
from caesura.metrics.base import Floats, MetricCard, ratio


@PANEL.register()
@dataclasses.dataclass(frozen=True)
class ProminencePrecision(ProminenceMetric):
    r"""How much support, on average, the annotators give the boundaries of the hypothesis.

    Definition
    ----------
    Each boundary of the hypothesis is given to the nearest gap that any annotator marked, if that lies within half a window,
    and takes the support of that gap: the share of annotators with a boundary within half a window of it. Otherwise it takes
    0. The score is the mean.

    .. math::  \frac{1}{|H|} \sum_{b \in H} s(c(b))

    The window is half the mean segment over all annotators.

    Edge cases
    ----------
    No boundary in the hypothesis: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(20, (5, 12)), Segmentation(20, (5,)), Segmentation(20, (5, 16))]
    >>> round(ProminencePrecision()(readers, Segmentation(20, (5, 12))), 4)  # supports 1 and 1/3
    0.6667

    See Also
    --------
    ProminenceRecall, MultiWindowDiff
    """

    card = MetricCard(
        title="mean support of the boundaries that the hypothesis sets",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        mirror=False,  # of two candidates equally near, the left one
        blind_to=frozenset({"removal", "insertion", "shift"}),
        citation=CITATION,
        equation="section 4.2",
        formula="support of the hypothesis / its boundaries",
    )

    def score(self, counts: Floats) -> Floats:
        """Return the mean support of the boundaries of the hypothesis."""
        return ratio(counts[..., 2], counts[..., 3])

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return "no boundary in the hypothesis"
