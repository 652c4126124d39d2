# SPDX-License-Identifier: Apache-2.0
"""Segment precision, recall and F1: which segments are found, by intersection over union."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.metrics.base import ANY_DAMAGE, METRICS, Floats, MetricCard, Request, harmonic_mean, ratio
from caesura.metrics.counting import OwnCounts
from caesura.metrics.pairwise._overlaps import check_thresholds, n_segments, overlaps, thresholds
from caesura.metrics.pairwise._rates import POOLING, RateMetric, pooled_card, rate_card, shares

__all__ = ["SegmentF1", "SegmentMetric", "SegmentPrecision", "SegmentRecall"]

_card = functools.partial(
    rate_card,
    citation="Yang et al. 2023, VidChapters-7M: video chapters at scale, NeurIPS",
    blind_to=frozenset({"shift"}),
)


@dataclasses.dataclass(frozen=True)
class SegmentMetric(RateMetric):
    r"""A metric of segments found: those that overlap enough with one of the other side.

    Definition
    ----------
    A segment of the reference and one of the hypothesis, taken as sets of units, match if

    .. math::  tIoU = |r \cap h| / |r \cup h| > t,

    or if they are equal. ``matching="one_to_one"`` counts the pairs M of a largest one-to-one matching, ``"any"`` the segments that
    match at least one. Precision is M over the segments of the hypothesis, recall over those of the reference. With several
    thresholds (``tiou="0.3,0.5"``) it is the mean of the scores at each.

    Edge cases
    ----------
    Always defined: both sides have a segment. From t = 1/2 on a segment matches one at most, so that the two matchings agree.
    t = 1 counts segments that are exactly right.
    """

    tiou: float | str = param(
        0.5, "how much two segments must overlap: more than this; several between commas", check=check_thresholds
    )
    matching: str = param(
        "one_to_one", "one_to_one: each at most once; any: all that match", choices=("one_to_one", "any")
    )
    f1: str = POOLING

    columns = ("n_ref", "n_hyp", "found_ref", "found_hyp")

    def __post_init__(self) -> None:
        super().__post_init__()
        several = thresholds(self.tiou)
        if len(several) > 1:
            found = tuple(f"found_{side}@{t:g}" for side in ("ref", "hyp") for t in several)
            self.__dict__["columns"] = ("n_ref", "n_hyp", *found)

    def facts(self) -> MetricCard:
        """Return the card: at a low threshold more is overlooked, and exact segments overlook nothing more than the rate does."""
        least = min(thresholds(self.tiou))
        card = pooled_card(self.card, self.f1)
        if least < 0.5:
            return dataclasses.replace(card, blind_to=ANY_DAMAGE)
        return dataclasses.replace(card, blind_to=card.blind_to - {"shift"}) if least == 1 else card

    def request(self, unit: str) -> Request:
        """Ask for the counts that precision, recall and F1 share."""
        return OwnCounts(SegmentF1(**self.options()))

    def count(self, pairs: Pairs) -> Floats:
        """Count the segments of both sides, and those found at each threshold."""
        found = overlaps(pairs)
        sides: tuple[list[Floats], list[Floats]] = [], []
        for threshold in thresholds(self.tiou):
            hits = np.flatnonzero(found.above(threshold))
            if threshold < 0.5 and self.matching == "one_to_one":
                hits = found.one_to_one(hits)
            for side, segments in zip(sides, (found.reference, found.hypothesis), strict=True):
                _, first = np.unique(segments[hits], return_index=True)
                side.append(np.bincount(found.document[hits][first], minlength=len(pairs)).astype(np.float64))
        counts = np.column_stack([n_segments(pairs.reference), n_segments(pairs.hypothesis), *sides[0], *sides[1]])
        return shares(counts) if self.f1 == "of_means" else counts

    def score(self, counts: Floats) -> Floats:
        """Return the mean over thresholds of precision, recall or 2PR / (P + R)."""
        several = (len(self.columns) - 2) // 2
        recall = ratio(counts[..., 2 : 2 + several], counts[..., :1])
        precision = ratio(counts[..., 2 + several :], counts[..., 1:2])
        rate = {"precision": precision, "recall": recall}.get(self.rate)
        return np.asarray((harmonic_mean(precision, recall) if rate is None else rate).mean(axis=-1))


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class SegmentPrecision(SegmentMetric):
    r"""Share of the hypothesis' segments that are right by intersection over union.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 4, 6])
    >>> round(SegmentPrecision()(reference, hypothesis), 4)  # 10 of 10, 6 of 10; 4 of 10 is too little
    0.6667

    See Also
    --------
    SegmentF1 : the harmonic mean of precision and recall.
    """

    rate = "precision"
    card = _card(
        title="share of the hypothesis' segments that are right",
        symmetric=False,
        formula="matched segments / segments of the hypothesis",
        blind_to=frozenset({"shift", "removal"}),
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class SegmentRecall(SegmentMetric):
    r"""Share of the reference's segments that are found by intersection over union.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 4, 6])
    >>> SegmentRecall()(reference, hypothesis), SegmentRecall(tiou=1)(reference, hypothesis)
    (1.0, 0.5)

    See Also
    --------
    SegmentF1 : the harmonic mean of precision and recall.
    """

    rate = "recall"
    card = _card(
        title="share of the reference's segments that are found",
        symmetric=False,
        formula="matched segments / segments of the reference",
        blind_to=frozenset({"shift", "insertion"}),
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class SegmentF1(SegmentMetric):
    r"""How well segments are found by intersection over union, with equal weight for misses and false alarms.

    Definition
    ----------
    The harmonic mean of `SegmentPrecision` and `SegmentRecall`, with the same parameters.

    .. math::  F = 2PR / (P + R)

    Chapter-Llama averages F over documents (``f1="per_document"``); VidChapters takes F of the mean precision and the mean recall
    (``"of_means"``). Both count a segment that matches any (``matching="any"``), so that below t = 1/2 one segment can serve several.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 4, 6])
    >>> [round(SegmentF1(tiou=t)(reference, hypothesis), 4) for t in (0.5, 0.7, "0.5,0.7")]
    [0.8, 0.4, 0.6]

    See Also
    --------
    CovN : counts by the share of each segment that lies in the other instead.
    PanopticQuality : also says how well the matched segments agree.
    """

    rate = "f1"
    card = _card(title="segments found, precision and recall in one", symmetric=True, formula="2PR / (P + R)")
