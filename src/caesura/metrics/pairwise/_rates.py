# SPDX-License-Identifier: Apache-2.0
"""What families of precision, recall and their harmonic mean share."""

from __future__ import annotations

import dataclasses
import functools
from typing import ClassVar, Literal, Protocol

import numpy as np

from caesura.batches.flat import Ints
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import Floats, MetricCard, PairwiseMetric, harmonic_mean, ratio
from caesura.units.quantity import resolve_quantity

__all__ = ["POOLING", "RateMetric", "pooled_card", "rate_card", "shares"]

LENGTHS = ("all", "short", "long")
rate_card = functools.partial(MetricCard, direction="higher", bounds=(0.0, 1.0), perfect=1.0)
"""The card of a share: from 0 to 1, higher is better."""
POOLING: str = param(
    "per_document",
    "the score of a corpus: the mean of that of each document, that of mean precision and mean recall, or that of all counts together",
    choices=("per_document", "of_means", "of_sums"),
)
"""How precision, recall and F1 of documents become those of a corpus."""


def pooled_card(card: MetricCard, how: str) -> MetricCard:
    """Return the card of a metric that is pooled in this way: what is not per document is scored from sums."""
    return card if how == "per_document" else dataclasses.replace(card, aggregation="micro")


def shares(counts: Floats) -> Floats:
    """Return counts of n_ref, n_hyp, found of the reference and found of the hypothesis as shares of one, whose sums give the means."""
    several = (counts.shape[1] - 2) // 2
    recall, precision = (
        ratio(counts[:, 2 : 2 + several], counts[:, :1]),
        ratio(counts[:, 2 + several :], counts[:, 1:2]),
    )
    return np.column_stack([np.ones((len(counts), 2)), recall, precision])


@dataclasses.dataclass(frozen=True)
class RateMetric(PairwiseMetric):
    """Precision, recall or F1 of one kind of hit: the family says what they are, each member which one it is."""

    rate: ClassVar[Literal["precision", "recall", "f1"]]

    def precision(self, counts: Floats) -> Floats:
        """Return the share of what the hypothesis has that is right."""
        raise NotImplementedError  # pragma: no cover - every family has its own

    def recall(self, counts: Floats) -> Floats:
        """Return the share of what the reference has that is found."""
        raise NotImplementedError  # pragma: no cover - every family has its own

    def score(self, counts: Floats) -> Floats:
        """Return precision, recall, or 2PR / (P + R)."""
        if self.rate == "f1":
            return harmonic_mean(self.precision(counts), self.recall(counts))
        return self.precision(counts) if self.rate == "precision" else self.recall(counts)

    def distances(self, counts: Floats) -> Floats:
        """Return how far each of several references is; of counts that are summed by F1, so that all rates are of the same reference."""
        if getattr(self, "f1", None) != "of_sums":
            return super().distances(counts)
        return np.asarray(-harmonic_mean(self.precision(counts), self.recall(counts)))

    def best_counts(self, counts: Floats, document: Ints, size: int) -> Floats | None:
        """Return the best precision and the best recall of several references, each by itself, if their means are taken."""
        if getattr(self, "f1", None) != "of_means":
            return None
        best = np.zeros((size, counts.shape[1]))
        np.maximum.at(best, document, counts)
        return best


class _HasLengthClass(Protocol):
    @property
    def length(self) -> str: ...
    @property
    def cut(self) -> int | str | None: ...
    @classmethod
    def name(cls) -> str: ...


def length_class(metric: _HasLengthClass, unit: str) -> dict[str, int]:
    """Return the lengths that count, low <= length < high of a kernel: short is below the cut, long is from the cut on."""
    if (metric.length == "all") != (metric.cut is None):
        raise MetricError(
            f"{metric.name()}: length={metric.length!r} with cut={metric.cut!r}; "
            "a length class needs both, such as length='short', cut=30"
        )
    if metric.cut is None:
        return {}
    cut = resolve_quantity(metric.cut, unit, owner=metric.name(), name="cut")
    if cut < 1:
        raise MetricError(f"{metric.name()}: cut={metric.cut!r} makes no short segment; it must be at least one {unit}")
    return {"high": cut} if metric.length == "short" else {"low": cut}
