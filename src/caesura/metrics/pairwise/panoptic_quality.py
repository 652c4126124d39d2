# SPDX-License-Identifier: Apache-2.0
"""Panoptic quality: how many segments are recognised, and how well."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, MetricCard, PairwiseMetric, Request, columns, ratio
from caesura.metrics.counting import OwnCounts
from caesura.metrics.pairwise._overlaps import n_segments, overlaps

__all__ = ["PanopticQuality"]


@METRICS.register("PQ")
@dataclasses.dataclass(frozen=True)
class PanopticQuality(PairwiseMetric):
    r"""How many segments are recognised, weighted by how well they agree: the measure of page stream segmentation.

    Definition
    ----------
    A segment of the reference and one of the hypothesis match if their intersection over union exceeds 1/2, or under
    ``rule="majority"`` (PQ*) if they share more than either has alone. A segment then matches one at most. With M the matches,

    .. math::  PQ = RQ \cdot SQ = \frac{2|M|}{|R| + |H|} \cdot \frac{\sum_M tIoU}{|M|}

    ``part="recognition"`` is RQ, the F1 of segments; ``"segmentation"`` is SQ, how well matched segments agree.

    Edge cases
    ----------
    No match: 0, also for SQ.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([3, 3]), Segmentation.from_masses([2, 2, 2])
    >>> round(PanopticQuality()(reference, hypothesis), 4)  # two matches of 2/3: 2 * 4/3 / (2 + 3)
    0.5333
    >>> PanopticQuality(part="recognition")(reference, hypothesis)
    0.8

    See Also
    --------
    SegmentF1 : RQ, and the same at other thresholds.
    """

    rule: str = param(
        "iou", "iou: intersection over union above 1/2; majority: more shared than alone", choices=("iou", "majority")
    )
    part: str = param("quality", "RQ x SQ, or one of the two", choices=("quality", "recognition", "segmentation"))

    card = MetricCard(
        title="segments recognised, and how well they agree",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation="Kirillov et al. 2019, Panoptic segmentation, CVPR",
        equation="Eq. 1",
        formula="2 * sum of tIoU of the matches / (segments of both)",
    )
    columns = ("n_ref", "n_hyp", "matched", "tiou")

    def facts(self) -> MetricCard:
        """Return the card: the parts overlook what the other notices."""
        blind = {"quality": frozenset[str](), "recognition": {"shift"}, "segmentation": {"removal", "insertion"}}
        return dataclasses.replace(self.card, blind_to=frozenset(blind[self.part]))  # type: ignore[arg-type]

    def request(self, unit: str) -> Request:
        """Ask for the counts that all parts share."""
        return OwnCounts(dataclasses.replace(self, part="quality"))

    def count(self, pairs: Pairs) -> Floats:
        """Count the segments of both sides and the matches, and add up their intersection over union."""
        found = overlaps(pairs)
        if self.rule == "iou":
            hits = 2 * found.shared > found.union
        else:
            hits = 2 * found.shared > np.maximum(found.reference_length, found.hypothesis_length)
        document, size = found.document[hits], len(pairs)
        return np.column_stack([
            n_segments(pairs.reference), n_segments(pairs.hypothesis),
            np.bincount(document, minlength=size), np.bincount(document, found.tiou[hits], size),
        ])  # fmt: skip

    def score(self, counts: Floats) -> Floats:
        """Return RQ x SQ, or the part asked for."""
        ref, hyp, matched, tiou = columns(counts)
        if self.part == "segmentation":
            return ratio(tiou, matched, empty=0.0)
        return ratio(2 * (matched if self.part == "recognition" else tiou), ref + hyp)
