# SPDX-License-Identifier: Apache-2.0
"""KrippendorffAlpha."""

from __future__ import annotations

import dataclasses

from caesura.metrics.agreement._base import AGREEMENT
from caesura.metrics.agreement._slots import SlotMetric
from caesura.metrics.base import Floats, MetricCard, ratio


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
    One annotator, or all of one mind everywhere: NaN (others print 1).

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

    card = MetricCard(
        title="nominal alpha of annotators over gaps",
        direction="higher",
        bounds=(-1.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation="Krippendorff 2004, Content analysis",
        equation="unverified",
        formula="(observed - expected) / (1 - expected)",
    )

    def observed(self, counts: Floats) -> Floats:
        """Return the share of judgements that agree, each gap weighed by its judgements."""
        return ratio(counts[..., 6], counts[..., 5])

    def expected(self, counts: Floats) -> Floats:
        """Return the agreement of judgements drawn without replacement."""
        n, ones = counts[..., 5], counts[..., 4]
        zeros = n - ones
        return ratio(ones * (ones - 1) + zeros * (zeros - 1), n * (n - 1))
