# SPDX-License-Identifier: Apache-2.0
"""What an evaluation with a reference and one without have in common: counts of systems on the same documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from caesura.evaluation.aggregate import Aggregate, aggregate
from caesura.metrics.base import Aggregation, Floats, Metric

__all__ = ["Measured", "aggregates_of"]


class Measured(Protocol):
    """What can be resampled: systems, metrics, and counts of the same documents."""

    @property
    def systems(self) -> Mapping[str, Any]:
        """The systems by name."""
        ...

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics by the text each was asked for with."""
        ...

    @property
    def documents(self) -> Sequence[str]:
        """The ids of the rows of every table."""
        ...

    @property
    def by(self) -> Aggregation | None:
        """How documents are put together; None for each metric's own way."""
        ...

    def counts(self, system: str, metric: str) -> Floats:
        """Return the counts that a metric reads, one row per document."""
        ...


def aggregates_of(measured: Measured) -> dict[str, dict[str, Aggregate]]:
    """Return system to metric to score with the number of documents behind it.

    A macro score is taken over the documents on which the metric is defined for every system.
    """
    found: dict[str, dict[str, Aggregate]] = {name: {} for name in measured.systems}
    for name, metric in measured.metrics.items():
        how = measured.by or metric.card.aggregation
        counts = {system: measured.counts(system, name) for system in measured.systems}
        shared = None
        if how == "macro" and len(counts) > 1:
            shared = np.logical_and.reduce(
                [metric.included(table, metric.score(table)) for table in counts.values()]
            )
        for system, table in counts.items():
            found[system][name] = aggregate(metric, table, how, shared)
    return found
