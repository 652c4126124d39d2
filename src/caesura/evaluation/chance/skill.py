# SPDX-License-Identifier: Apache-2.0
"""Skill: a score beside what chance gives at the same density.

A system that sets many boundaries hits many, wherever it sets them. So each score is compared with its expectation E
when the same number of boundaries is placed in each document at random, every set of gaps equally likely:

    skill = (score - E) / (perfect - E)

0 is chance at that density, 1 is perfect, below 0 is worse than chance. For exact precision, recall and F1, for BOR, Pk and
WindowDiff E has a closed form (``expected_counts`` of the metric); for every other metric it is the mean over seeded
draws, with its standard error beside it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.aggregate import aggregate, block_sum
from caesura.metrics.base import Floats, PairwiseMetric, Request
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Skill, number
from caesura.segmenters.random import RandomPlacements

if TYPE_CHECKING:
    from caesura.evaluation.reference.report import Evaluation

__all__ = [
    "DRAWS",
    "Expectation",
    "chance_counts",
    "expectations",
    "skill_of",
]

DRAWS = 200
"""So many placements are drawn unless something else is asked for."""

_SAME = 1e-12  # numbers nearer than this differ by rounding only


@dataclasses.dataclass(frozen=True)
class Expectation:
    """What a score would be by chance, and what that makes of it.

    Attributes
    ----------
    score : float
        The score itself.
    expected : float
        Its expectation E under uniform placement of as many boundaries in each document.
    skill : float
        (score - E) / (perfect - E); NaN where perfect = E.
    exact : bool
        Whether E is a closed form.
    error : float
        The standard error of E from the draws; 0 if it is exact.
    draws : int
        How many placements were drawn; 0 if it is exact.
    seed : int
        Of the draws.
    per_document : float64[D]
        The expectation of each document; NaN where it is not defined.
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
        """How E was made, to stand in the signature of a skill.

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
    evaluation: Evaluation, draws: int = DRAWS, seed: int = 0, *, threads: int = 1
) -> dict[str, dict[str, Expectation]]:
    """Return the expectation by chance of every score, and its skill.

    The documents are those behind the score. The same draws serve all metrics of a system; systems with as many
    boundaries in each document have the same draws.

    Parameters
    ----------
    evaluation : Evaluation
        Systems against a reference.
    draws : int
        How many random placements, where there is no closed form.
    seed : int
        Of the draws.
    threads : int
        How many threads count; the numbers are the same.

    Returns
    -------
    dict of str to dict of str to Expectation
        System to metric.

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
    return {system: _of_system(evaluation, system, draws, seed, threads) for system in evaluation.systems}


def _of_system(
    evaluation: Evaluation, system: str, draws: int, seed: int, threads: int
) -> dict[str, Expectation]:
    pairs = evaluation.pairs[system]
    swap = find_profile(evaluation.profile).swap
    found: dict[str, Expectation] = {}
    pending: dict[str, _Means] = {}
    for name, metric in evaluation.metrics.items():
        counts = evaluation.counts(system, name)
        closed = metric.expected_counts(counts, pairs, swap=swap)
        if closed is None:
            pending[name] = _Means(metric, evaluation.used(name), evaluation.requests[name])
        else:
            expected = _corpus_score(evaluation, name, closed, evaluation.used(name))
            score = evaluation.aggregates[system][name].score
            found[name] = Expectation(
                score,
                expected,
                skill_of(score, expected, metric.facts().perfect),
                True,
                0.0,
                0,
                seed,
                metric.score(closed),
            )
    if pending:
        requests = list(dict.fromkeys(means.request for means in pending.values()))
        for tables in chance_counts(pairs, requests, draws, seed, swap=swap, threads=threads):
            for name, means in pending.items():
                counts = tables[means.request][:, means.metric.places(means.request)]
                means.add(counts, _corpus_score(evaluation, name, counts, means.used))
    for name, means in pending.items():
        found[name] = means.expectation(evaluation.aggregates[system][name].score, draws, seed)
    return {name: found[name] for name in evaluation.metrics}


class _Means:
    """Running means over draws of the scores of each document and of the corpus."""

    def __init__(self, metric: PairwiseMetric, used: npt.NDArray[np.bool_], request: Request) -> None:
        self.metric = metric
        self.used = used
        self.request = request
        self._sum = np.zeros(len(used))
        self._defined = np.zeros(len(used))
        self._corpus: list[float] = []

    def add(self, counts: Floats, score: float) -> None:
        scores = self.metric.score(counts)
        there = ~np.isnan(scores)
        self._sum[there] += scores[there]
        self._defined += there
        self._corpus.append(score)

    def expectation(self, score: float, draws: int, seed: int) -> Expectation:
        corpus = np.array(self._corpus)
        corpus = corpus[~np.isnan(corpus)]
        expected = float(corpus.mean()) if len(corpus) else math.nan
        error = float(corpus.std(ddof=1) / math.sqrt(len(corpus))) if len(corpus) > 1 else math.nan
        per_document = np.full(len(self._sum), np.nan)
        np.divide(self._sum, self._defined, out=per_document, where=self._defined > 0)
        skill = skill_of(score, expected, self.metric.facts().perfect)
        return Expectation(score, expected, skill, False, error, draws, seed, per_document)


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


# ---------------------------------------------------------------------------------------------- chance


def chance_counts(
    pairs: Pairs,
    requests: Sequence[Request],
    draws: int,
    seed: int | Sequence[int],
    *,
    swap: bool = False,
    threads: int = 1,
) -> Iterator[dict[Request, Floats]]:
    """Yield, for each random placement of the hypothesis' boundaries, the counts of every request.

    Parameters
    ----------
    pairs : Pairs
        The hypothesis gives the number of boundaries in each document.
    requests : sequence of Request
        What to count.
    draws : int
        How many placements.
    seed : int or sequence of int
        Of the placements.
    swap : bool
        Count with reference and hypothesis exchanged; the hypothesis is what is drawn all the same.
    threads : int
        How many threads count.
    """
    placements = RandomPlacements(pairs.n_units, np.diff(pairs.hyp_ptr), seed=seed)
    for drawn in placements.draws(draws):
        batch = dataclasses.replace(pairs, hyp_ptr=drawn.ptr, hyp_pos=drawn.pos)
        batch = batch.swapped() if swap else batch
        yield {request: request.count(batch, threads=threads) for request in requests}


def _corpus_score(evaluation: Evaluation, name: str, counts: Floats, used: npt.NDArray[np.bool_]) -> float:
    """Put counts together as the evaluation does."""
    metric, how = evaluation.metrics[name], evaluation.aggregation(name)
    if how == "micro":
        return float(metric.score(block_sum(counts)))
    return aggregate(metric, counts, how, used).score
