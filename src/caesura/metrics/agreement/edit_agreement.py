# SPDX-License-Identifier: Apache-2.0
"""Agreement of annotators by boundary edit distance, corrected for chance: pi with B or S."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from caesura.batches.panel import Panel, PanelLike
from caesura.declare import param
from caesura.metrics.agreement._base import AGREEMENT, AgreementMetric, coefficient_card
from caesura.metrics.agreement._tables import EDIT_COLUMNS, count_by_annotator, count_edits
from caesura.metrics.base import Aggregation, Floats, MetricCard, quantity, ratio
from caesura.units.quantity import needs_distance, resolve_quantity

__all__ = ["AgreementB", "AgreementS", "EditAgreement"]

_card = functools.partial(
    coefficient_card,
    mirror=False,
    citation="Fournier & Inkpen 2012, Segmentation similarity and agreement, NAACL; Fournier 2013, ACL",
)


@dataclasses.dataclass(frozen=True)
class EditAgreement(AgreementMetric):
    r"""A coefficient over the similarity of every two annotators; chance is the square of how often gaps are marked.

    Definition
    ----------
    Observed agreement is the similarity of every two annotators, pooled over the pairs: what needs no edit, over the
    boundaries at hand (`BoundarySimilarity`) or over all gaps (`SegmentationSimilarity`). Expected agreement is the chance
    that two annotators mark the same gap: the squared share of gaps marked (pi), or with ``kappa=True`` the mean over pairs
    of the product of their own shares.

    .. math::  \frac{A_a - A_e}{1 - A_e}, \quad A_e = P(\mathrm{boundary})^2

    `bias` is the difference of the two expectations.

    The coefficient of a corpus is the mean over its documents. segeval has one coefficient of all documents together, which is
    another number: ``pooled=True``, or profile ``segeval``, adds up the edits over all pairs and documents; chance is then the
    square of the mean share over all annotators and documents (pi), or comes from the share of each annotator in all
    documents (kappa). Of one document the two are the same.

    Edge cases
    ----------
    One annotator, or nobody marks anything: NaN. Pooled, such a document adds its gaps, where segeval fails. Chance is small where boundaries are few, so the coefficient lies near
    the uncorrected agreement.
    """

    n_t: int | str = quantity(2, "a near miss spans fewer than n_t units; a length such as '5s' on time")
    kappa: bool = param(False, "chance by annotator (kappa) instead of by all together (pi)")
    pooled: bool = param(
        False, "of several documents one coefficient of all edits, as in segeval, not the mean of theirs"
    )

    columns = EDIT_COLUMNS

    def facts(self) -> MetricCard:
        """Return the card; with chance by annotator, the counts of documents do not add."""
        aggregation: Aggregation = "micro" if self.pooled else "macro"
        return dataclasses.replace(self.card, additive=not self.kappa, aggregation=aggregation)

    def needs_distance(self, unit: str) -> bool:
        """Say whether n_t must be given as a length."""
        return needs_distance(self.n_t, unit, 2)

    def count(self, panel: Panel) -> Floats:
        """Count the edits of every two annotators."""
        n_t = resolve_quantity(self.n_t, panel.unit, owner=self.name(), name="n_t", default_limit=2)
        return panel.remember(("edits", n_t), lambda: count_edits(panel, n_t))

    def count_pooled(self, panel: Panel) -> Floats:
        """Return the counts, and the boundaries and gaps of each annotator."""
        return np.column_stack([self.count(panel), count_by_annotator(panel)])

    def expected(self, counts: Floats) -> Floats:
        """Return the chance that two annotators mark the same gap."""
        if self.kappa:
            own = counts[..., len(EDIT_COLUMNS) :]
            return _mean_product(own) if own.shape[-1] else counts[..., 6]
        share = ratio(counts[..., 7], counts[..., 8]) if self.pooled else ratio(counts[..., 4], counts[..., 5])
        return share**2

    def bias(self, segmentations: PanelLike) -> float:
        """Return how much of the pooled chance comes from annotators who mark at different rates.

        >>> from caesura.metrics import metric
        >>> from caesura.segmentation import Segmentation
        >>> metric("AgreementB").bias([Segmentation(9, (2, 4, 6)), Segmentation(9, (2, 4, 8))])
        0.0
        """
        return float(self.bias_of(self.count(Panel.of(segmentations)))[0])

    def bias_of(self, counts: Floats) -> Floats:
        """Return the bias of each row of counts: the pooled expectation less the one by annotator."""
        pooled = dataclasses.replace(self, kappa=False).expected(counts)
        return np.asarray(pooled - dataclasses.replace(self, kappa=True).expected(counts))


def _mean_product(own: Floats) -> Floats:
    """Return the mean over pairs of annotators of the product of their shares, from the boundaries and gaps of each."""
    boundaries, gaps = np.split(own, 2, axis=-1)
    share, number = ratio(boundaries, gaps, empty=0.0), (gaps > 0).sum(axis=-1)
    return ratio(share.sum(axis=-1) ** 2 - (share**2).sum(axis=-1), number * (number - 1.0))


@AGREEMENT.register()
@dataclasses.dataclass(frozen=True)
class AgreementB(EditAgreement):
    r"""How much annotators agree beyond chance, with partial credit for near misses: pi over boundary similarity.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(13, (11,)), Segmentation(13, (2, 3, 10, 12)), Segmentation(13, (9,)), Segmentation(13, (2, 10, 12))]
    >>> round(AgreementB()(readers), 3)
    0.223

    See Also
    --------
    FleissKappa : exact gaps, and chance over both categories.
    """

    card = _card(title="agreement of annotators by boundary similarity, corrected for chance")

    def observed(self, counts: Floats) -> Floats:
        """Return boundary similarity, pooled over the pairs of annotators."""
        return ratio(counts[..., 0], counts[..., 1])


@AGREEMENT.register()
@dataclasses.dataclass(frozen=True)
class AgreementS(EditAgreement):
    r"""How much annotators agree beyond chance, near misses counting in part: pi over segmentation similarity.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> readers = [Segmentation(13, (11,)), Segmentation(13, (2, 3, 10, 12)), Segmentation(13, (9,)), Segmentation(13, (2, 10, 12))]
    >>> round(AgreementS()(readers), 3)
    0.784

    See Also
    --------
    FleissKappa : exact gaps, and chance over both categories.
    """

    card = _card(title="agreement of annotators by segmentation similarity, corrected for chance")

    def observed(self, counts: Floats) -> Floats:
        """Return segmentation similarity, pooled over the pairs of annotators."""
        return np.where(counts[..., 4] > 0, ratio(counts[..., 2], counts[..., 3]), np.nan)
