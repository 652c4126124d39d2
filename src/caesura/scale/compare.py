# SPDX-License-Identifier: Apache-2.0
"""Paired tests of merged shards: the tests of an evaluation, from moments instead of documents."""

from __future__ import annotations

import itertools

from caesura.errors import ComparabilityError
from caesura.evaluation.comparison.paired import Normal, compared, settled
from caesura.evaluation.comparison.standing import standing
from caesura.results import Comparison, Standing
from caesura.scale.measured import Merged

__all__ = ["comparisons"]


def comparisons(merged: Merged, level: float = 0.95) -> tuple[list[Comparison], dict[str, Standing] | None]:
    """Compare every two systems on each metric, and say which is best on it."""
    if len(merged.systems) < 2:
        only = next(iter(merged.systems))
        raise ComparabilityError(f"{only!r} is the only system; a comparison needs at least two")
    pairs = list(itertools.combinations(merged.systems, 2))
    parts = merged.result.metrics
    means = {name: part.used for name, part in parts.items() if merged.aggregation(name) == "macro"}
    tests = Normal(merged.metrics, merged.joint, means, level)
    found: list[Comparison] = []
    standings: dict[str, Standing] = {}
    for name, metric in merged.metrics.items():
        family = []
        for first, second in pairs:
            aggregates = merged.aggregates[first][name], merged.aggregates[second][name]
            tested = tests.test(name, first, second)
            family.append(
                compared(metric, name, (first, second), aggregates, tested, merged.result.documents)
            )
        found += settled(family)
        scores = {system: merged.aggregates[system][name].score for system in merged.systems}
        ranked = standing(metric.facts(), scores, tests.replicates(name, list(scores)), family)
        standings.update({} if ranked is None else {name: ranked})
    return found, standings or None
