# SPDX-License-Identifier: Apache-2.0
"""Purity, coverage and their F1: how segments overlap."""

from __future__ import annotations

import dataclasses
import functools

from caesura.declare import param
from caesura.metrics.base import METRICS, Floats, Request, ratio
from caesura.metrics.pairwise._rates import RateMetric, rate_card

__all__ = ["Coverage", "OverlapMetric", "Purity", "PurityCoverageF1"]

_card = functools.partial(
    rate_card,
    citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
    equation="Appendix B",
)


@dataclasses.dataclass(frozen=True)
class OverlapMetric(RateMetric):
    """How well the segments of one side lie inside single segments of the other: purity is precision, coverage recall."""

    weighting: str = param(
        "unit", "each unit alike (the paper), or each segment alike (its code)", choices=("unit", "segment")
    )

    columns = ("units", "n_ref", "n_hyp", "ref_best", "hyp_best", "ref_share", "hyp_share")

    def request(self, unit: str) -> Request:
        """Ask for the best overlap of each segment."""
        return Request("overlap", shares=int(self.weighting == "segment"))

    def recall(self, counts: Floats) -> Floats:
        """Return how much of the reference's segments lies in one segment of the hypothesis."""
        if self.weighting == "segment":
            return ratio(counts[..., 5], counts[..., 1])
        return ratio(counts[..., 3], counts[..., 0])

    def precision(self, counts: Floats) -> Floats:
        """Return how much of the hypothesis' segments lies in one segment of the reference."""
        if self.weighting == "segment":
            return ratio(counts[..., 6], counts[..., 2])
        return ratio(counts[..., 4], counts[..., 0])


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class Purity(OverlapMetric):
    r"""How free of other topics the hypothesis' segments are.

    Definition
    ----------
    Each segment of the hypothesis is assigned to the segment of the reference with which it shares most units. Purity is
    the share of units in these overlaps.

    .. math::  \frac{1}{N} \sum_{h} \max_{r} |h \cap r|

    ``weighting="segment"`` averages the share of each segment over segments instead, as the paper's released code does.

    Edge cases
    ----------
    Every unit alone: 1. Refining the hypothesis never lowers purity (by units), so read it together with `Coverage`.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> Purity().counts(reference, hypothesis)["hyp_best"]  # 4 of 4, 2 of 4, 4 of 5
    10.0

    See Also
    --------
    Coverage : the same from the reference's side.
    """

    rate = "precision"
    card = _card(
        title="share of units in the main topic of their hypothesis segment",
        symmetric=False,
        blind_to=frozenset({"insertion"}),
        formula="sum over hypothesis segments of the best overlap / units",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class Coverage(OverlapMetric):
    r"""How much of each reference segment stays together.

    Definition
    ----------
    Each segment of the reference is assigned to the segment of the hypothesis with which it shares most units. Coverage is
    the share of units in these overlaps.

    .. math::  \frac{1}{N} \sum_{r} \max_{h} |r \cap h|

    ``weighting="segment"`` averages the share of each segment over segments instead, as the paper's released code does.

    Edge cases
    ----------
    No boundary in the hypothesis: 1. Refining the hypothesis never raises coverage (by units), so read it together with
    `Purity`.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> Coverage().counts(reference, hypothesis)["ref_best"]  # 4 of 6, 2 of 3, 4 of 4
    10.0

    See Also
    --------
    Purity : the same from the hypothesis' side.
    """

    rate = "recall"
    card = _card(
        title="share of units in the main part of their reference segment",
        symmetric=False,
        blind_to=frozenset({"removal"}),
        formula="sum over reference segments of the best overlap / units",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class PurityCoverageF1(OverlapMetric):
    r"""How well segments correspond, with equal weight for over- and under-segmentation.

    Definition
    ----------
    The harmonic mean of `Purity` and `Coverage`, as pyannote.metrics offers it.

    .. math::  F = 2PC / (P + C)

    Edge cases
    ----------
    Never undefined: every document has a unit.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    >>> round(PurityCoverageF1()(reference, hypothesis), 4)
    0.7692

    See Also
    --------
    CovN : counts segments that are found rather than units that overlap.
    """

    rate = "f1"
    card = _card(title="harmonic mean of purity and coverage", symmetric=True, formula="2PC / (P + C)")
