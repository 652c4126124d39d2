# SPDX-License-Identifier: Apache-2.0
"""Caesura, as one library among the others: counts and scores of all documents."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.base import Floats, Task
from caesura._version import DISTRIBUTION
from caesura.batches.pairs import Pairs
from caesura.metrics import PairwiseMetric, metric

__all__ = ["CaesuraAdapter"]

Prepared = tuple[Pairs, list[PairwiseMetric]]


class CaesuraAdapter:
    """Flat arrays in, one column of scores per metric out; metrics that need the same counts share them."""

    name = package = "caesura"
    distribution = DISTRIBUTION

    def supports(self, task: Task) -> bool:
        """Say yes: the tasks are named by Caesura's metrics."""
        return True

    def documents(self, task: Task, available: int) -> int:
        """Take all documents."""
        return available

    def prepare(self, task: Task, pairs: Pairs) -> Prepared:
        """Parse the metrics' names."""
        return pairs, [metric(name) for name in task.metrics]

    def run(self, task: Task, prepared: Prepared) -> list[Floats]:
        """Count and score."""
        pairs, metrics = prepared
        tables = {}
        scores = []
        for each in metrics:
            request = each.request(pairs.unit)
            if request not in tables:
                tables[request] = request.count(pairs)
            scores.append(each.score(tables[request][:, each.places(request)]))
        return scores

    def values(self, task: Task, raw: list[Floats]) -> Floats:
        """Stack the columns."""
        return np.column_stack(raw)
