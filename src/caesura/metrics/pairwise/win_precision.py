# SPDX-License-Identifier: Apache-2.0
"""WinPrecision."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._win_pr import CITATION, WinPR


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class WinPrecision(WinPR):
    r"""Of the boundaries that the hypothesis has in each window, the share that the reference has there too.

    Definition
    ----------
    With :math:`R_i, H_i` the boundaries of reference and hypothesis in window i of k gaps,

    .. math::  TP = \sum_i \min(R_i, H_i), \quad FP = \sum_i \max(0, H_i - R_i), \quad P = TP / (TP + FP)

    Every window that holds at least one gap counts, so that each boundary lies in exactly k of them; the paper's upper
    limit "N" fits only one gap more. ``edge="interior"`` keeps the windows inside, as the author's own code does. The
    author does not halve k; here it is chosen as for WindowDiff unless given.

    Edge cases
    ----------
    No boundary in the hypothesis: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6])
    >>> WinPrecision(k=2)(reference, hypothesis)  # boundaries 5 and 4 share one of two windows
    0.5

    See Also
    --------
    WinRecall, WinF1
    BoundaryPrecision : the same question with a tolerance instead of a window.
    """

    card = MetricCard(
        title="share of the hypothesis' boundaries, window by window, that the reference has too",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"removal"}),
        citation=CITATION,
        equation="unverified",
        formula="TP / (TP + FP)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return TP / (TP + FP)."""
        return self.precision(counts)

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return "no boundary in the hypothesis"
