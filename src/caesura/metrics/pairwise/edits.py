# SPDX-License-Identifier: Apache-2.0
"""Precision, recall and F1 of boundaries matched by boundary edit distance."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import METRICS, Floats, MetricCard, harmonic_mean
from caesura.metrics.pairwise._edits import CITATION, EditConfusion, EditRate

__all__ = ["EditF1", "EditPrecision", "EditRecall"]


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditPrecision(EditRate):
    r"""Of the hypothesis' boundaries, the share that hit, near misses counting in part.

    Definition
    ----------
    From the edits of boundary edit distance: matches are hits, a near miss of distance d is a hit of weight 1 - d/n_t, a
    boundary that only the hypothesis has is a false alarm.

    .. math::  P = \frac{TP}{TP + FP}, \qquad TP = M + \sum_t (1 - d_t / n_t)

    A near miss adds nothing to the errors, so pure near misses give 1. segeval's confusion matrix books a boundary of
    the hypothesis as a miss; ``as_printed=True`` reproduces it. Called without a class, its ``precision(cm)`` and
    ``recall(cm)`` sum over both classes, boundary and none: ``classes="all"``, with which both are TP / (TP + FP + FN).

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)
    >>> round(EditPrecision()(reference, hypothesis), 4)  # one hit among nine
    0.1111

    See Also
    --------
    EditRecall, EditF1
    """

    card = MetricCard(
        title="share of the hypothesis' boundaries that are hits, near ones in part",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"removal", "shift"}),
        citation=CITATION,
        equation="unverified",
        formula="TP / (TP + FP)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return TP / (TP + FP)."""
        return self.precision(counts)


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditRecall(EditRate):
    r"""Of the reference's boundaries, the share that is hit, near misses counting in part.

    Definition
    ----------
    From the edits of boundary edit distance: matches are hits, a near miss of distance d is a hit of weight 1 - d/n_t, a
    boundary that only the reference has is a miss.

    .. math::  R = \frac{TP}{TP + FN}, \qquad TP = M + \sum_t (1 - d_t / n_t)

    See `EditPrecision` on near misses and on segeval.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> EditRecall()(Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10))
    1.0

    See Also
    --------
    EditPrecision, EditF1
    """

    card = MetricCard(
        title="share of the reference's boundaries that are hit, near ones in part",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=False,
        blind_to=frozenset({"insertion", "shift"}),
        citation=CITATION,
        equation="unverified",
        formula="TP / (TP + FN)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return TP / (TP + FN)."""
        return self.recall(counts)


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditF1(EditConfusion):
    r"""How well boundaries agree as edits, misses and false alarms weighed alike.

    Definition
    ----------
    The harmonic mean of `EditPrecision` and `EditRecall`.

    .. math::  F = 2PR / (P + R)

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> round(EditF1()(Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)), 4)
    0.2

    See Also
    --------
    BoundarySimilarity : the same edits in one share, in which a near miss costs something.
    """

    card = MetricCard(
        title="harmonic mean of EditPrecision and EditRecall",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        blind_to=frozenset({"shift"}),
        citation=CITATION,
        equation="unverified",
        formula="2PR / (P + R)",
    )

    def score(self, counts: Floats) -> Floats:
        """Return 2PR / (P + R)."""
        return harmonic_mean(self.precision(counts), self.recall(counts))
