# SPDX-License-Identifier: Apache-2.0
"""WinPR: precision, recall and F1 of boundaries counted in sliding windows."""

from __future__ import annotations

import dataclasses
import functools

from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import METRICS, Floats, MetricCard, Request, either, ratio
from caesura.metrics.pairwise._rates import RateMetric, rate_card
from caesura.metrics.pairwise._windows import WindowMetric
from caesura.segmentation import CONTINUOUS_UNITS

__all__ = ["WinF1", "WinPR", "WinPrecision", "WinRecall"]

_card = functools.partial(rate_card, citation="Scaiano & Inkpen 2012, Getting more from segmentation evaluation, NAACL")


@dataclasses.dataclass(frozen=True)
class WinPR(WindowMetric, RateMetric):
    """A metric of the windows of WinPR: true positives are boundaries that both sides have in a window.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0. With ``edge="interior"``, a document not longer than k has no
    window: NaN.
    """

    edge: str = param(
        "padded", "every window that holds a gap (the paper), or only windows inside", choices=("padded", "interior")
    )

    columns = ("k", "windows", "ref_sum", "hyp_sum", "surplus", "deficit")

    def facts(self) -> MetricCard:
        """Return the card; without the windows at the ends, a shift near them may go unnoticed."""
        card = super().facts()
        if self.edge == "padded":
            return card
        return dataclasses.replace(card, blind_to=card.blind_to | {"shift"})

    def needs_distance(self, unit: str) -> bool:
        """Say whether k must be given as a length."""
        return unit in CONTINUOUS_UNITS and self.k is None

    def request(self, unit: str) -> Request:
        """Ask for the windows of WinPR."""
        if self.needs_distance(unit):
            example = "'30s'" if unit == "ms" else "'200c'"
            raise MetricError(
                f"{self.name()}: there is no default k on the unit {unit!r}; give one, such as k={example}"
            )
        return Request("window_diff", **self.window_parameters(unit), edge=3 if self.edge == "padded" else 0)

    def share(self, has: Floats, wrong: Floats, counts: Floats) -> Floats:
        """Return what is right of what a side has; 1 where neither side has a boundary, 0 where only one has."""
        right = ratio(has - wrong, has, empty=0.0)
        right = either(counts[..., 2] + counts[..., 3] == 0, 1.0, right)
        # A window of no gap (NLTK's rule for k) sees nothing; padded windows of at least one see every boundary.
        seen = counts[..., 0] if self.edge == "padded" else counts[..., 0] * counts[..., 1]
        return either(seen == 0, self.without_window, right)

    def precision(self, counts: Floats) -> Floats:
        """Return TP / (TP + FP): all that the hypothesis has, less its surplus."""
        return self.share(counts[..., 3], counts[..., 4], counts)

    def recall(self, counts: Floats) -> Floats:
        """Return TP / (TP + FN): all that the reference has, less what lacks."""
        return self.share(counts[..., 2], counts[..., 5], counts)


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class WinPrecision(WinPR):
    r"""Share of the hypothesis' boundaries in each window that the reference has there too.

    Definition
    ----------
    With :math:`R_i, H_i` the boundaries of reference and hypothesis in window i of k gaps,

    .. math::  TP = \sum_i \min(R_i, H_i), \quad FP = \sum_i \max(0, H_i - R_i), \quad P = TP / (TP + FP)

    Every window that holds at least one gap counts, so that each boundary lies in exactly k of them; the paper's upper
    limit "N" fits only one gap more. ``edge="interior"`` keeps the windows inside, as the author's own code does. The
    author does not halve k; here it is chosen as for WindowDiff unless given.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6])
    >>> WinPrecision(k=2)(reference, hypothesis)  # boundaries 5 and 4 share one of two windows
    0.5

    See Also
    --------
    WinRecall, WinF1
    BoundaryPrecision : the same question with a tolerance instead of a window.
    """

    rate = "precision"
    card = _card(
        title="share of the hypothesis' boundaries, window by window, that the reference has too",
        symmetric=False,
        blind_to=frozenset({"removal"}),
        formula="TP / (TP + FP)",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class WinRecall(WinPR):
    r"""Share of the reference's boundaries in each window that the hypothesis has there too.

    Definition
    ----------
    With :math:`R_i, H_i` the boundaries of reference and hypothesis in window i of k gaps,

    .. math::  TP = \sum_i \min(R_i, H_i), \quad FN = \sum_i \max(0, R_i - H_i), \quad R = TP / (TP + FN)

    Windows and k as for `WinPrecision`.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([5, 5]), Segmentation.from_masses([5, 2, 3])
    >>> WinRecall(k=2)(reference, hypothesis)
    1.0

    See Also
    --------
    WinPrecision, WinF1
    """

    rate = "recall"
    card = _card(
        title="share of the reference's boundaries, window by window, that the hypothesis has too",
        symmetric=False,
        blind_to=frozenset({"insertion"}),
        formula="TP / (TP + FN)",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class WinF1(WinPR):
    r"""How well the boundaries agree window by window, with equal weight for too many and too few.

    Definition
    ----------
    The harmonic mean of `WinPrecision` and `WinRecall`.

    .. math::  F = 2PR / (P + R) = 2TP / (2TP + FP + FN)

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> WinF1(k=2)(Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6]))
    0.5

    See Also
    --------
    WindowDiff : one error rate over the same windows.
    """

    rate = "f1"
    card = _card(title="harmonic mean of WinPrecision and WinRecall", symmetric=False, formula="2PR / (P + R)")
