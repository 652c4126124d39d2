# SPDX-License-Identifier: Apache-2.0
"""EditRecall."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard
from caesura.metrics.pairwise._edits import CITATION, EditConfusion


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditRecall(EditConfusion):
    r"""Of the reference's boundaries, the share that is hit, near misses counting in part.

    Definition
    ----------
    From the edits of boundary edit distance: matches are hits, a near miss of distance d is a hit of weight 1 - d/n_t, a
    boundary that only the reference has is a miss.

    .. math::  R = \frac{TP}{TP + FN}, \qquad TP = M + \sum_t (1 - d_t / n_t)

    See `EditPrecision` on near misses and on segeval.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> EditRecall()(Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10))
    1.0

    See Also
    --------
    EditPrecision, EditF1
    """

    card = MetricCard(
        title="share of the reference's boundaries that are hit, near ones in part",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"insertion", "shift"}),
        citation=CITATION,
        equation="unverified",
        formula="TP / (TP + FN)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return TP / (TP + FN)."""
        return self.recall(counts)
