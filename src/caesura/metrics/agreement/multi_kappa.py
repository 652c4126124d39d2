# SPDX-License-Identifier: Apache-2.0
"""MultiKappa."""

from __future__ import annotations

import dataclasses

from caesura.metrics.agreement._base import AGREEMENT
from caesura.metrics.agreement._slots import SlotMetric
from caesura.metrics.base import Floats, MetricCard, ratio


@AGREEMENT.register()
@dataclasses.dataclass(frozen=True)
class MultiKappa(SlotMetric):
    r"""How much annotators agree on each gap beyond chance, each at their own rate.

    Definition
    ----------
    As `FleissKappa`, but chance lets each annotator mark gaps at their own rate: expected agreement is the mean over pairs of
    annotators of the chance that both put a gap into the same category.

    .. math::  A_e = \frac{1}{\binom{c}{2}} \sum_{a<b} [p_a p_b + (1-p_a)(1-p_b)]

    :math:`p_a` is the share of gaps that annotator a marks. The sum over pairs follows from the sums of the shares and of
    their squares, so it costs no more with many annotators.

    Edge cases
    ----------
    One annotator, or all of one mind everywhere: NaN. Documents are not pooled: their annotators may differ.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(13, (11,)), Segmentation(13, (2, 3, 10, 12)), Segmentation(13, (9,)), Segmentation(13, (2, 10, 12))]
    >>> round(MultiKappa()(readers), 3)
    0.067

    See Also
    --------
    FleissKappa : one rate for all; the difference is the annotators' bias.
    """

    card = MetricCard(
        title="agreement of annotators on each gap, corrected for chance by annotator",
        direction="higher",
        bounds=(-1.0, 1.0),
        perfect=1.0,
        symmetric=True,
        additive=False,
        citation="Davies & Fleiss 1982, Measuring agreement for multinomial data, Biometrics 38(4)",
        equation="unverified",
        formula="(observed - expected) / (1 - expected)",
    )

    def expected(self, counts: Floats) -> Floats:
        """Return the mean over pairs of the chance to agree."""
        h, total, squares = counts[..., 1], counts[..., 7], counts[..., 8]
        both = ratio(total**2 - squares, h * (h - 1))
        # p q + (1-p)(1-q) = 1 - p - q + 2 p q, and each p stands in h-1 of the pairs.
        return 1 - 2 * ratio(total, h) + 2 * both
