# SPDX-License-Identifier: Apache-2.0
"""CovD: the share of the duration that lies in retrieved segments, with its precision and recall."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS
from caesura.metrics.pairwise._retrieval import RetrievalMetric, retrieval_card

__all__ = ["CovD", "CovDPrecision", "CovDRecall"]


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovDPrecision(RetrievalMetric):
    r"""The share of the hypothesis's segments that are correct, weighted by segment length.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovDPrecision()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.5

    See Also
    --------
    CovD : the harmonic mean of precision and recall.
    """

    rate = "precision"
    by_length = True
    card = retrieval_card(
        title="correct segments of the hypothesis, by length",
        symmetric=False,
        blind_to=frozenset({"removal", "shift"}),
        equation="Eq. 6",
        formula="length of correct segments / length of the hypothesis",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovDRecall(RetrievalMetric):
    r"""The share of the reference's segments that are retrieved, weighted by segment length.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovDRecall()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.5

    See Also
    --------
    CovD : the harmonic mean of precision and recall.
    """

    rate = "recall"
    by_length = True
    card = retrieval_card(
        title="retrieved segments of the reference, by length",
        symmetric=False,
        blind_to=frozenset({"insertion", "shift"}),
        equation="Eq. 5",
        formula="length of correct segments / length of the reference",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovD(RetrievalMetric):
    r"""How well segments are retrieved, as a harmonic mean of precision and recall, weighted by segment length.

    Definition
    ----------
    The harmonic mean of `CovDPrecision` and `CovDRecall`: of the hypothesis' segments that are correct and of the
    reference's segments that are retrieved, weighted by segment length.

    .. math::  CovD = 2PR / (P + R)

    For gamma of 2/3 and more, correct segments pair off one to one. A corpus is pooled, as in the paper.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovD()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.5

    See Also
    --------
    CovN : counts each segment once.
    Purity, Coverage : units instead of segments.
    """

    rate = "f1"
    by_length = True
    card = retrieval_card(
        title="segments retrieved, precision and recall in one, by length",
        symmetric=True,
        blind_to=frozenset({"shift"}),
        equation="section 3.3 (harmonic mean of Eq. 5 and 6)",
        formula="2PR / (P + R)",
    )
