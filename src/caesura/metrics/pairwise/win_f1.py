# SPDX-License-Identifier: Apache-2.0
"""WinF1."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard, harmonic_mean
from caesura.metrics.pairwise._win_pr import CITATION, WinPR


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class WinF1(WinPR):
    r"""How well the boundaries agree window by window, too many and too few weighed alike.

    Definition
    ----------
    The harmonic mean of `WinPrecision` and `WinRecall`.

    .. math::  F = 2PR / (P + R)

    Edge cases
    ----------
    NaN where either is: one side without a boundary. 0 if both are 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> WinF1(k=2)(Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6]))
    0.5

    See Also
    --------
    WindowDiff : one error rate over the same windows.
    """

    card = MetricCard(
        title="harmonic mean of WinPrecision and WinRecall",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        citation=CITATION,
        equation="unverified",
        formula="2PR / (P + R)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 2PR / (P + R)."""
        return harmonic_mean(self.precision(counts), self.recall(counts))

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return "no boundary in the reference or none in the hypothesis"
