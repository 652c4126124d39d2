# SPDX-License-Identifier: Apache-2.0
"""What CovN, CovD and their parts share: which segments are retrieved."""

from __future__ import annotations

import dataclasses
import functools
from fractions import Fraction
from typing import ClassVar

from caesura.declare import param
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, Request, quantity, ratio
from caesura.metrics.pairwise._lengths import LENGTHS, length_class
from caesura.metrics.pairwise._rates import RateMetric, rate_card

retrieval_card = functools.partial(
    rate_card,
    aggregation="micro",
    citation="Bouchekif, Charlet, Damnati, Camelin & Esteve, Evaluating automatic topic segmentation as a segment "
    "retrieval task",
)
_FINEST = 1_000_000


@dataclasses.dataclass(frozen=True)
class RetrievalMetric(RateMetric):
    r"""A metric of segments whose harmonic coverage with their partner exceeds gamma.

    Definition
    ----------
    Each segment of one side (the hypothesis for precision, the reference for recall) is matched to the segment of the other
    that covers most of it, and is correct if their harmonic coverage 2o / (|R| + |H|), o the overlap, exceeds gamma.

    .. math::  CovN: \frac{1}{N} \sum_i \varphi_\gamma(S_i), \qquad
        CovD: \frac{1}{\sum_i d(S_i)} \sum_i d(S_i)\,\varphi_\gamma(S_i)

    :math:`S_i` are the N segments of that side, d is the length, :math:`\varphi_\gamma` is 1 for a correct segment, else 0.
    ``length`` and ``cut`` restrict both to short or long segments of that side. A corpus is pooled, as in the paper.

    Edge cases
    ----------
    A length class without a segment: NaN. No segment correct: 0.
    """

    gamma: float = param(
        0.85, "how well a segment must be covered, both ways, to be correct", minimum=0, maximum=1
    )
    strict: bool = param(True, "whether coverage must exceed gamma, or may equal it")
    length: str = param("all", "only segments of this length class", choices=LENGTHS)
    cut: int | str | None = quantity(None, "where short ends and long begins; a length such as '30s' on time")

    by_length: ClassVar[bool] = False
    columns = (
        "n_ref", "n_hyp", "ref_correct", "hyp_correct",
        "ref_length", "hyp_length", "ref_length_correct", "hyp_length_correct",
    )  # fmt: skip

    def facts(self) -> MetricCard:
        """Return the card; below gamma = 2/3 two segments may share a partner, so that a cut can go unnoticed."""
        if self.length != "all" or 3 * self.gamma < 2:
            return dataclasses.replace(self.card, blind_to=ANY_DAMAGE)
        return self.card

    def request(self, unit: str) -> Request:
        """Ask for the segments retrieved; gamma as an exact fraction, so that equality is exact."""
        gamma = Fraction(repr(self.gamma)).limit_denominator(_FINEST)
        low, high = length_class(self, unit)
        return Request("retrieval", (gamma.numerator, gamma.denominator, int(self.strict), low, high))

    def recall(self, counts: Floats) -> Floats:
        """Return the share of the reference's segments that are retrieved, by number or by length."""
        total = 4 if self.by_length else 0
        return ratio(counts[..., total + 2], counts[..., total])

    def precision(self, counts: Floats) -> Floats:
        """Return the share of the hypothesis' segments that are correct, by number or by length."""
        total = 5 if self.by_length else 1
        return ratio(counts[..., total + 2], counts[..., total])

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return f"no {self.length} segment"
