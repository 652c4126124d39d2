# SPDX-License-Identifier: Apache-2.0
"""Paired tests of merged shards, by normal theory: differences of scores are smooth functions of sums over documents."""

from __future__ import annotations

import itertools
import math

import numpy as np

from caesura.errors import ComparabilityError
from caesura.evaluation.comparison.run import corrected
from caesura.evaluation.intervals import ends_of
from caesura.metrics.base import Floats
from caesura.results import Comparison, number
from caesura.results.comparison import DIFFERENT
from caesura.scale.measured import Merged

__all__ = ["comparisons"]


def comparisons(merged: Merged, level: float = 0.95) -> list[Comparison]:
    """Compare every two systems on each metric, with Holm's correction over the comparisons of one metric."""
    if len(merged.systems) < 2:
        only = next(iter(merged.systems))
        raise ComparabilityError(f"{only!r} is the only system; a comparison needs at least two")
    pairs = list(itertools.combinations(merged.systems, 2))
    found = []
    for name in merged.metrics:
        family = corrected([_compared(merged, name, first, second, level) for first, second in pairs])
        for item in family:
            if item.p_corrected is None or item.p_corrected >= DIFFERENT:
                item.better = None
        found += family
    return found


def _compared(merged: Merged, name: str, first: str, second: str, level: float) -> Comparison:
    """Compare two systems on one metric; the correction of p comes later."""
    (ours, score), (theirs, _) = merged.columns(name, first), merged.columns(name, second)
    moments, gain = merged.moments[name].take([*ours, *theirs]), merged.metrics[name].facts().gain
    aggregates = merged.aggregates[first][name], merged.aggregates[second][name]

    def difference(sums: Floats) -> float:
        one, other = np.split(sums, [len(ours)])
        return score(one) - score(other)

    def gained(sums: Floats) -> float:
        one, other = np.split(sums, [len(ours)])
        return float(gain(score(one), score(other)))

    differing, gaining = moments.estimate(difference), moments.estimate(gained)
    documents = aggregates[0].documents
    macro = merged.aggregation(name) == "macro"
    effect = (
        differing.value / (differing.error * math.sqrt(documents))
        if macro and differing.error > 0
        else math.nan
    )
    # Equal systems have no difference and no error: nothing speaks against their being equal.
    p = 1.0 if differing.value == 0 and differing.error == 0 else gaining.p_value
    return Comparison(
        metric=name,
        first=first,
        second=second,
        aggregation=aggregates[0].aggregation,
        scores=(number(aggregates[0].score), number(aggregates[1].score)),
        difference=number(differing.value),
        interval=ends_of(differing.interval(level)),
        p=number(p),
        p_corrected=None,
        effect=number(effect),
        documents=documents,
        dropped=merged.result.documents - documents,
        better=first if gaining.value > 0 else second if gaining.value < 0 else None,
    )
