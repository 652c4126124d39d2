# SPDX-License-Identifier: Apache-2.0
"""CovN: the share of segments that were retrieved, with its precision and recall."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS
from caesura.metrics.pairwise._retrieval import RetrievalMetric, retrieval_card

__all__ = ["CovN", "CovNPrecision", "CovNRecall"]


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovNPrecision(RetrievalMetric):
    r"""The share of the hypothesis's segments that are correct, each segment counting once.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovNPrecision()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.3333

    See Also
    --------
    CovN : the harmonic mean of precision and recall.
    """

    rate = "precision"
    card = retrieval_card(
        title="correct segments of the hypothesis",
        symmetric=False,
        blind_to=frozenset({"removal", "shift"}),
        equation="Eq. 3",
        formula="correct segments / segments of the hypothesis",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovNRecall(RetrievalMetric):
    r"""The share of the reference's segments that are retrieved, each segment counting once.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovNRecall()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.5

    See Also
    --------
    CovN : the harmonic mean of precision and recall.
    """

    rate = "recall"
    card = retrieval_card(
        title="retrieved segments of the reference",
        symmetric=False,
        blind_to=frozenset({"insertion", "shift"}),
        equation="Eq. 2",
        formula="correct segments / segments of the reference",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class CovN(RetrievalMetric):
    r"""How well segments are retrieved, as a harmonic mean of precision and recall, each segment counting once.

    Definition
    ----------
    The harmonic mean of `CovNPrecision` and `CovNRecall`: of the hypothesis' segments that are correct and of the
    reference's segments that are retrieved, each segment counting once.

    .. math::  CovN = 2PR / (P + R)

    For gamma of 2/3 and more, correct segments pair off one to one. A corpus is pooled, as in the paper.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])
    >>> round(CovN()(reference, hypothesis), 4)  # the first segment is retrieved, the second is split
    0.4

    See Also
    --------
    CovD : weighs segments by their length.
    Purity, Coverage : units instead of segments.
    """

    rate = "f1"
    card = retrieval_card(
        title="segments retrieved, precision and recall in one",
        symmetric=True,
        blind_to=frozenset({"shift"}),
        equation="Eq. 4",
        formula="2PR / (P + R)",
    )
