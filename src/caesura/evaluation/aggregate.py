# SPDX-License-Identifier: Apache-2.0
"""Putting documents together: macro (mean of scores) and micro (score of summed counts)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from caesura.metrics.base import Aggregation, Floats, Metric

__all__ = ["BLOCK", "Aggregate", "aggregate", "block_sum"]

BLOCK = 8_192
"""Sums run over blocks of this many documents in input order, so that every way of running agrees bit for bit."""


@dataclasses.dataclass(frozen=True)
class Aggregate:
    """A score of many documents, with how many of them it is made of."""

    score: float
    aggregation: Aggregation
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
    if how == "micro":
        empty = int(np.isnan(metric.score(counts)).sum())
        return Aggregate(float(metric.score(block_sum(counts))), "micro", len(counts), empty)
    scores = metric.score(counts)
    included = metric.included(counts, scores)
    undefined = int(len(counts) - included.sum())
    kept = included if shared is None else included & shared
    used = int(kept.sum())
    if not used:
        return Aggregate(math.nan, "macro", 0, undefined, int(included.sum()))
    scores = np.where(kept, scores, 0.0)
    return Aggregate(float(block_sum(scores) / used), "macro", used, undefined, int(included.sum()) - used)
