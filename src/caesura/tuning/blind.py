# SPDX-License-Identifier: Apache-2.0
"""Blind baselines of a sweep: a clock and random boundaries, over the densities of its curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from caesura.corpus import Corpus, drawing_order, drawing_places
from caesura.evaluation.chance.clock import nearest_period
from caesura.metrics.base import PairwiseMetric
from caesura.placements.even import every_of_each
from caesura.placements.random import RandomPlacements
from caesura.results import number
from caesura.results.base import Number
from caesura.results.sweep.facts import Point
from caesura.tuning.points import measure_pairs

__all__ = ["DRAWS", "blind_curves"]

DRAWS = 200
"""The minimum number of random documents for each density; few documents are drawn several times."""

_DENSITIES = 12


def blind_curves(
    reference: Corpus, metrics: Mapping[str, PairwiseMetric], curves: Sequence[Sequence[Point]], seed: int
) -> dict[str, list[dict[str, Number]]]:
    """Return the scores of clocks, and the mean scores of random boundaries, by ascending density.

    A clock has boundaries with one period in all documents; chance has as many boundaries in each document as the
    clock. The periods lie between those of the sparsest and the densest point of the curves, at equal ratios.
    """
    n_units = reference.flat.n_units
    totals = [point.boundaries for curve in curves for point in curve if point.boundaries]
    if not totals:
        return {}
    sparse, dense = (nearest_period(n_units, total) for total in (min(totals), max(totals)))
    periods = np.unique(np.geomspace(dense, sparse, _DENSITIES).round().astype(np.int64))[::-1].tolist()
    clocks = [every_of_each(n_units, period) for period in periods]
    clocks = [clock for clock in clocks if len(clock.pos)]
    draws = max(1, -(-DRAWS // len(n_units)))
    order, as_given = drawing_order(reference.ids), drawing_places(reference.ids)
    random = [
        drawn.take(as_given)
        for place, clock in enumerate(clocks)
        for drawn in RandomPlacements(n_units[order], np.diff(clock.ptr)[order], seed=(seed, place)).draws(
            draws
        )
    ]
    scores = [
        {name: each.scores[name].score for name in metrics}
        for each in measure_pairs(reference, metrics, [*clocks, *random])
    ]
    chance = [scores[start : start + draws] for start in range(len(clocks), len(scores), draws)]
    return {
        "clock": [{name: number(row[name]) for name in metrics} for row in scores[: len(clocks)]],
        "chance": [
            {name: number(float(np.mean([row[name] for row in drawn]))) for name in metrics}
            for drawn in chance
        ],
    }
