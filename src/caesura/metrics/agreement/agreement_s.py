# SPDX-License-Identifier: Apache-2.0
"""AgreementS."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.metrics.agreement._base import AGREEMENT
from caesura.metrics.agreement._edits import EditAgreement
from caesura.metrics.base import Floats, MetricCard, ratio


@AGREEMENT.register()
@dataclasses.dataclass(frozen=True)
class AgreementS(EditAgreement):
    r"""How much annotators agree beyond chance, near misses counting in part: pi over segmentation similarity.

    Definition
    ----------
    Observed agreement is `SegmentationSimilarity` of every two annotators, pooled over the pairs: what needs no edit over all gaps. Expected
    agreement is the chance that two annotators mark the same gap: the squared share of gaps marked (pi), or with
    ``kappa=True`` the mean over pairs of the product of their own shares.

    .. math::  \frac{A_a - A_e}{1 - A_e}, \quad A_e = P(\mathrm{boundary})^2

    `bias` is the difference of the two expectations.

    Edge cases
    ----------
    One annotator, or nobody marks anything: NaN. Chance is small where boundaries are few, so the coefficient lies near the uncorrected
    agreement.

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

    card = MetricCard(
        title="agreement of annotators by segmentation similarity, corrected for chance",
        direction="higher",
        bounds=(-1.0, 1.0),
        perfect=1.0,
        symmetric=True,
        mirror=False,
        citation="Fournier & Inkpen 2012, Segmentation similarity and agreement, NAACL; Fournier 2013, ACL",
        equation="unverified",
        formula="(observed - expected) / (1 - expected)",
    )

    def observed(self, counts: Floats) -> Floats:
        """Return segmentation similarity, pooled over the pairs of annotators."""
        return np.where(counts[..., 4] > 0, ratio(counts[..., 2], counts[..., 3]), np.nan)
