# SPDX-License-Identifier: Apache-2.0
"""FleissKappa."""

from __future__ import annotations

import dataclasses

from caesura.metrics.agreement._base import AGREEMENT
from caesura.metrics.agreement._slots import SlotMetric
from caesura.metrics.base import Floats, MetricCard, ratio


@AGREEMENT.register("MultiPi")
@dataclasses.dataclass(frozen=True)
class FleissKappa(SlotMetric):
    r"""How much annotators agree on each gap beyond chance, one distribution for all.

    Definition
    ----------
    Each gap is an item with two categories. Observed agreement is the share of pairs of annotators who put a gap into the
    same category, expected agreement what chance gives when all annotators mark gaps at the pooled rate.

    .. math::  \kappa = \frac{A_o - A_e}{1 - A_e}, \quad A_o = \frac{1}{i c (c-1)} \sum_i \sum_k n_{ik}(n_{ik}-1), \quad A_e = \frac{1}{(ic)^2} \sum_k n_k^2

    i gaps, c annotators, :math:`n_{ik}` annotators who put gap i into category k. It is multi-pi. ``include_end=True``
    counts the end of the document as one more gap that everybody marks: the printed 0.28 of chapter 1 of the Moonstone
    comes out only so. segeval's "fleiss_pi" is another coefficient: see `AgreementB`.

    Edge cases
    ----------
    Near misses count as disagreement. One annotator, or all of one mind everywhere (nobody marks anything): NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(13, (11,)), Segmentation(13, (2, 3, 10, 12)), Segmentation(13, (9,)), Segmentation(13, (2, 10, 12))]
    >>> round(FleissKappa()(readers), 3), round(FleissKappa(include_end=True)(readers), 3)
    (0.043, 0.282)

    See Also
    --------
    MultiKappa : a distribution for each annotator.
    AgreementB : near misses count in part.
    """

    card = MetricCard(
        title="agreement of annotators on each gap, corrected for chance",
        direction="higher",
        bounds=(-1.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation="Fleiss 1971; as in Kazantseva & Szpakowicz 2012, Topical segmentation: a study of human performance and a new measure of quality, NAACL",
        equation="Eq. 1-3",
        formula="(observed - expected) / (1 - expected)",
    )

    def expected(self, counts: Floats) -> Floats:
        """Return the agreement of annotators who mark gaps at the pooled rate."""
        share = ratio(counts[..., 4], counts[..., 5])
        return share**2 + (1 - share) ** 2
