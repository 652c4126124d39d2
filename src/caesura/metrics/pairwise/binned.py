# SPDX-License-Identifier: Apache-2.0
"""A metric on bins of time instead of units."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.declare import param
from caesura.errors import MetricError
from caesura.metrics.base import ANY_DAMAGE, METRICS, Floats, MetricCard, PairwiseMetric, quantity
from caesura.metrics.pairwise.boundaries import BoundaryF1, BoundaryMetric
from caesura.units.quantity import needs_distance, resolve_quantity

__all__ = ["Binned"]


@METRICS.register()
@dataclasses.dataclass(frozen=True)
class Binned(PairwiseMetric):
    r"""Another metric, on documents cut into bins of equal length.

    Definition
    ----------
    A document of D units has :math:`n = \lfloor D / b \rfloor` bins of b units. A bin is marked if a boundary lies in it; a boundary at
    the end of the last bin is in that bin, and later ones are left out. The metric scores documents of n + 1 units with a boundary after
    each marked bin. Recordings in milliseconds become documents in steps of seconds, on which windows and edits are meaningful.

    Edge cases
    ----------
    A document shorter than a bin: NaN.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> reference, hypothesis = Segmentation(60_000, (12_000,), unit="ms"), Segmentation(60_000, (11_990,), unit="ms")
    >>> Binned("Pk", bins="6s")(reference, hypothesis)  # bins 3 and 2 of 10; k = 3, one of 8 windows
    0.125

    See Also
    --------
    BoundaryF1 : compares times within a tolerance, without the edges of bins.
    """

    metric: str = param("BoundaryF1", "the metric, with its parameters")
    bins: int | str = quantity(1, "length of a bin; such as '6s' on time")

    card = MetricCard(
        title="a metric on bins of equal length",
        direction="higher",
        bounds=(0.0, 1.0),
        perfect=1.0,
        symmetric=True,
        citation="defined here; chunkseg 0.4.0 scores bins of 6 s",
        formula="the score of the metric on bins",
    )
    columns = ("bins", *BoundaryF1.columns)
    undefined = "the document is shorter than a bin, or the metric is not defined"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["columns"] = ("bins", *self.inner.columns)

    @functools.cached_property
    def inner(self) -> PairwiseMetric:
        """The metric that scores the bins."""
        found = METRICS.parse(self.metric)
        if isinstance(found, Binned) or found.needs_titles():
            raise MetricError(f"{self.name()}: {found} cannot be scored on bins; take a metric of boundaries")
        return found

    def facts(self) -> MetricCard:
        """Return the card of the metric; bins overlook small shifts, and begin at the start of a document."""
        card = self.inner.facts()
        if self.bins == 1:
            return dataclasses.replace(card, mirror=card.mirror and isinstance(self.inner, BoundaryMetric))
        return dataclasses.replace(card, mirror=False, blind_to=ANY_DAMAGE)

    def needs_distance(self, unit: str) -> bool:
        """Say whether the length of a bin must be given as a length."""
        return needs_distance(self.bins, unit, 1)

    def count(self, pairs: Pairs) -> Floats:
        """Count on bins."""
        size = resolve_quantity(self.bins, pairs.unit, owner=self.name(), name="bins", default_limit=1)
        if size < 1:
            raise MetricError(f"{self.name()}: bins={self.bins!r} is no length; it must be at least one {pairs.unit}")
        binned = pairs.in_bins(size)
        bins = binned.n_units - 1
        return np.column_stack([bins, np.where(bins[:, np.newaxis] > 0, self.inner.count(binned), 0.0)])

    def score(self, counts: Floats) -> Floats:
        """Return the score of the metric, NaN without a bin."""
        bins = counts[..., 0]
        return np.where(bins > 0, self.inner.score(np.asarray(counts)[..., 1:]), np.nan)
