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
    """Aggregate the counts of documents into one score.

    Parameters
    ----------
    metric : Metric
        Turns counts into scores.
    counts : float64[D, columns]
        One row per document.
    how : {"macro", "micro"}
        Mean of the documents' scores over those where it is defined, or score of the summed counts.
    used : bool[D], optional
        The documents of a macro mean; those on which the metric is defined if not given.
    scores, included : float64[D], bool[D], optional
        The score of each document, and where it is defined, if they are at hand.
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
    kept = values[~np.isnan(values)]
    return float(kept.mean()) if len(kept) else math.nan
