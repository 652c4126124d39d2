# SPDX-License-Identifier: Apache-2.0
"""EditPrecision."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._edits import CITATION, EditConfusion


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditPrecision(EditConfusion):
    r"""Of the hypothesis' boundaries, the share that hit, near misses counting in part.

    Definition
    ----------
    From the edits of boundary edit distance: matches are hits, a near miss of distance d is a hit of weight 1 - d/n_t, a
    boundary that only the hypothesis has is a false alarm.

    .. math::  P = \frac{TP}{TP + FP}, \qquad TP = M + \sum_t (1 - d_t / n_t)

    A near miss adds nothing to the errors, so pure near misses give 1. segeval's confusion matrix books a boundary of
    the hypothesis as a miss; ``as_printed=True`` reproduces it.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)
    >>> round(EditPrecision()(reference, hypothesis), 4)  # one hit among nine
    0.1111

    See Also
    --------
    EditRecall, EditF1
    """

    card = MetricCard(
        title="share of the hypothesis' boundaries that are hits, near ones in part",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"removal", "shift"}),
        citation=CITATION,
        equation="unverified",
        formula="TP / (TP + FP)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return TP / (TP + FP)."""
        return self.precision(counts)
