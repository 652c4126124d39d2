# SPDX-License-Identifier: Apache-2.0
"""Many hypotheses of the same documents scored by several metrics, each with the scores of resampled documents.

The counts of every hypothesis are made together, and the documents are drawn once: a resample of all scores is one row of
draws times a table with a column for each sum that some score needs.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Mapping, Sequence

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.evaluation.aggregate import aggregate, block_sum
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.metrics.counting import count_requests
from caesura.statistics import Bootstrap

__all__ = ["Resampled", "resample"]


@dataclasses.dataclass(frozen=True, eq=False)
class Resampled:
    """A score with those of resampled documents.

    Attributes
    ----------
    score : float
        The score itself.
    draws : float64[R]
        The score of each resample; NaN where none of its documents has one.
    documents : int
        How many documents are behind it: all when they are pooled, those with a defined score when it is a mean.
    """

    score: float
    draws: Floats
    documents: int


def resample(
    metrics: Mapping[str, PairwiseMetric], batches: Sequence[Pairs], bootstrap: Bootstrap
) -> dict[str, list[Resampled]]:
    """Score every batch by every metric, in each metric's own aggregation.

    Parameters
    ----------
    metrics : mapping of str to metric
        What to score by.
    batches : sequence of Pairs
        Hypotheses of the same documents in the same order.
    bootstrap : Bootstrap
        How documents are drawn; the same for all batches and metrics.

    Returns
    -------
    dict of str to list of Resampled
        Metric to one for each batch.
    """
    requests = {name: metric.request(batches[0].unit) for name, metric in metrics.items()}
    counted = count_requests(batches, list(requests.values()))
    columns = _Columns()
    scored: dict[str, list[tuple[float, list[int], int]]] = {name: [] for name in metrics}
    for tables in counted:
        for request, table in tables.items():
            rows = table.array()
            for name in (name for name, asked in requests.items() if asked == request):
                counts = rows[:, metrics[name].places(request)]
                scored[name].append(_add(metrics[name], counts, columns))
    sums = bootstrap.sums(columns.table())
    found: dict[str, list[Resampled]] = {}
    for name, metric in metrics.items():
        found[name] = [
            Resampled(score, _scores(metric, sums[:, places]), documents)
            for score, places, documents in scored[name]
        ]
    return found


class _Columns:
    """Columns side by side; those that many scores need stand there once."""

    def __init__(self) -> None:
        self._columns: list[Floats] = []
        self._places: dict[bytes, int] = {}

    def add(self, column: Floats) -> int:
        """Add a column; return its place."""
        self._columns.append(column)
        return len(self._columns) - 1

    def ones(self, number: int) -> int:
        """Add a column of ones, once; return its place."""
        if b"" not in self._places:
            self._places[b""] = self.add(np.ones(number))
        return self._places[b""]

    def share(self, column: Floats) -> int:
        """Add a column unless an equal one was shared before; return its place."""
        column = np.ascontiguousarray(column)
        key = hashlib.blake2b(column.data, digest_size=16).digest()
        if key not in self._places:
            self._places[key] = self.add(column)
        return self._places[key]

    def table(self) -> Floats:
        """Return all columns."""
        return np.column_stack(self._columns)


def _add(metric: PairwiseMetric, counts: Floats, columns: _Columns) -> tuple[float, list[int], int]:
    """Add what the score of resampled counts needs; return the score, the places of the columns, and its documents."""
    if metric.card.aggregation == "micro":
        # The boundaries of the reference are the same for every hypothesis.
        return (
            aggregate(metric, counts, "micro").score,
            [columns.share(each) for each in counts.T],
            len(counts),
        )
    scores = metric.score(counts)
    included = metric.included(counts, scores)
    number = int(included.sum())
    if number == len(included):
        places = [columns.add(scores), columns.ones(number)]
    else:
        scores = np.where(included, scores, 0.0)
        places = [columns.add(scores), columns.share(included.astype(np.float64))]
    return float(block_sum(scores) / number) if number else math.nan, places, number


def _scores(metric: PairwiseMetric, sums: Floats) -> Floats:
    if metric.card.aggregation == "micro":
        return metric.score(sums)
    total, number = sums[:, 0], sums[:, 1]
    draws = np.full(len(sums), np.nan)
    # A sum of whole numbers by a matrix product may be off by rounding.
    return np.asarray(np.divide(total, number, out=draws, where=number > 0.5))
