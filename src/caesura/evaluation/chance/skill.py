# SPDX-License-Identifier: Apache-2.0
"""Skill: a score beside what chance gives at the same density.

A system that sets many boundaries hits many, wherever it sets them. So each score is compared with its expectation E
when the same number of boundaries is placed in each document at random, every set of gaps equally likely:

    skill = (score - E) / (perfect - E)

0 is chance at that density, 1 is perfect, below 0 is worse than chance. For exact precision, recall and F1, for BOR, Pk and
WindowDiff E has a closed form (``expected_counts`` of the metric); for every other metric it is the mean over seeded
draws, with its standard error beside it. With very many boundaries a few draws are enough: they end when the standard error
is small.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.aggregate import aggregate
from caesura.evaluation.intervals import DRAWS
from caesura.metrics.base import Floats, Request
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Skill, number
from caesura.segmenters.random import RandomPlacements

if TYPE_CHECKING:
    from caesura.evaluation.reference.report import Evaluation

__all__ = [
    "ERROR",
    "FEWEST",
    "MANY_BOUNDARIES",
    "Expectation",
    "chance_counts",
    "expectations",
    "settled",
    "skill_of",
]

MANY_BOUNDARIES = 20_000
"""From so many boundaries of a hypothesis on, draws may end early."""
FEWEST = 8
"""Draws that are made in any case."""
ERROR = 2e-4
"""The standard error of a mean over draws that is small enough to end them."""
_SAME = 1e-12  # numbers nearer than this differ by rounding only


@dataclasses.dataclass(frozen=True)
class Expectation:
    """What a score would be by chance, and what that makes of it.

    ``expected`` is the expectation E of the ``score`` under uniform placement of as many boundaries in each document,
    ``per_document`` that of each document (NaN where it is not defined); ``skill`` is (score - E) / (perfect - E), NaN
    where perfect = E. If E is ``exact``, a closed form, its standard ``error`` and the number of ``draws`` are 0.
    """

    score: float
    expected: float
    skill: float
    exact: bool
    error: float
    draws: int
    seed: int
    per_document: Floats

    @property
    def signature(self) -> str:
        """How E was computed, as part of the signature of a skill.

        >>> Expectation(0.5, 0.2, 0.375, False, 0.01, 200, 0, np.array([0.2])).signature
        'chance:uniform|draws:200|seed:0'
        """
        return "chance:uniform|exact" if self.exact else f"chance:uniform|draws:{self.draws}|seed:{self.seed}"

    def plain(self) -> Skill:
        """Return it as the results file holds it."""
        return Skill(
            expected=number(self.expected),
            skill=number(self.skill),
            exact=self.exact,
            error=number(self.error),
            draws=self.draws,
            seed=self.seed,
            signature=self.signature,
        )


def expectations(
    evaluation: Evaluation, draws: int = DRAWS, seed: int = 0
) -> dict[str, dict[str, Expectation]]:
    """Return the expectation by chance of every score, and its skill: system to metric.

    The documents are those behind the score. Where there is no closed form, the same draws serve all metrics of a system;
    systems with as many boundaries in each document have the same draws. From 20,000 boundaries on, at least 8 are drawn, and
    at most ``draws``: until every standard error is at most 0.0002.

    Examples
    --------
    >>> from caesura.evaluation import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> e = evaluate({"d": Segmentation(11, (3, 7))}, {"a": {"d": Segmentation(11, (3, 8))}}, ["F1"])
    >>> found = expectations(e)["a"]["F1"]  # 2 of 10 gaps against 2: 0.4 hits expected
    >>> round(found.expected, 4), round(found.skill, 4), found.exact
    (0.2, 0.375, True)
    """
    if draws < 1:
        raise MetricError(f"draws is {draws}; the expectation needs at least one placement")
    return {system: _of_system(evaluation, system, draws, seed) for system in evaluation.systems}


def _of_system(evaluation: Evaluation, system: str, draws: int, seed: int) -> dict[str, Expectation]:
    pairs, chosen = evaluation.pairs[system], find_profile(evaluation.profile)
    means = {name: _Means(evaluation, name) for name in evaluation.metrics}
    drawn: dict[str, Request] = {}
    for name, metric in evaluation.metrics.items():
        closed = metric.expected_counts(evaluation.counts(system, name), pairs, swap=chosen.swap)
        if closed is None:
            drawn[name] = evaluation.requests[name]
        else:
            means[name].add(closed)
    if drawn:
        requests = list(dict.fromkeys(drawn.values()))
        for tables in chance_counts(pairs, requests, draws, seed, chosen.arranged):
            for name, request in drawn.items():
                means[name].add(evaluation.metrics[name].taken(tables[request], request))
            if len(pairs.hyp_pos) >= MANY_BOUNDARIES and settled([means[name].corpus for name in drawn]):
                break
    scores = evaluation.scores[system]
    return {
        name: mean.expectation(scores[name], len(mean.corpus) if name in drawn else 0, seed)
        for name, mean in means.items()
    }


class _Means:
    """Running means of the scores of each document and of the corpus, over draws or of one closed form."""

    def __init__(self, evaluation: Evaluation, name: str) -> None:
        self.metric = evaluation.metrics[name]
        self.how = evaluation.aggregation(name)
        self.used = evaluation.used(name)
        self.sums, self.defined = np.zeros(len(self.used)), np.zeros(len(self.used))
        self.corpus: list[float] = []

    def add(self, counts: Floats) -> None:
        scores = self.metric.score(counts)
        there = ~np.isnan(scores)
        np.add(self.sums, scores, out=self.sums, where=there)
        self.defined += there
        self.corpus.append(aggregate(self.metric, counts, self.how, self.used, scores=scores).score)

    def expectation(self, score: float, draws: int, seed: int) -> Expectation:
        """Return the mean; without draws it is exact."""
        corpus = np.array(self.corpus)
        corpus = corpus[~np.isnan(corpus)]
        expected = float(corpus.mean()) if len(corpus) else math.nan
        error = _standard_error(corpus)
        per_document = np.full(len(self.sums), np.nan)
        np.divide(self.sums, self.defined, out=per_document, where=self.defined > 0)
        skill = skill_of(score, expected, self.metric.facts().perfect)
        exact = draws == 0
        return Expectation(score, expected, skill, exact, 0.0 if exact else error, draws, seed, per_document)


def _standard_error(values: Floats) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.nan


def settled(drawn: Sequence[Sequence[float]], error: float = ERROR) -> bool:
    """Say whether there are enough draws: their mean has a standard error of at most 0.0002, unless another is given.

    >>> settled([[0.3] * 7]), settled([[0.3] * 8]), settled([[0.3] * 8, [0.2, 0.4] * 4])
    (False, True, False)
    """
    # What is not defined does not settle by drawing on.
    return len(drawn[0]) >= FEWEST and not any(_standard_error(np.array(each)) > error for each in drawn)


def skill_of(score: float, expected: float, perfect: float) -> float:
    """Return (score - expected) / (perfect - expected); NaN where nothing lies between chance and perfect.

    >>> skill_of(0.75, 0.5, 1.0), skill_of(1.0, 1.0, 1.0)
    (0.5, nan)
    """
    room = perfect - expected
    if not math.isfinite(room) or math.isnan(score) or abs(room) <= _SAME:
        return math.nan
    # Where chance has no choice, score and expectation differ by rounding only.
    return (score - expected) / room if abs(score - expected) > _SAME else 0.0


def chance_counts(
    pairs: Pairs,
    requests: Sequence[Request],
    draws: int,
    seed: int | Sequence[int],
    arranged: Callable[[Pairs], Pairs] = lambda pairs: pairs,
) -> Iterator[dict[Request, Floats]]:
    """Yield the counts of every request, for each random placement of as many boundaries as the hypothesis has.

    Each placement is counted into the same tables as the one before.
    ``arranged`` makes of reference and hypothesis what is counted (`Profile.arranged`); the hypothesis is drawn all the same.
    """
    placements = RandomPlacements(pairs.n_units, np.diff(pairs.hyp_ptr), seed=seed)
    tables: dict[Request, Floats] = {}
    for drawn in placements.draws(draws):
        batch = arranged(pairs.against(drawn))
        tables = {request: request.count(batch, out=tables.get(request)) for request in requests}
        yield tables
