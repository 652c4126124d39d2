# SPDX-License-Identifier: Apache-2.0
"""Precision, recall and F1 of boundaries matched by boundary edit distance."""

from __future__ import annotations

import dataclasses
import functools

from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import METRICS, Damage, Floats, MetricCard, PairwiseMetric, Request, either, quantity, ratio
from caesura.metrics.pairwise._rates import RateMetric, rate_card
from caesura.units.quantity import needs_distance, resolve_quantity

__all__ = ["EditConfusion", "EditF1", "EditPrecision", "EditRate", "EditRecall"]

_card = functools.partial(
    rate_card, citation="Fournier 2013, Evaluating text segmentation using boundary edit distance, ACL"
)


@dataclasses.dataclass(frozen=True)
class EditMetric(PairwiseMetric):
    """A metric of the edits between two segmentations: near misses of less than n_t are one edit, not two."""

    n_t: int | str = quantity(2, "a near miss spans fewer than n_t units; a length such as '5s' on time")

    columns = ("gaps", "matches", "ref_only", "hyp_only", "transpositions", "weighted")

    def facts(self) -> MetricCard:
        """Return the card; from n_t = 3 on, pairing from the left can leave over another boundary than from the right."""
        return self.card if self.n_t in (1, 2) else dataclasses.replace(self.card, mirror=False)

    def needs_distance(self, unit: str) -> bool:
        """Say whether n_t must be given as a length."""
        return needs_distance(self.n_t, unit, 2)

    def span(self, unit: str) -> int:
        """Return n_t in units."""
        n_t = resolve_quantity(self.n_t, unit, owner=self.name(), name="n_t", default_limit=2)
        if n_t < 1:
            raise MetricError(f"{self.name()}: n_t={self.n_t!r}; it must be at least one {unit}")
        return n_t

    def request(self, unit: str) -> Request:
        """Ask for the edits."""
        return Request("edits", n_t=self.span(unit))


@dataclasses.dataclass(frozen=True)
class EditConfusion(EditMetric, RateMetric):
    """Precision and recall of edits: a near miss of distance d is a hit of weight 1 - d/n_t and no error.

    Edge cases
    ----------
    No boundary on either side: 1. Boundaries on one side only: 0.
    """

    as_printed: bool = param(False, "as segeval prints: precision and recall exchanged, a near miss weighing d/n_t")

    def facts(self) -> MetricCard:
        """Return the card; as printed, precision overlooks what recall should, and the other way round."""
        card = super().facts()
        if not self.as_printed:
            return card
        other: dict[Damage, Damage] = {"removal": "insertion", "insertion": "removal", "shift": "shift"}
        return dataclasses.replace(card, blind_to=frozenset(other[kind] for kind in card.blind_to))

    def hits(self, counts: Floats) -> Floats:
        """Return the weighted true positives."""
        if self.as_printed:
            # segeval adds the cost of a near miss where its worth is meant; for n_t = 2 both are one half.
            return counts[..., 1] + counts[..., 5]
        return counts[..., 1] + counts[..., 4] - counts[..., 5]

    def share(self, counts: Floats, wrong: Floats) -> Floats:
        """Return hits / (hits + wrong); 1 where neither side has a boundary, 0 where only one has."""
        hits = self.hits(counts)
        nothing = (counts[..., 1] + counts[..., 2] + counts[..., 3] + counts[..., 4]) == 0
        return either(nothing, 1.0, ratio(hits, hits + wrong, empty=0.0))

    def precision(self, counts: Floats) -> Floats:
        """Return the share of the hypothesis' boundaries that are hits."""
        return self.share(counts, counts[..., 2 if self.as_printed else 3])

    def recall(self, counts: Floats) -> Floats:
        """Return the share of the reference's boundaries that are hits."""
        return self.share(counts, counts[..., 3 if self.as_printed else 2])


@dataclasses.dataclass(frozen=True)
class EditRate(EditConfusion):
    """Precision or recall alone, of boundaries or, as segeval's ``precision(cm)`` has it, of both classes together."""

    classes: str = param(
        "boundary",
        "which classes of the confusion matrix count: the boundary, or all (segeval's default call)",
        choices=("boundary", "all"),
    )

    def facts(self) -> MetricCard:
        """Return the card; over all classes, precision and recall are the same number and see both kinds of error."""
        card = super().facts()
        if self.classes == "boundary":
            return card
        return dataclasses.replace(card, symmetric=True, blind_to=frozenset[Damage]({"shift"}))

    def share(self, counts: Floats, wrong: Floats) -> Floats:
        """Return hits / (hits + wrong); over all classes, what either side has alone is wrong."""
        if self.classes == "all":
            wrong = counts[..., 2] + counts[..., 3]
        return super().share(counts, wrong)


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditPrecision(EditRate):
    r"""Share of the hypothesis' boundaries that hit, with partial credit for near misses.

    Definition
    ----------
    From the edits of boundary edit distance: matches are hits, a near miss of distance d is a hit of weight 1 - d/n_t, a
    boundary that only the hypothesis has is a false alarm.

    .. math::  P = \frac{TP}{TP + FP}, \qquad TP = M + \sum_t (1 - d_t / n_t)

    A near miss adds nothing to the errors, so pure near misses give 1. segeval's confusion matrix counts a boundary of
    the hypothesis as a miss; ``as_printed=True`` reproduces it. Called without a class, its ``precision(cm)`` and
    ``recall(cm)`` sum over both classes, boundary and none: ``classes="all"``, with which both are TP / (TP + FP + FN).

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

    rate = "precision"
    card = _card(
        title="share of the hypothesis' boundaries that are hits, near ones in part",
        symmetric=False,
        blind_to=frozenset({"removal", "shift"}),
        formula="TP / (TP + FP)",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditRecall(EditRate):
    r"""Share of the reference's boundaries that are hit, near misses counting in part.

    Definition
    ----------
    From the edits of boundary edit distance: matches are hits, a near miss of distance d is a hit of weight 1 - d/n_t, a
    boundary that only the reference has is a miss.

    .. math::  R = \frac{TP}{TP + FN}, \qquad TP = M + \sum_t (1 - d_t / n_t)

    See `EditPrecision` on near misses and on segeval.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> EditRecall()(Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10))
    1.0

    See Also
    --------
    EditPrecision, EditF1
    """

    rate = "recall"
    card = _card(
        title="share of the reference's boundaries that are hit, near ones in part",
        symmetric=False,
        blind_to=frozenset({"insertion", "shift"}),
        formula="TP / (TP + FN)",
    )


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class EditF1(EditConfusion):
    r"""How well boundaries agree as edits, with equal weight for misses and false alarms.

    Definition
    ----------
    The harmonic mean of `EditPrecision` and `EditRecall`.

    .. math::  F = 2PR / (P + R)

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> round(EditF1()(Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)), 4)
    0.2

    See Also
    --------
    BoundarySimilarity : the same edits in one share, in which a near miss costs something.
    """

    rate = "f1"
    card = _card(
        title="harmonic mean of EditPrecision and EditRecall",
        symmetric=True,
        blind_to=frozenset({"shift"}),
        formula="2PR / (P + R)",
    )
