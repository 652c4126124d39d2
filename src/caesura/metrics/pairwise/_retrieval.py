# SPDX-License-Identifier: Apache-2.0
"""What CovN, CovD and their parts share: which segments are retrieved."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.kernels import expected
from caesura.metrics.base import ANY_DAMAGE, Floats, MetricCard, Request, quantity, ratio
from caesura.metrics.pairwise._rates import LENGTHS, RateMetric, length_class, rate_card

retrieval_card = functools.partial(
    rate_card,
    aggregation="micro",
    citation="Bouchekif, Charlet, Damnati, Camelin & Esteve, Evaluating automatic topic segmentation as a segment "
    "retrieval task",
)
_FINEST = 1_000_000
# Units per segment, and of a document, up to which segments of every length are summed.
_UNITS_EACH = 1_024
_LONGEST = 1 << 22


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

    gamma: float = param(0.85, "how well a segment must be covered, both ways, to be correct", minimum=0, maximum=1)
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
        numerator, denominator = self._exact_gamma
        gamma = {"numerator": numerator, "denominator": denominator, "strict": int(self.strict)}
        return Request("retrieval", **gamma, **length_class(self, unit))

    @property
    def _exact_gamma(self) -> tuple[int, int]:
        return Fraction(repr(self.gamma)).limit_denominator(_FINEST).as_integer_ratio()

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool) -> Floats | None:
        """Return the expected correct segments: the sum over all pairs of the reference's and any other that is good enough.

        Below a gamma of 2/3 it need not be a partner, and very long segments have too many others.
        """
        if swap:  # a profile that exchanges both sides may also lengthen them
            return None
        numerator, denominator = self._exact_gamma
        long = pairs.n_units.sum() > _UNITS_EACH * (len(pairs.ref_pos) + len(pairs))
        if self.length != "all" or 3 * numerator <= 2 * denominator or long or pairs.n_units.max(initial=0) > _LONGEST:
            return None
        correct, own, other = _expected_retrieved(pairs, (numerator, denominator, int(self.strict)))
        found = counts.copy()
        found[:, 2] = found[:, 3] = correct
        found[:, 6], found[:, 7] = own, other
        return found

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


def _expected_retrieved(pairs: Pairs, parameters: tuple[int, int, int]) -> Floats:
    """Return the expected correct segments of each document, and the units in them, of the reference and of the drawn side."""
    given = pairs.n_units, pairs.ref_ptr, pairs.ref_pos, np.diff(pairs.hyp_ptr)
    room = int(pairs.n_units.max(initial=0)) + 1
    out = np.empty((len(pairs), 3))
    run: Callable[..., None] = expected.expect_retrieved
    if expected.COMPILED:
        run(*given, *parameters, np.empty(room), out)
    else:
        run(*(each.tolist() for each in given), *parameters, [0.0] * room, out)
    return out.T
