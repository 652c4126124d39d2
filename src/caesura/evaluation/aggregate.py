# SPDX-License-Identifier: Apache-2.0
"""Aggregation of documents: macro (mean of scores) and micro (score of summed counts)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from caesura.metrics.base import Aggregation, Floats, Metric
from caesura.statistics.exact import exact_sum

__all__ = ["Aggregate", "aggregate", "mean_defined"]


@dataclasses.dataclass(frozen=True)
class Aggregate:
    """A score of many documents, with how many of them it is made of."""

    score: float
    aggregation: str
    documents: int
    undefined: int
    dropped: int = 0


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
        return Aggregate(float(metric.score(exact_sum(counts))), "micro", len(scores), undefined)
    included = metric.included(counts, scores) if included is None else included
    used = included if used is None else used & included
    documents, undefined = int(np.count_nonzero(used)), len(scores) - int(np.count_nonzero(included))
    summed = scores if documents == len(scores) else np.where(used, scores, 0.0)
    mean = float(exact_sum(summed) / documents) if documents else math.nan
    return Aggregate(mean, "macro", documents, undefined, len(scores) - undefined - documents)


def mean_defined(values: Floats) -> float:
    """Return the mean of the values that are defined, or NaN."""
    defined = values[~np.isnan(values)]
    return float(exact_sum(defined) / len(defined)) if len(defined) else math.nan
