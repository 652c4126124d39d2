# SPDX-License-Identifier: Apache-2.0
"""Paired tests of merged shards: the tests of an evaluation, computed from moments if no documents are kept."""

from __future__ import annotations

import itertools

from caesura.errors import ComparabilityError
from caesura.evaluation.compare.paired import (
    Drawn,
    Normal,
    compared,
    settled,
    tests_of,
)
from caesura.evaluation.compare.run import Compared
from caesura.evaluation.compare.standing import standing
from caesura.evaluation.intervals import PERMUTATIONS
from caesura.results import Comparison, Standing
from caesura.scale.measured import Merged
from caesura.statistics import Bootstrap

__all__ = ["comparisons"]


def comparisons(merged: Merged, level: float = 0.95) -> Compared:
    """Compare every two systems on each metric, and rank them."""
    if len(merged.systems) < 2:
        only = next(iter(merged.systems))
        raise ComparabilityError(f"{only!r} is the only system; a comparison needs at least two")
    pairs = list(itertools.combinations(merged.systems, 2))
    tests = _tests(merged, pairs, level)
    result: list[Comparison] = []
    standings: dict[str, Standing] = {}
    for name, metric in merged.metrics.items():
        family = []
        for first, second in pairs:
            aggregates = merged.aggregates[first][name], merged.aggregates[second][name]
            tested = tests.test(name, first, second)
            family.append(
                compared(metric, name, (first, second), aggregates, tested, merged.result.documents)
            )
        result += settled(family)
        scores = {system: merged.aggregates[system][name].score for system in merged.systems}
        ranked = standing(metric.facts(), scores, tests.replicates(name, list(scores)), family)
        standings.update({} if ranked is None else {name: ranked})
    return Compared(result, standings or None, tests.resampling)


def _tests(merged: Merged, pairs: list[tuple[str, str]], level: float) -> Drawn | Normal:
    """Return the tests of an evaluation if the counts are kept, else those from moments."""
    if merged.result.counts is not None:
        return tests_of(merged, pairs, Bootstrap(merged.result.documents, level=level), PERMUTATIONS)
    parts = merged.result.metrics
    means = {name: part.used for name, part in parts.items() if merged.aggregation(name) == "macro"}
    return Normal(merged.metrics, merged.joint, means, level)
