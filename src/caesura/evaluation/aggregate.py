# SPDX-License-Identifier: Apache-2.0
"""Aggregation of documents: macro (mean of scores) and micro (score of summed counts)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from caesura.metrics.base import Aggregation, Floats, Metric

__all__ = ["BLOCK", "Aggregate", "aggregate", "block_sum", "mean_defined"]

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
    metric: Metric,
    counts: Floats,
    how: Aggregation,
    used: npt.NDArray[np.bool_] | None = None,
    *,
    scores: Floats | None = None,
    included: npt.NDArray[np.bool_] | None = None,
) -> Aggregate:
    """Aggregate the counts of documents, one row each, into one score.

    The macro score is the mean of the documents' scores over those ``used`` on which the metric is defined (all if not
    given), the micro score that of the summed counts. The ``scores`` of the documents and where they are defined
    (``included``) may be given if they are at hand.
    """
    scores = metric.score(counts) if scores is None else scores
    if how == "micro":
        undefined = int(np.isnan(scores).sum())
        return Aggregate(float(metric.score(block_sum(counts))), "micro", len(scores), undefined)
    included = metric.included(counts, scores) if included is None else included
    used = included if used is None else used & included
    documents, undefined = int(used.sum()), int(len(scores) - included.sum())
    mean = float(block_sum(np.where(used, scores, 0.0)) / documents) if documents else math.nan
    return Aggregate(mean, "macro", documents, undefined, len(scores) - undefined - documents)


def mean_defined(values: Floats) -> float:
    """Return the mean of the values that are defined, or NaN."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan
