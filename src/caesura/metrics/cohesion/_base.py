# SPDX-License-Identifier: Apache-2.0
"""The base of the metrics without a reference."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Ints
from caesura.declare import Registry, param
from caesura.errors import MetricError
from caesura.metrics.base import ANY_DAMAGE, Floats, Metric, MetricCard, ratio
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import Shared, measure
from caesura.segmentation import Segmentation

__all__ = [
    "COHESION",
    "BoundedMetric",
    "CohesionMetric",
    "PooledMetric",
    "bounded_card",
    "cohesion_card",
    "count_in_one_pass",
]

POOLINGS = ("mean", "median", "length")
cohesion_card = functools.partial(MetricCard, symmetric=False, blind_to=ANY_DAMAGE)
bounded_card = functools.partial(cohesion_card, direction="higher", bounds=(-1.0, 1.0), perfect=1.0)


def pool(values: Floats, document: Ints, weights: Floats, n_documents: int, pooling: str) -> Floats:
    """Return (total, weight) of each document, whose quotient is the pooled value; NaN values are left out."""
    defined = ~np.isnan(values)
    values, document, weights = values[defined], document[defined], weights[defined]
    out = np.zeros((n_documents, 2))
    if pooling == "median":
        out[:, 0], out[:, 1] = _medians(values, document, n_documents)
        return out
    if pooling == "mean":
        weights = np.ones(len(values))
    out[:, 0] = np.bincount(document, weights * values, minlength=n_documents)
    out[:, 1] = np.bincount(document, weights, minlength=n_documents)
    return out


def means(values: Floats, document: Ints, n_documents: int) -> Floats:
    """Return the mean of the defined values of each document; NaN where there is none."""
    total = pool(values, document, np.ones(len(values)), n_documents, "mean")
    return ratio(total[:, 0], total[:, 1])


def _medians(values: Floats, document: Ints, n_documents: int) -> tuple[Floats, Floats]:
    order = np.lexsort((values, document))
    ordered = values[order]
    sizes = np.bincount(document, minlength=n_documents)
    begin = np.cumsum(sizes) - sizes
    some = sizes > 0
    low, high = begin[some] + (sizes[some] - 1) // 2, begin[some] + sizes[some] // 2
    total = np.zeros(n_documents)
    # Halved first: the sum of two infinite or very large middles must stay what they are.
    total[some] = ordered[low] / 2 + ordered[high] / 2
    return total, some.astype(np.float64)


@dataclasses.dataclass(frozen=True)
class CohesionMetric(Metric):
    """A metric of a segmentation and the vectors of its units.

    A subclass declares what it reads (``requests``), and counts documents (``count``) and segments (``segment_values``).
    """

    neutral: ClassVar[bool] = False
    """Whether scores of systems with different numbers of boundaries may be compared as they are."""

    @property
    def reads_vectors(self) -> bool:
        """Whether the score depends on the vectors, and so overrates systems that were made with them."""
        return True

    undefined = "one segment only, or nothing to compare"

    def __post_init__(self) -> None:
        distance = getattr(self, "distance", None)
        if distance in ("L1", "L2"):  # as the papers write them
            object.__setattr__(self, "distance", distance.lower())
        super().__post_init__()

    def requests(self) -> tuple[Shared, ...]:
        """Return what this metric reads of each segment and shares with others."""
        return ()

    @property
    def trained_with(self) -> str:
        """The fingerprint of the encoder that its weights were trained for; empty if nothing was trained."""
        return ""

    @property
    def values_gaps(self) -> bool:
        """Whether every gap has a value, boundary or not (`gap_values`)."""
        return False

    def gap_values(self, batch: Embedded) -> Iterator[Floats]:
        """Yield the value of every gap of each document: high where the text speaks for a boundary."""
        raise NotImplementedError  # pragma: no cover - only some metrics have them

    def resolved(self, counts: Floats, columns: Sequence[str]) -> dict[str, str]:
        """Return what the signature must say beyond the parameters."""
        return {}

    def segment_values(self, batch: Embedded) -> Floats:
        """Return the value of each segment, document by document; NaN where it has none."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def count(self, batch: Embedded) -> Floats:
        """Return the counts of each document, one row each."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def counts(self, segmentation: Segmentation, vectors: npt.ArrayLike) -> dict[str, float]:
        """Return the named counts of one document."""
        row = self.count(self._batch(segmentation, vectors))[0]
        return dict(zip(self.columns, row.tolist(), strict=True))

    def __call__(self, segmentation: Segmentation, vectors: npt.ArrayLike) -> float:
        """Return the score of one document."""
        return float(self.score(self.count(self._batch(segmentation, vectors))[0]))

    def _batch(self, segmentation: Segmentation, vectors: npt.ArrayLike) -> Embedded:
        self._check_segmentation(segmentation)
        return Embedded.of({"1": segmentation}, {"1": vectors})

    def _check_segmentation(self, segmentation: object) -> None:
        if not isinstance(segmentation, Segmentation):
            raise MetricError(
                f"{self.name()}: segmentation is a {type(segmentation).__name__}; it must be a Segmentation, "
                "such as Segmentation.from_masses([6, 3, 4]), followed by the vectors of its units"
            )


@dataclasses.dataclass(frozen=True)
class PooledMetric(CohesionMetric):
    """A metric whose score is pooled over the segments of a document.

    A subclass declares the value of each segment (``raw``). Pooling and everything after it is done here.
    """

    pooling: str = param(
        "mean", "how the segments of a document are aggregated; length weights them by their units", choices=POOLINGS
    )
    on_single: str = param(
        "nan", "a document of one segment is left out, or gets the worst score", choices=("nan", "worst")
    )

    columns: ClassVar[tuple[str, ...]] = ("total", "weight")

    def raw(self, batch: Embedded) -> Floats:
        """Return the value of each segment; NaN where it has none. Documents of one segment are handled elsewhere."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def worst(self) -> float:
        """Return the value of a document of one segment under ``on_single='worst'``."""
        raise NotImplementedError  # pragma: no cover - every metric has its own

    def segment_values(self, batch: Embedded) -> Floats:
        """Return the value of each segment, document by document; NaN where it has none."""
        return self._oriented(self._filled(batch))

    def count(self, batch: Embedded) -> Floats:
        """Return the counts of each document, one row each."""
        where = layout(batch)
        return pool(self._filled(batch), where.document, where.lengths.astype(np.float64), len(batch), self.pooling)

    def score(self, counts: Floats) -> Floats:
        """Return the pooled value of each row of counts."""
        return self._oriented(ratio(counts[..., 0], counts[..., 1]))

    def facts(self) -> MetricCard:
        """Return the card; medians are not additive."""
        card = super().facts()
        return dataclasses.replace(card, additive=False) if self.pooling == "median" else card

    def _filled(self, batch: Embedded) -> Floats:
        where = layout(batch)
        values = self.raw(batch)
        alone = where.alone[where.document]
        return np.where(alone, self.worst() if self.on_single == "worst" else np.nan, values)

    def _oriented(self, values: Floats) -> Floats:
        """Return the values in the requested form."""
        return values


@dataclasses.dataclass(frozen=True)
class BoundedMetric(PooledMetric):
    """A metric between -1 and 1, higher is better, or on request a loss between 0 and 1."""

    loss: bool = param(False, "give (1 - score) / 2: 0 is best, 1 is worst (eq. 12)")

    def worst(self) -> float:
        """Return -1."""
        return -1.0

    def facts(self) -> MetricCard:
        """Return the card; for a loss, lower is better."""
        card = super().facts()
        if not self.loss:
            return card
        return dataclasses.replace(card, direction="lower", bounds=(0.0, 1.0), perfect=0.0)

    def _oriented(self, values: Floats) -> Floats:
        return (1.0 - values) / 2.0 if self.loss else values


COHESION: Registry[CohesionMetric] = Registry("metric", "caesura.cohesion", MetricError)
"""Every metric without a reference."""


def count_in_one_pass(metrics: Sequence[CohesionMetric], batch: Embedded) -> list[Floats]:
    """Return the counts of several metrics, one table each; what they share is counted once, in one pass."""
    wanted = dict.fromkeys(request for metric in metrics for request in metric.requests())
    measure(batch, wanted)
    return [metric.count(batch) for metric in metrics]
