# SPDX-License-Identifier: Apache-2.0
"""Putting documents together: macro (mean of scores) and micro (score of summed counts)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from caesura.metrics.base import Aggregation, Floats, Metric

__all__ = ["BLOCK", "Aggregate", "Running", "aggregate", "block_sum", "mean_defined"]

BLOCK = 8_192
"""Sums run over blocks of this many documents in input order, so that every way of running agrees bit for bit."""


@dataclasses.dataclass(frozen=True)
class Aggregate:
    """A score of many documents, with how many of them it is made of."""

    score: float
    aggregation: str
    documents: int
    undefined: int
    dropped: int = 0


def block_sum(rows: Floats) -> Floats:
    """Sum over the first axis, block by block.

    >>> block_sum(np.ones((20_000, 2))).tolist()
    [20000.0, 20000.0]
    """
    total = np.zeros(rows.shape[1:], dtype=np.float64)
    for start in range(0, len(rows), BLOCK):
        total = total + rows[start : start + BLOCK].sum(axis=0)
    return total


def aggregate(
    metric: Metric, counts: Floats, how: Aggregation, shared: npt.NDArray[np.bool_] | None = None
) -> Aggregate:
    """Put the counts of documents together.

    Parameters
    ----------
    metric : Metric
        Makes scores of counts.
    counts : float64[D, columns]
        One row per document.
    how : {"macro", "micro"}
        Mean of the documents' scores over those where it is defined, or score of the summed counts.
    shared : bool[D], optional
        Documents that every system of a comparison has defined; the macro mean takes only these.
    """
    running = Running(metric, how)
    for start in range(0, max(len(counts), 1), BLOCK):
        rows = slice(start, start + BLOCK)
        running.add([counts[rows]], None if shared is None else shared[rows])
    return running.aggregates()[0]


class Running:
    """Scores of several systems put together block by block; every block but the last has `BLOCK` documents.

    Parameters
    ----------
    metric : Metric
        Makes scores of counts.
    how : {"macro", "micro"}
        As for `aggregate`.
    systems : int
        How many there are; a macro score takes the documents on which all of them are defined.
    """

    def __init__(self, metric: Metric, how: Aggregation, systems: int = 1) -> None:
        self._metric = metric
        self._how: Aggregation = how
        self._documents = 0
        self._used = 0
        self._sums: list[Floats] = [np.zeros(()) for _ in range(systems)]
        self._undefined = [0] * systems

    def add(self, tables: Sequence[Floats], shared: npt.NDArray[np.bool_] | None = None) -> None:
        """Add the counts that each system has for the next documents."""
        scores = [self._metric.score(table) for table in tables]
        self._documents += len(scores[0])
        if self._how == "micro":
            for place, table in enumerate(tables):
                self._sums[place] = self._sums[place] + table.sum(axis=0)
                self._undefined[place] += int(np.isnan(scores[place]).sum())
            return
        included = [self._metric.included(table, score) for table, score in zip(tables, scores, strict=True)]
        kept = np.logical_and.reduce(included if shared is None else [*included, shared])
        self._used += int(kept.sum())
        for place, score in enumerate(scores):
            self._sums[place] = self._sums[place] + np.where(kept, score, 0.0).sum()
            self._undefined[place] += int(len(kept) - included[place].sum())

    def aggregates(self) -> list[Aggregate]:
        """Return what was put together, one for each system."""
        return [
            self._made(total, undefined) for total, undefined in zip(self._sums, self._undefined, strict=True)
        ]

    def _made(self, total: Floats, undefined: int) -> Aggregate:
        if self._how == "micro":
            return Aggregate(float(self._metric.score(total)), "micro", self._documents, undefined)
        score = float(total / self._used) if self._used else math.nan
        return Aggregate(score, "macro", self._used, undefined, self._documents - undefined - self._used)


def mean_defined(values: Floats) -> float:
    """Return the mean of the values that are defined, or NaN."""
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if len(kept) else math.nan
