# SPDX-License-Identifier: Apache-2.0
"""Mean intersection over union of paired segments."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, MetricCard, PairwiseMetric, columns, ratio
from caesura.metrics.pairwise._overlaps import n_segments, overlaps

__all__ = ["MeanTIoU"]


@METRICS.register("TIoU")
@dataclasses.dataclass(frozen=True)
class MeanTIoU(PairwiseMetric):
    r"""How well segments agree with their partners: the mean intersection over union.

    Definition
    ----------
    Of all pairs of a segment of the reference and one of the hypothesis that overlap, the one with the largest intersection over union
    is taken, then the largest of those whose segments are both free, and so on. With M the pairs taken,

    .. math::  \frac{\sum_M tIoU}{|R| + |H| - |M|}.

    ``unmatched="skip"`` divides by the pairs taken only, as Chapter-Llama does ("Avg. TIoU"): segments without a partner then cost nothing.

    Edge cases
    ----------
    Always defined: two segments of a document overlap. Of equal overlaps the first is taken.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 4, 6])
    >>> round(MeanTIoU()(reference, hypothesis), 4), MeanTIoU(unmatched="skip")(reference, hypothesis)
    (0.5333, 0.8)

    See Also
    --------
    SODA : a matching that keeps the order, and precision and recall of it.
    """

    unmatched: int | str = param(0, "segments without a partner: count 0, or leave them out", choices=(0, "skip"))

    card = MetricCard(
        title="how well segments agree with their partners",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        mirror=False,  # of equal overlaps the first is taken
        citation="Ventura et al. 2025, Chapter-Llama: efficient chaptering in hour-long videos with LLMs, CVPR",
        formula="sum of tIoU of the pairs / (pairs + segments without a partner)",
    )
    columns = ("n_ref", "n_hyp", "matched", "tiou")

    def count(self, pairs: Pairs) -> Floats:
        """Count the segments of both sides and the pairs taken, and add up their intersection over union."""
        found = overlaps(pairs)
        tiou = found.tiou
        taken = found.one_to_one(np.lexsort((-tiou, found.document)))
        document, size = found.document[taken], len(pairs)
        return np.column_stack([
            n_segments(pairs.reference), n_segments(pairs.hypothesis),
            np.bincount(document, minlength=size), np.bincount(document, tiou[taken], size),
        ])  # fmt: skip

    def score(self, counts: Floats) -> Floats:
        """Return the mean over pairs and segments without a partner, or over pairs."""
        ref, hyp, matched, tiou = columns(counts)
        return ratio(tiou, matched if self.unmatched == "skip" else ref + hyp - matched)
