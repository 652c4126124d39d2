# SPDX-License-Identifier: Apache-2.0
"""What every metric is: a card, a request for counts, and a score made from them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Ints
from caesura.batches.pairs import Pairs
from caesura.declare import Declared, Registry, param
from caesura.errors import MetricError
from caesura.metrics._one_pair import columns, count_pair, either
from caesura.metrics.card import ANY_DAMAGE, Aggregation, Damage, MetricCard
from caesura.metrics.counting import Floats, OwnCounts, Request
from caesura.segmentation import Spelled
from caesura.units.quantity import check_quantity

__all__ = [
    "ANY_DAMAGE", "METRICS", "Aggregation", "Damage", "Floats", "Metric", "MetricCard", "PairwiseMetric", "Request",
    "columns", "either", "harmonic_mean", "quantity", "ratio",
]  # fmt: skip

quantity = functools.partial(param, minimum=1, check=check_quantity)
"""A parameter in units, or a length such as "30s" on time."""


@dataclasses.dataclass(frozen=True)
class Metric(Declared):
    """Base of all metrics.

    A subclass declares its ``card``, the ``columns`` it reads, and ``score``. A family adds ``count``, which takes a batch
    of its kind, and ``__call__`` for one document.
    """

    card: ClassVar[MetricCard]
    columns: ClassVar[tuple[str, ...]]
    undefined: ClassVar[str] = "nothing to divide by"
    """When the score of a document is not defined, in words."""

    def score(self, counts: Floats) -> Floats:
        """Return the score of each row of counts (``columns`` along the last axis); NaN where it is not defined."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def facts(self) -> MetricCard:
        """Return the card, adjusted where a parameter changes a fact."""
        return self.card

    def included(self, counts: Floats, scores: Floats | None = None) -> npt.NDArray[np.bool_]:
        """Say which documents enter the macro mean: those with a defined score, which may be given if it is known."""
        return ~np.isnan(self.score(counts) if scores is None else scores)

    def why_undefined(self) -> str:
        """Say in words when the score of a document is not defined."""
        return self.undefined

    def needs_distance(self, unit: str) -> bool:
        """Say whether a parameter must be given as a length before anything can be counted in a unit."""
        return False

    def needs_titles(self) -> bool:
        """Say whether the titles of segments are read."""
        return False

    def title_encoder(self) -> str:
        """Return the spec of the encoder whose vectors of titles are read; nothing if none are."""
        return ""

    def __call__(self, *args: Any, **kwargs: Any) -> float:
        """Return the score of one document; what is given depends on the family."""
        raise NotImplementedError  # pragma: no cover - every family has its own


@dataclasses.dataclass(frozen=True)
class PairwiseMetric(Metric):
    """A metric of a reference and a hypothesis."""

    def request(self, unit: str) -> Request:
        """Return the counts this metric needs on segmentations in ``unit``: by a kernel, or else its own `count`."""
        return OwnCounts(self)

    def count(self, pairs: Pairs) -> Floats:
        """Return the counts of each document, one row each and one column for each of ``columns``.

        A metric names a kernel in `request`, or counts here.
        """
        request = self.request(pairs.unit)
        if isinstance(request, OwnCounts):
            raise MetricError(f"{self.name()} has neither 'request' nor 'count'; declare one of them")
        return request.count(pairs)[:, self.places(request)]

    def expected_counts(self, counts: Floats, pairs: Pairs, *, swap: bool) -> Floats | None:
        """Return the counts to expect by chance, where they have a closed form, from those that were counted.

        As many boundaries as the hypothesis has are drawn, every set of gaps equally likely; with ``swap`` the sides are exchanged
        when they are counted.
        """
        return None

    def distances(self, counts: Floats) -> Floats:
        """Return how far each of several references of a document is: the best is the nearest, and the first of equal ones."""
        return np.asarray(self.card.badness(self.score(counts)))

    def best_counts(self, counts: Floats, document: Ints, size: int) -> Floats | None:
        """Return the counts of each document where they come from several of its references; None if from the nearest."""
        return None

    def check_corpus(self, pairs: Pairs) -> None:
        """Raise if the metric cannot be defined on any document of a corpus."""

    def resolved(self, counts: Floats, columns: Sequence[str]) -> dict[str, str]:
        """Return what the signature must say beyond the parameters, such as the windows that were used."""
        return {}

    def places(self, request: Request) -> list[int]:
        """Return where the counts of this metric stand in the table of a request."""
        return request.places(self.columns)

    def counts(self, reference: Spelled, hypothesis: Spelled) -> dict[str, float]:
        """Return the named counts of one pair.

        >>> from caesura.metrics import METRICS
        >>> from caesura.segmentation import Segmentation
        >>> METRICS.parse("Pk").counts(Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5]))
        {'windows': 11.0, 'errors': 6.0}
        """
        row = np.asarray(count_pair(self, reference, hypothesis))
        return dict(zip(self.columns, row.tolist(), strict=True))

    def __call__(self, reference: Spelled, hypothesis: Spelled) -> float:
        """Return the score of one pair: segmentations, or strings of 0 and 1 with one digit per gap."""
        return float(self.score(count_pair(self, reference, hypothesis)))


METRICS: Registry[PairwiseMetric] = Registry("metric", "caesura.metrics", MetricError)
"""Every metric of a reference and a hypothesis."""


def ratio(numerator: Floats, denominator: Floats, empty: float = np.nan) -> Floats:
    """Divide, with ``empty`` where there is nothing to divide by."""
    if isinstance(denominator, float):
        # One pair: plain division costs a tenth of the ufuncs.
        return numerator / denominator if denominator else cast(Floats, np.float64(empty))
    top, bottom = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    zero = bottom == 0
    if not zero.any():
        return np.asarray(top / bottom)
    # Dividing everywhere and writing over it takes a third of the time of dividing where that is possible.
    with np.errstate(divide="ignore", invalid="ignore"):
        out = np.asarray(top / bottom)
    np.copyto(out, empty, where=zero)
    return out


def harmonic_mean(first: Floats, second: Floats) -> Floats:
    """Return 2ab/(a+b); 0 where both are 0, NaN where one is not defined.

    >>> float(harmonic_mean(np.array(0.5), np.array(1.0))).__round__(4)
    0.6667
    """
    total = first + second
    # NaN over NaN is NaN, so that only 0 + 0 is empty.
    return ratio(2 * first * second, total, empty=0.0)
