# SPDX-License-Identifier: Apache-2.0
"""Whether metrics may judge the systems of a measurement without a reference.

The test is that of `caesura validate`. If the documents have boundaries, these are damaged; otherwise what each system gave. A metric
may name a better system only if damage shows that it may be used, to the reference or to what one of the two gave, and if neither was
made with the vectors that it reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.evaluation.validate.judging import check_metrics
from caesura.results.validate.facts import BLIND, MetricCheck, may_be_used

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["Checks", "check_systems", "may_name"]

Checks = dict[str, dict[str, MetricCheck]]
"""System to metric; the blind metric is among them."""


def check_systems(cohesion: Cohesion, seed: int) -> Checks:
    """Damage the boundaries of the documents, or else those of each system, and say which metrics may be used."""
    corpus = cohesion.source.corpus
    if len(corpus.flat.pos):
        batch = next(iter(cohesion.batches.values())).with_segmentations(corpus.flat)
        found = check_metrics(cohesion.metrics, corpus, batch, gold=True, seed=seed)
        return dict.fromkeys(cohesion.systems, found)
    return {
        system: check_metrics(cohesion.metrics, corpus, batch, gold=False, seed=seed)
        for system, batch in cohesion.batches.items()
    }


def may_name(cohesion: Cohesion, metric: str, *systems: str) -> bool:
    """Say whether a metric may name the better of these systems."""
    checks = cohesion.checks
    if metric == BLIND:
        return False
    if cohesion.metrics[metric].reads_vectors and not set(systems).isdisjoint(cohesion.same_vectors):
        return False
    return checks is None or any(may_be_used(checks[system][metric].verdict) for system in systems)
