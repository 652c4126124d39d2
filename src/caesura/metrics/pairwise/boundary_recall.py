# SPDX-License-Identifier: Apache-2.0
"""BoundaryRecall."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._boundaries import CITATION, BoundaryMetric


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class BoundaryRecall(BoundaryMetric):
    r"""Of the boundaries the reference has, the share that is found within the tolerance.

    Definition
    ----------
    With P and G the boundaries of hypothesis and reference and w the tolerance, ``matching="coverage"`` counts a
    boundary as found if any of the hypothesis lies within w of it; ``"one_to_one"`` counts the pairs of a largest
    one-to-one matching within w.

    .. math::  \frac{|\{g \in G : \exists p \in P, |p - g| \le w\}|}{|G|} \quad\text{or}\quad \frac{|M|}{|G|}

    ``length`` and ``cut`` restrict it to boundaries that open a short or a long segment of the reference.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0 (``empty="vacuous"`` gives 1 to the side with nothing to
    judge, as pyannote and Episodic do). In a length class without boundaries: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> BoundaryRecall(tolerance=2)(reference, hypothesis)
    1.0

    See Also
    --------
    BoundaryPrecision, BoundaryF1
    """

    card = MetricCard(
        title="share of the reference's boundaries that are found",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"insertion"}),
        citation=CITATION,
        equation="Appendix A (coverage), Appendix G (one to one)",
        formula="found / boundaries of the reference",
    )

    def score(self, counts: Floats) -> Floats:
        """Return found / boundaries of the reference."""
        return self.recall(counts)
