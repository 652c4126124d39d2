# SPDX-License-Identifier: Apache-2.0
"""BoundaryPrecision."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._boundaries import CITATION, BoundaryMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class BoundaryPrecision(BoundaryMetric):
    r"""Of the boundaries the hypothesis sets, the share that is right within the tolerance.

    Definition
    ----------
    With P and G the boundaries of hypothesis and reference and w the tolerance, ``matching="coverage"`` counts a
    boundary as right if any of the reference lies within w of it; ``"one_to_one"`` counts the pairs of a largest
    one-to-one matching within w.

    .. math::  \frac{|\{p \in P : \exists g \in G, |p - g| \le w\}|}{|P|} \quad\text{or}\quad \frac{|M|}{|P|}

    ``length`` and ``cut`` restrict it to boundaries that open a short or a long segment of the hypothesis.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0 (``empty="vacuous"`` gives 1 to the side with nothing to
    judge, as pyannote and Episodic do). In a length class without boundaries: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> BoundaryPrecision(tolerance=1)(reference, hypothesis)  # 8 lies beside 9, 4 beside nothing
    0.5

    See Also
    --------
    BoundaryRecall, BoundaryF1
    """

    card = MetricCard(
        title="share of the hypothesis' boundaries that are right",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"removal"}),
        citation=CITATION,
        equation="Appendix A (coverage), Appendix G (one to one)",
        formula="right / boundaries of the hypothesis",
    )

    def score(self, counts: Floats) -> Floats:
        """Return right / boundaries of the hypothesis."""
        return self.precision(counts)
