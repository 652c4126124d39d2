# SPDX-License-Identifier: Apache-2.0
"""Skill: a score relative to chance at the same density.

A system that places many boundaries hits many by chance. Each score is therefore compared with its expectation E when the
same number of boundaries is placed at random in each document, every set of gaps equally likely:

    skill = (score - E) / (perfect - E)

0 is chance at that density, 1 is perfect, below 0 is worse than chance. `caesura.evaluation.chance.expected` says how E is found;
docs/granularity.md names the metrics for which it has a closed form.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.chance.clock import clock_pairs
from caesura.evaluation.chance.expected import Asked, Chance, Expected
from caesura.evaluation.intervals import DRAWS
from caesura.evaluation.measured import Rows
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Blind, Skill, number

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["blind_scores", "chance_of", "expectations", "pooled_bor", "skill_of"]

_SAME = 1e-12  # numbers nearer than this differ by rounding only


def chance_of(evaluation: Evaluation, system: str, draws: int = DRAWS, seed: int = 0) -> Chance:
    """Return the random segmentations of a system, made once."""
    if draws < 1:
        raise MetricError(f"draws is {draws}; the expectation needs at least one placement")
    key = system, draws, seed
    if key not in evaluation.chances:
        pairs = evaluation.pairs[system].in_order(evaluation.drawn_in)
        evaluation.chances[key] = Chance(pairs, find_profile(evaluation.profile), draws, seed)
    return evaluation.chances[key]


def expectations(evaluation: Evaluation, draws: int = DRAWS, seed: int = 0) -> dict[str, dict[str, Skill]]:
    """Return the expectation by chance of every score, and its skill: system to metric.

    The documents are those behind the score. Without a closed form, the same draws serve all metrics of a system;
    systems with as many boundaries in each document have the same draws. From 20,000 boundaries on, a metric is drawn until its
    standard error is at most 0.0002, at most ``draws`` times, and at least 8 times, or twice with many thousands of documents.

    >>> from caesura.evaluation.evaluate import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> e = evaluate({"d": Segmentation(11, (3, 7))}, {"a": {"d": Segmentation(11, (3, 8))}}, ["F1"])
    >>> found = expectations(e)["a"]["F1"]  # 2 of 10 gaps against 2: 0.4 hits expected
    >>> round(found.expected, 4), round(found.skill, 4), found.exact
    (0.2, 0.375, True)
    """
    found: dict[str, dict[str, Skill]] = {}
    for system, row in evaluation.scores.items():
        chance = chance_of(evaluation, system, draws, seed)
        expected = chance.expected({name: _asked(evaluation, system, name) for name in row})
        found[system] = {name: _skill(row[name], expected[name], seed) for name in row}
    return found


def blind_scores(evaluation: Evaluation, metric: str, draws: int = DRAWS, seed: int = 0) -> dict[str, Blind]:
    """Return what as many boundaries as each system has score by a metric if they are placed without reading."""
    chosen, arranged = evaluation.metrics[metric], find_profile(evaluation.profile).arranged
    found: dict[str, Blind] = {}
    for system, pairs in evaluation.pairs.items():
        asked = {metric: _asked(evaluation, system, metric)}
        expected = chance_of(evaluation, system, draws, seed).expected(asked)[metric]
        clocks = []
        for clock in clock_pairs(pairs).values():
            counts = chosen.count(arranged(clock))
            scores = chosen.score(counts)
            rows = Rows(counts, scores, chosen.included(counts, scores))
            clocks.append(evaluation.aggregate(system, metric, rows, evaluation.used(metric)).score)
        found[system] = Blind(
            chance=number(expected.mean),
            error=number(expected.error),
            clock=number(min(clocks, key=chosen.facts().badness)),
            bor=number(pooled_bor(pairs)),
            signature=_how(expected, seed),
        )
    return found


def pooled_bor(pairs: Pairs) -> float:
    """Return the boundaries of the hypothesis per boundary of the reference, of all documents."""
    return float(BOR().score(np.array([len(pairs.ref_pos), len(pairs.hyp_pos)], dtype=np.float64)))


def _asked(evaluation: Evaluation, system: str, name: str) -> Asked:
    order = evaluation.drawn_in
    return Asked(
        evaluation.metrics[name],
        lambda: evaluation.counts(system, name)[order],
        micro=evaluation.aggregation(name) == "micro",
        used=evaluation.used(name)[order],
    )


def _skill(score: float, expected: Expected, seed: int) -> Skill:
    return Skill(
        expected=number(expected.mean),
        skill=number(skill_of(score, expected.mean, expected.metric.facts().perfect)),
        exact=expected.exact,
        error=number(expected.error),
        draws=expected.draws,
        seed=seed,
        signature=_how(expected, seed),
    )


def _how(expected: Expected, seed: int) -> str:
    """Return how an expectation was found, as part of a signature."""
    if expected.exact:
        return "chance:uniform|exact"
    return f"chance:uniform|{'linear:exact|' * expected.controlled}draws:{expected.draws}|seed:{seed}"


def skill_of(score: float, expected: float, perfect: float) -> float:
    """Return (score - expected) / (perfect - expected); NaN if chance is already perfect.

    >>> skill_of(0.75, 0.5, 1.0), skill_of(1.0, 1.0, 1.0)
    (0.5, nan)
    """
    room = perfect - expected
    if not math.isfinite(room) or math.isnan(score) or abs(room) <= _SAME:
        return math.nan
    # If only one placement exists, score and expectation differ by rounding only.
    return (score - expected) / room if abs(score - expected) > _SAME else 0.0
