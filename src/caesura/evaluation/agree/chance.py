# SPDX-License-Identifier: Apache-2.0
"""What random and evenly spaced boundaries score against annotators, at the density of a system."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.batches.panel import Panel
from caesura.corpus import drawing_order, drawing_places
from caesura.evaluation.agree.scoring import Scored, document_means, score_system
from caesura.evaluation.chance.clock import clock_pairs
from caesura.evaluation.chance.expected import Asked, Chance
from caesura.metrics.agreement import PanelMetric
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.placements.random import RandomPlacements

__all__ = ["Level", "chance_among", "clocks_among"]

_FEWER = 50
"""Draws where every one is scored against every annotator: these are slow, and half as precise as 200."""

Score = Callable[[str, Scored], float]
"""From a metric and what was scored of every document to the score of the corpus."""


class Level(NamedTuple):
    """The expected score of random boundaries, its standard error, and the number of draws."""

    mean: float
    error: float
    draws: int

    def signature(self, seed: int) -> str:
        """Return how it was found, as part of a signature."""
        return f"chance:uniform|draws:{self.draws}|seed:{seed}" if self.draws else "chance:uniform|exact"


def chance_among(
    panel: Panel,
    flat: Flat,
    metrics: Mapping[str, PairwiseMetric | PanelMetric],
    score: Score,
    *,
    each: frozenset[str],
    draws: int,
    seed: int,
) -> dict[str, Level]:
    """Return the expectation of every score if each document has as many boundaries at random places.

    The mean over annotators of a mean over documents is linear in the expectations against each of them, which may have closed forms.
    Any other score, of the metrics ``each``, is drawn and scored as a whole.
    """
    found = {}
    linear = {name: m for name, m in metrics.items() if isinstance(m, PairwiseMetric) and name not in each}
    if linear:
        codings = Pairs.beside(panel.codings, flat.take(panel.document), panel.unit)
        keys = [f"{panel.ids[d]}/{panel.names[a]}" for d, a in zip(panel.document, panel.annotator, strict=True)]
        order, back = drawing_order(keys), drawing_places(keys)
        arranged = codings.in_order(order)
        chance = Chance(arranged, None, draws, seed)
        asked = {
            name: Asked(metric, functools.partial(metric.count, arranged), documents=draws)
            for name, metric in linear.items()
        }
        for name, expected in chance.expected(asked).items():
            per_coding = expected.per_document[back]
            mean = score(name, _of_codings(linear[name], per_coding, panel))
            found[name] = Level(mean, expected.error, expected.draws)
    rest = {name: m for name, m in metrics.items() if name not in linear}
    if rest:
        found |= _drawn(panel, flat, rest, score, min(draws, _FEWER), seed)
    return {name: found[name] for name in metrics}


def _of_codings(metric: PairwiseMetric, scores: Floats, panel: Panel) -> Scored:
    """Return the mean over annotators of scores that are known without counts."""
    mean = document_means(scores, ~np.isnan(scores), panel.document, len(panel))[1]
    nothing = np.zeros((len(panel), len(metric.columns)))
    return Scored(nothing, mean, mean, mean, nothing, nothing)


def _drawn(
    panel: Panel, flat: Flat, metrics: Mapping[str, PairwiseMetric | PanelMetric], score: Score, draws: int, seed: int
) -> dict[str, Level]:
    order, back = drawing_order(panel.ids), drawing_places(panel.ids)
    placements = RandomPlacements(panel.n_units[order], np.diff(flat.ptr)[order], seed=seed)
    drawn: dict[str, list[float]] = {name: [] for name in metrics}
    for random in placements.draws(draws):
        for name, metric in metrics.items():
            drawn[name].append(score(name, score_system(metric, panel, random.take(back))))
    return {name: _mean_of(np.array(values)) for name, values in drawn.items()}


def _mean_of(values: Floats) -> Level:
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Level(math.nan, math.nan, len(values))
    error = float(defined.std(ddof=1)) / math.sqrt(len(defined)) if len(defined) > 1 else math.nan
    return Level(float(defined.mean()), error, len(defined))


def clocks_among(
    panel: Panel, flat: Flat, metric: PairwiseMetric | PanelMetric, score: Callable[[Scored], float]
) -> list[float]:
    """Return the scores of the two clocks of a system."""
    alone = Pairs.beside(Flat.without_boundaries(panel.n_units), flat, panel.unit)
    return [score(score_system(metric, panel, clock.hypothesis)) for clock in clock_pairs(alone).values()]
