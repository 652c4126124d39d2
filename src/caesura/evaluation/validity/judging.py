# SPDX-License-Identifier: Apache-2.0
"""Every metric judged by what it makes of the damage, beside the one that reads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caesura.batches.embedded import Embedded
from caesura.evaluation.validity.trials import Damage, noticed
from caesura.evaluation.validity.trust import trust
from caesura.metrics.base import Floats
from caesura.metrics.cohesion import COHESION, CohesionMetric, count_in_one_pass
from caesura.results import as_float
from caesura.results.validity import BLIND, CorpusFacts, Correlation, Limits, Trust

__all__ = ["judge_all", "scores_of", "with_blind"]


def with_blind(metrics: Mapping[str, CohesionMetric]) -> dict[str, CohesionMetric]:
    """Add the metric that reads nothing, if it is not there."""
    return {**metrics, BLIND: COHESION.parse(BLIND)}


def scores_of(metrics: Mapping[str, CohesionMetric], batch: Embedded) -> dict[str, Floats]:
    """Return the score of every document by each metric."""
    tables = count_in_one_pass(list(metrics.values()), batch)
    return {name: metric.score(table) for (name, metric), table in zip(metrics.items(), tables, strict=True)}


def judge_all(
    metrics: Mapping[str, CohesionMetric],
    before: Mapping[str, Floats],
    damages: Sequence[Sequence[Damage]],
    after: Sequence[Sequence[Mapping[str, Floats]]],
    facts: CorpusFacts,
    limits: Limits,
    correlations: Mapping[str, Mapping[str, Correlation]] | None = None,
) -> dict[str, Trust]:
    """Judge metrics, the blind one among them, by their scores before the damage and after it, by trial and draw."""
    made = {
        name: [
            noticed(runs[0].trial, metric, before[name], [s[name] for s in scores], [d.changed for d in runs])
            for scores, runs in zip(after, damages, strict=True)
        ]
        for name, metric in metrics.items()
    }
    correlations = correlations or {name: {} for name in metrics}
    blind = trust(made[BLIND], correlations[BLIND], facts, limits, None)
    return {
        name: blind
        if name == BLIND
        else trust(made[name], correlations[name], facts, limits, as_float(blind.worst))
        for name in metrics
    }
