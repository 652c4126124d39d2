# SPDX-License-Identifier: Apache-2.0
"""Agreement of annotators on each gap, corrected for chance: Fleiss' kappa, multi-kappa and Krippendorff's alpha."""

from __future__ import annotations

import dataclasses

from caesura.batches.panel import Panel
from caesura.declare import param
from caesura.metrics.agreement._base import AGREEMENT, AgreementMetric, coefficient_card
from caesura.metrics.agreement._tables import SLOT_COLUMNS, count_slots
from caesura.metrics.base import Floats, ratio

__all__ = ["FleissKappa", "KrippendorffAlpha", "MultiKappa", "SlotMetric"]


@dataclasses.dataclass(frozen=True)
class SlotMetric(AgreementMetric):
    """A coefficient over gaps as items with two categories: boundary, no boundary."""

    include_end: bool = param(False, "count the end of the document as an item that everybody marks")

    columns = SLOT_COLUMNS

    def count(self, panel: Panel) -> Floats:
        """Count the gaps."""
        return panel.remember(("slots", self.include_end), lambda: count_slots(panel, self.include_end))

    def observed(self, counts: Floats) -> Floats:
        """Return the share of pairs of annotators who agree on a gap."""
        return ratio(counts[..., 2], counts[..., 3])


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
    counts the end of the document as one more gap that everybody marks: only this gives the
    printed 0.28 of chapter 1 of the Moonstone. segeval's "fleiss_pi" is another coefficient: see `AgreementB`.

    Edge cases
    ----------
    Near misses count as disagreement. One annotator, or no gap that differs from another (nobody marks anything, or everybody
    everything): NaN. With ``include_end=True`` nobody marking a gap is agreement on two categories, and gives 1.

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

    card = coefficient_card(
        title="agreement of annotators on each gap, corrected for chance",
        citation="Fleiss 1971; as in Kazantseva & Szpakowicz 2012, Topical segmentation: a study of human performance and a new measure of quality, NAACL",
        equation="Eq. 1-3",
    )

    def expected(self, counts: Floats) -> Floats:
        """Return the agreement of annotators who mark gaps at the pooled rate."""
        share = ratio(counts[..., 4], counts[..., 5])
        return share**2 + (1 - share) ** 2


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
    One annotator, or nobody marks anything (1 with ``include_end=True``), or everybody everything: NaN. Documents are not
    pooled: their annotators may differ.

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

    card = coefficient_card(
        title="agreement of annotators on each gap, corrected for chance by annotator",
        additive=False,
        citation="Davies & Fleiss 1982, Measuring agreement for multinomial data, Biometrics 38(4)",
    )

    def expected(self, counts: Floats) -> Floats:
        """Return the mean over pairs of the chance to agree."""
        h, total, squares = counts[..., 1], counts[..., 7], counts[..., 8]
        both = ratio(total**2 - squares, h * (h - 1))
        # p q + (1-p)(1-q) = 1 - p - q + 2 p q, and each p stands in h-1 of the pairs.
        return 1 - 2 * ratio(total, h) + 2 * both


@AGREEMENT.register()
@dataclasses.dataclass(frozen=True)
class KrippendorffAlpha(SlotMetric):
    r"""How much annotators agree on each gap beyond chance, with the correction for small samples.

    Definition
    ----------
    Nominal alpha over gaps with two categories; annotators may be missing from documents.

    .. math::  \alpha = 1 - \frac{D_o}{D_e}, \quad A_o = \frac{1}{n} \sum_u \sum_k \frac{n_{uk}(n_{uk}-1)}{m_u - 1}, \quad A_e = \sum_k \frac{n_k(n_k-1)}{n(n-1)}

    :math:`m_u` annotators judged gap u, :math:`n_{uk}` of them put it into category k; n judgements in all.

    Edge cases
    ----------
    One annotator, or nobody marks anything (1 with ``include_end=True``), or everybody everything: NaN (others print 1).

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(13, (11,)), Segmentation(13, (2, 3, 10, 12)), Segmentation(13, (9,)), Segmentation(13, (2, 10, 12))]
    >>> round(KrippendorffAlpha()(readers), 3)
    0.063

    See Also
    --------
    FleissKappa : chance drawn with replacement; nearly equal on long documents.
    """

    card = coefficient_card(
        title="nominal alpha of annotators over gaps", citation="Krippendorff 2004, Content analysis"
    )

    def observed(self, counts: Floats) -> Floats:
        """Return the share of judgements that agree, each gap weighed by its judgements."""
        return ratio(counts[..., 6], counts[..., 5])

    def expected(self, counts: Floats) -> Floats:
        """Return the agreement of judgements drawn without replacement."""
        n, ones = counts[..., 5], counts[..., 4]
        zeros = n - ones
        return ratio(ones * (ones - 1) + zeros * (zeros - 1), n * (n - 1))
