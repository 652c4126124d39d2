# SPDX-License-Identifier: Apache-2.0
"""The counts and scores of metrics under conventions."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.evaluation.aggregate import Aggregate, aggregate
from caesura.evaluation.explain.conventions import Convention
from caesura.metrics.base import Floats, PairwiseMetric, Request

__all__ = ["Counter", "Outcome"]


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The counts and the score of a metric, with the parameters in force, under a convention.

    ``pairs`` are the documents, with the sides exchanged if the convention does so; ``table`` holds all columns of the
    ``request``, one row per document.
    """

    convention: Convention
    metric: PairwiseMetric
    pairs: Pairs
    request: Request
    table: Floats
    aggregate: Aggregate

    @property
    def score(self) -> float:
        """The score of all documents."""
        return self.aggregate.score

    @property
    def single(self) -> bool:
        """Whether there is only one document."""
        return len(self.table) == 1

    @property
    def counts(self) -> Floats:
        """The columns that the metric reads."""
        return self.table[:, self.metric.places(self.request)]

    def has(self, name: str) -> bool:
        """Return whether the counts have a column."""
        return name in self.request.columns

    def column(self, name: str) -> Floats:
        """Return a column of the counts, one number per document."""
        return self.table[:, self.request.columns.index(name)]

    def total(self, name: str) -> int:
        """Return the sum of one of the metric's own columns."""
        return int(self.counts[:, self.metric.columns.index(name)].sum())

    def range_of(self, name: str) -> tuple[int, int]:
        """Return the minimum and maximum of a column."""
        values = self.column(name)
        return int(values.min()), int(values.max())


class Counter:
    """Count metrics on the same documents under conventions; equal requests are counted once."""

    def __init__(self, pairs: Pairs) -> None:
        self._sides = {False: pairs, True: pairs.swapped()}
        self._tables: dict[tuple[bool, Request], Floats] = {}

    def count(self, convention: Convention, metric: PairwiseMetric) -> Outcome:
        """Return the counts and the score of a metric under a convention."""
        pairs = self._sides[convention.swap]
        request = metric.request(pairs.unit)
        key = (convention.swap, request)
        if key not in self._tables:
            self._tables[key] = request.count(pairs)
        table = self._tables[key]
        how = convention.by or metric.card.aggregation
        with np.errstate(invalid="ignore"):  # infinite scores (BOR) among those summed
            score = aggregate(metric, table[:, metric.places(request)], how)
        return Outcome(convention, metric, pairs, request, table, score)
