# SPDX-License-Identifier: Apache-2.0
"""What every metric is: a card, a request for counts, and a score made from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs, check_comparable
from caesura.declare import Card, Declared, Registry
from caesura.errors import MetricError
from caesura.kernels import Kernel, kernel
from caesura.segmentation import Segmentation, not_a_segmentation

__all__ = ["METRICS", "Metric", "MetricCard", "PairwiseMetric", "Request", "harmonic_mean", "ratio"]

Aggregation = Literal["macro", "micro"]
Damage = Literal["removal", "insertion", "shift"]
Floats = npt.NDArray[np.float64]
ANY_DAMAGE: frozenset[Damage] = frozenset({"removal", "insertion", "shift"})


@dataclasses.dataclass(frozen=True, kw_only=True)
class MetricCard(Card):
    """The public facts of a metric; the contract tests, the tables and the docs read them.

    Attributes
    ----------
    direction : {"higher", "lower", "target"}
        Which way is better; "target" means as near to ``perfect`` as can be.
    bounds : (float, float)
        Least and greatest score.
    perfect : float
        The score of a hypothesis equal to its reference.
    symmetric : bool
        Whether exchanging reference and hypothesis changes nothing.
    mirror : bool
        Whether reading the document backwards changes nothing.
    additive : bool
        Whether the counts of documents add, so that a micro score exists.
    aggregation : {"macro", "micro"}
        How documents are put together unless something else is asked for.
    blind_to : frozenset
        Kinds of damage to a perfect hypothesis that may go unnoticed: a removed, an inserted, a shifted boundary.
    formula : str
        The score in one line of plain text.
    """

    direction: Literal["higher", "lower", "target"]
    bounds: tuple[float, float]
    perfect: float
    symmetric: bool
    mirror: bool = True
    additive: bool = True
    aggregation: Aggregation = "macro"
    blind_to: frozenset[Damage] = frozenset()
    formula: str = ""


@dataclasses.dataclass(frozen=True)
class Request:
    """Counts that a metric needs: a kernel and its parameters. Equal requests are counted once."""

    kernel: str
    parameters: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True)
class Metric(Declared):
    """Base of all metrics.

    A subclass declares its ``card``, the ``columns`` it reads, and ``score``.
    """

    card: ClassVar[MetricCard]
    columns: ClassVar[tuple[str, ...]]

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
        return "nothing to divide by"


@dataclasses.dataclass(frozen=True)
class PairwiseMetric(Metric):
    """A metric of a reference and a hypothesis."""

    def request(self, unit: str) -> Request:
        """Return the counts this metric needs on segmentations in ``unit``."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def check_corpus(self, pairs: Pairs) -> None:
        """Raise if the metric cannot be defined on any document of a corpus."""

    def resolved(self, counts: Floats, columns: Sequence[str]) -> dict[str, str]:
        """Return what the signature must say beyond the parameters, such as the windows that were used."""
        return {}

    def places(self, request: Request) -> list[int]:
        """Return the places of this metric's columns in the table of a request."""
        table = kernel(request.kernel).columns
        return [table.index(name) for name in self.columns]

    def counts(self, reference: Segmentation, hypothesis: Segmentation) -> dict[str, float]:
        """Return the named counts of one pair.

        >>> from caesura.metrics import metric
        >>> metric("Pk").counts(Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5]))
        {'windows': 11.0, 'errors': 6.0}
        """
        row = self._row(reference, hypothesis)
        return dict(zip(self.columns, row.tolist(), strict=True))

    def __call__(self, reference: Segmentation, hypothesis: Segmentation) -> float:
        """Return the score of one pair."""
        return float(self.score(self._row(reference, hypothesis)))

    def _row(self, reference: Segmentation, hypothesis: Segmentation) -> Floats:
        for name, value in (("reference", reference), ("hypothesis", hypothesis)):
            if type(value) is not Segmentation and not isinstance(value, Segmentation):
                raise MetricError(f"{self.name()}: {name} is {not_a_segmentation(value)}")
        counter, parameters, places = self._plan(check_comparable(reference, hypothesis))
        row: Floats = counter.count_one(reference, hypothesis, parameters)[0].take(places)
        return row

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be worked out again, and cannot be pickled."""
        return {key: value for key, value in self.__dict__.items() if key != "_plans"}

    def _plan(self, unit: str) -> tuple[Kernel, tuple[int, ...], npt.NDArray[np.intp]]:
        """Return how to count one pair in a unit, worked out once: one pair must stay cheap."""
        plans: dict[str, tuple[Kernel, tuple[int, ...], npt.NDArray[np.intp]]] = self.__dict__.setdefault(
            "_plans", {}
        )
        if unit not in plans:
            request = self.request(unit)
            plans[unit] = (
                kernel(request.kernel),
                request.parameters,
                np.array(self.places(request), dtype=np.intp),
            )
        return plans[unit]


METRICS: Registry[PairwiseMetric] = Registry("metric", "caesura.metrics", MetricError)
"""Every metric of a reference and a hypothesis."""


def ratio(numerator: Floats, denominator: Floats, empty: float = np.nan) -> Floats:
    """Divide, with ``empty`` where there is nothing to divide by."""
    top, bottom = np.asarray(numerator, dtype=np.float64), np.asarray(denominator, dtype=np.float64)
    if not (top.ndim or bottom.ndim):
        # One pair: plain division costs a tenth of the ufuncs.
        below = float(bottom)
        return np.asarray(float(top) / below if below else empty)
    out = np.full(np.broadcast(top, bottom).shape, empty)
    np.divide(top, bottom, out=out, where=bottom != 0)
    return out


def harmonic_mean(first: Floats, second: Floats) -> Floats:
    """Return 2ab/(a+b); 0 where both are 0, NaN where one is not defined.

    >>> float(harmonic_mean(np.array(0.5), np.array(1.0))).__round__(4)
    0.6667
    """
    total = np.asarray(first + second)
    return np.where(np.isnan(total), np.nan, ratio(2 * first * second, total, empty=0.0))
