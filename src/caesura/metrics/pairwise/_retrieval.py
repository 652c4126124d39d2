# SPDX-License-Identifier: Apache-2.0
"""What CovN, CovD and their parts share: which segments are retrieved."""

from __future__ import annotations

import dataclasses
import functools
from fractions import Fraction
from typing import ClassVar

from caesura.declare import param
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, Request, ratio
from caesura.metrics.pairwise._lengths import LENGTHS, length_class
from caesura.metrics.pairwise._rates import RateMetric, rate_card
from caesura.units.quantity import check_quantity

retrieval_card = functools.partial(
    rate_card,
    aggregation="micro",
    citation="Bouchekif, Charlet, Damnati, Camelin & Esteve, Evaluating automatic topic segmentation as a segment "
    "retrieval task",
)
_FINEST = 1_000_000


@dataclasses.dataclass(frozen=True)
class RetrievalMetric(RateMetric):
    """A metric of segments whose harmonic coverage with their partner exceeds gamma."""

    gamma: float = param(
        0.85, "how well a segment must be covered, both ways, to be correct", minimum=0, maximum=1
    )
    strict: bool = param(True, "whether coverage must exceed gamma, or may equal it")
    length: str = param("all", "only segments of this length class", choices=LENGTHS)
    cut: int | str | None = param(
        None,
        "where short ends and long begins; a length such as '30s' on time",
        minimum=1,
        check=check_quantity,
    )

    by_length: ClassVar[bool] = False
    columns = (
        "n_ref",
        "n_hyp",
        "ref_correct",
        "hyp_correct",
        "ref_length",
        "hyp_length",
        "ref_length_correct",
        "hyp_length_correct",
    )

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
        return (
            ratio(counts[..., 6], counts[..., 4]) if self.by_length else ratio(counts[..., 2], counts[..., 0])
        )

    def precision(self, counts: Floats) -> Floats:
        """Return the share of the hypothesis' segments that are correct, by number or by length."""
        return (
            ratio(counts[..., 7], counts[..., 5]) if self.by_length else ratio(counts[..., 3], counts[..., 1])
        )

    def why_undefined(self) -> str:
        """Say when it is not defined."""
        return f"no {self.length} segment"
