# SPDX-License-Identifier: Apache-2.0
"""WinRecall."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._win_pr import CITATION, WinPR


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class WinRecall(WinPR):
    r"""Of the boundaries that the reference has in each window, the share that the hypothesis has there too.

    Definition
    ----------
    With :math:`R_i, H_i` the boundaries of reference and hypothesis in window i of k gaps,

    .. math::  TP = \sum_i \min(R_i, H_i), \quad FN = \sum_i \max(0, R_i - H_i), \quad R = TP / (TP + FN)

    Windows and k as for `WinPrecision`.

    Edge cases
    ----------
    No boundary in the reference: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([5, 5]), Segmentation.from_masses([5, 2, 3])
    >>> WinRecall(k=2)(reference, hypothesis)
    1.0

    See Also
    --------
    WinPrecision, WinF1
    """

    card = MetricCard(
        title="share of the reference's boundaries, window by window, that the hypothesis has too",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"insertion"}),
        citation=CITATION,
        equation="unverified",
        formula="TP / (TP + FN)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return TP / (TP + FN)."""
        return self.recall(counts)

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return "no boundary in the reference"
