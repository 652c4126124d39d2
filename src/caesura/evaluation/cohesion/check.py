# SPDX-License-Identifier: Apache-2.0
"""Whether any metric notices damage to the segmentations that were given: what a comparison without a reference rests on.

The self-degradation test of `caesura validate` in a cheap form, on the output of each system: two levels, one draw of each
damage. A metric may name a better system only if it notices damage to one of the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from caesura.evaluation.validity.facts import corpus_facts
from caesura.evaluation.validity.judging import judge_all, scores_of, with_blind
from caesura.evaluation.validity.trials import do_damage, trials
from caesura.results.cohesion import MetricCheck
from caesura.results.validity import BLIND, Kind, Limits, Trust, damage_names

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["Checks", "check_metrics", "notices"]

Checks = dict[str, dict[str, MetricCheck]]
"""System to metric; the blind metric is among them."""

_FOOLING: tuple[Kind, ...] = ("even", "odd")  # what fools metrics, and may be just what a system does
_STRONG = 0.7  # share of boundaries removed for the strongest removal


def check_metrics(cohesion: Cohesion, seed: int) -> Checks:
    """Damage each system's segmentations, and return what each metric makes of it."""
    limits = Limits()
    planned = trials([limits.removal, _STRONG], [])
    metrics = with_blind(cohesion.metrics)
    checks: Checks = {}
    for system, whole in cohesion.batches.items():
        batch = whole.take(np.flatnonzero(np.diff(whole.segmentations.ptr)))
        if not len(batch):
            nothing = "no document has a boundary"
            checks[system] = {
                name: MetricCheck("not usable here", [nothing], {}, None, 0) for name in metrics
            }
            continue
        # Another seed than the default of caesura degrade: its output must not be damaged into itself.
        damages = [list(do_damage(batch, trial, 1, seed + 1)) for trial in planned]
        after = [
            [scores_of(metrics, batch.with_segmentations(damage.flat)) for damage in runs] for runs in damages
        ]
        facts = corpus_facts(cohesion.source.corpus, batch, seed)
        judged = judge_all(metrics, scores_of(metrics, batch), damages, after, facts, limits)
        checks[system] = {name: _check(t) for name, t in judged.items()}
    return checks


def _check(trust: Trust) -> MetricCheck:
    """Return the verdict; a system that is itself evenly spaced, or cuts out odd units, cannot vouch for a metric."""
    check = MetricCheck(trust.verdict, trust.reasons, trust.damages, trust.worst, trust.documents)
    names = damage_names(Limits())
    own = [names[kind] for kind in _FOOLING if trust.damages.get(kind) is None]
    if own:
        check.verdict = "not usable here"
        check.reasons = [f"what was given is itself {' and '.join(own)}", *trust.reasons]
    return check


def notices(checks: Checks, metric: str, *systems: str) -> bool:
    """Say whether a metric notices damage to one of these systems."""
    return metric != BLIND and any(checks[system][metric].verdict != "not usable here" for system in systems)
