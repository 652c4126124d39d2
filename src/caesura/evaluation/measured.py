# SPDX-License-Identifier: Apache-2.0
"""Systems measured by metrics on the same documents: from counts to scores."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Ints
from caesura.corpus import drawing_order
from caesura.declare import nearest
from caesura.errors import ComparabilityError
from caesura.evaluation.aggregate import Aggregate, aggregate
from caesura.evaluation.inputs import Source
from caesura.metrics.base import Aggregation, Floats, Metric
from caesura.statistics import Statistic

if TYPE_CHECKING:
    from caesura.statistics import Bootstrap

__all__ = ["Bools", "Measured", "Rows"]

Bools = npt.NDArray[np.bool_]


class Rows(NamedTuple):
    """One system by one metric, one row per document: counts that add up, score, and whether it enters a macro mean."""

    counts: Floats
    scores: Floats
    included: Bools


class Measured:
    """Systems measured by metrics on the same documents.

    A macro score is the mean over the documents on which the metric is defined for every system (`used`); a micro score is
    the score of the summed counts of all documents. Aggregates, intervals, comparisons and chance all use this rule.

    A subclass is a frozen dataclass that has these attributes as fields or properties, and defines `counts`.
    """

    systems: Mapping[str, Source]
    metrics: Mapping[str, Metric]  # by the string with which each was requested
    documents: Sequence[str]  # their ids, one per row of every table of counts
    unit: str  # of the segmentations
    by: Aggregation | None  # as requested; None for each metric's default

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document; its ``columns`` name them."""
        raise NotImplementedError  # pragma: no cover - every outcome has its own

    def rows(self, system: str, metric: str) -> Rows:
        """Return counts, score and inclusion of every document; a subclass may override it instead of `counts`."""
        counts = self.counts(system, metric)
        scores = self.metrics[metric].score(counts)
        return Rows(counts, scores, self.metrics[metric].included(counts, scores))

    def totals(self, system: str, metric: str) -> Rows:
        """Like `rows`, but a subclass may return one row with the summed counts to save memory."""
        return self.rows(system, metric)

    def per_document(self, system: str, metric: str) -> Floats:
        """Return one score per entry of `documents`; NaN where it is not defined."""
        self._check_names(metric, system)
        return self.rows(system, metric).scores

    def _check_names(self, metric: str, system: str | None) -> None:
        """Refuse a metric or a system that was not scored."""
        for name, known, what in ((system, self.systems, "system"), (metric, self.metrics, "metric")):
            if name is not None and name not in known:
                raise ComparabilityError(f"{name!r} is not a {what} that was scored; {nearest(name, known)}")

    def used(self, metric: str) -> Bools:
        """Say which documents the scores of a metric are made of: all, or those where every system is defined."""
        return self._used(metric, lambda: [self.rows(system, metric).included for system in self.systems])

    @functools.cached_property
    def _known_used(self) -> dict[str, Bools]:
        return {}

    def _used(self, metric: str, included: Callable[[], list[Bools]]) -> Bools:
        known = self._known_used
        if metric not in known:
            known[metric] = (
                np.ones(len(self.documents), dtype=bool)
                if self.aggregation(metric) == "micro"
                else np.asarray(np.logical_and.reduce(included()), dtype=bool)
            )
        return known[metric]

    def aggregation(self, metric: str) -> Aggregation:
        """Return how the documents of a metric are aggregated."""
        return self.by or self.metrics[metric].facts().aggregation

    @functools.cached_property
    def aggregates(self) -> dict[str, dict[str, Aggregate]]:
        """System to metric to score with the number of documents behind it."""
        by_system: dict[str, dict[str, Aggregate]] = {system: {} for system in self.systems}
        for name in self.metrics:
            for system, a in self._aggregated(name).items():
                by_system[system][name] = a
        return by_system

    def _aggregated(self, metric: str) -> dict[str, Aggregate]:
        """Aggregate the documents of every system by one metric; its rows are gone before those of the next are made."""
        rows = {system: self.totals(system, metric) for system in self.systems}
        used = self._used(metric, lambda: [row.included for row in rows.values()])
        return {system: self.aggregate(system, metric, row, used) for system, row in rows.items()}

    def aggregate(self, system: str, metric: str, rows: Rows, used: Bools) -> Aggregate:
        """Aggregate the documents of one system."""
        return aggregate(
            self.metrics[metric], rows.counts, self.aggregation(metric), used,
            scores=rows.scores, included=rows.included,
        )  # fmt: skip

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """System to metric to score."""
        return {system: {name: a.score for name, a in row.items()} for system, row in self.aggregates.items()}

    def run_draws(self, system: str, metric: str, number: int, seed: int) -> Floats | None:
        """Return what other runs of a system would add to its score; None if nothing was run several times."""
        return None

    @property
    def has_runs(self) -> bool:
        """Whether a system was run several times, which normal theory over documents does not know."""
        return False

    @functools.cached_property
    def drawn_in(self) -> Ints | slice:
        """The order of the documents in which everything is drawn, that of their ids."""
        return drawing_order(self.documents)

    @property
    def drawn_documents(self) -> Sequence[str]:
        """The ids of the documents in the order `drawn_in`: the rows of `statistics`."""
        order = self.drawn_in
        return self.documents if isinstance(order, slice) else [self.documents[row] for row in order.tolist()]

    def statistics(self) -> dict[str, dict[str, Statistic]]:
        """Return every score in a form that can be resampled: metric to system, documents in the order `drawn_in`."""
        return self._statistics

    @functools.cached_property
    def _statistics(self) -> dict[str, dict[str, Statistic]]:
        return {name: {s: self._statistic(s, name) for s in self.systems} for name in self.metrics}

    def replicates(self, bootstrap: Bootstrap) -> dict[str, dict[str, Floats]]:
        """Return every score of every resample of the documents, all from the same draws: metric to system."""
        statistics = self.statistics()
        drawn = iter(bootstrap.replicates([each for row in statistics.values() for each in row.values()]))
        return {name: {system: next(drawn) for system in row} for name, row in statistics.items()}

    def _statistic(self, system: str, metric: str) -> Statistic:
        rows, order = self.rows(system, metric), self.drawn_in
        if self.aggregation(metric) == "micro":
            return Statistic.pooled(rows.counts[order], self.metrics[metric].score)
        return Statistic.mean(rows.scores[order], self.used(metric)[order])
