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
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs, pair
from caesura.errors import MetricError
from caesura.evaluation.aggregate import aggregate, block_sum
from caesura.evaluation.reference.report import Evaluation
from caesura.metrics.base import Floats, PairwiseMetric, Request
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Number, as_number
from caesura.segmenters.random import RandomPlacements
from caesura.table import Column, Table, Value

__all__ = [
    "DRAWS",
    "Decomposition",
    "Expectation",
    "chance_counts",
    "decompose",
    "expectations",
    "skill_of",
    "skill_table",
    "system_pairs",
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

    def as_dict(self) -> dict[str, Number | bool | str | int]:
        """Return it as the results file writes it."""
        return {
            "score": as_number(self.score),
            "expected": as_number(self.expected),
            "skill": as_number(self.skill),
            "exact": self.exact,
            "error": as_number(self.error),
            "signature": self.signature,
        }


@dataclasses.dataclass(frozen=True)
class Decomposition:
    """The difference of two systems, split into what their densities give and what their placement gives.

    Attributes
    ----------
    difference : float
        Score of the first less score of the second.
    density : float
        E of the first less E of the second.
    placement : float
        The rest: what each has above its own chance level.
    """

    difference: float
    density: float
    placement: float


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
    pairs = system_pairs(evaluation, system)
    swap = find_profile(evaluation.profile).swap
    found: dict[str, Expectation] = {}
    pending: dict[str, _Means] = {}
    for name, metric in evaluation.metrics.items():
        counts = evaluation.counts(system, name)
        closed = metric.expected_counts(counts, pairs, swap=swap)
        if closed is None:
            pending[name] = _Means(metric, _used(evaluation, system, name), evaluation.requests[name])
        else:
            expected = _corpus_score(evaluation, name, closed, _used(evaluation, system, name))
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


def decompose(first: Expectation, second: Expectation) -> Decomposition:
    """Split the difference of two systems on one metric into density and placement; the two add up to it.

    Both must come from one `expectations`, so that they speak of the same documents.
    """
    density = first.expected - second.expected
    placement = (first.score - first.expected) - (second.score - second.expected)
    return Decomposition(first.score - second.score, density, placement)


def skill_table(
    evaluation: Evaluation,
    draws: int = DRAWS,
    seed: int = 0,
    *,
    found: Mapping[str, Mapping[str, Expectation]] | None = None,
) -> Table:
    """Return one row per system and metric: score, chance, skill.

    ``found`` are the expectations if they are at hand; else they are made.
    """
    known = expectations(evaluation, draws, seed) if found is None else found
    rows: list[list[Value]] = [
        [system, name, e.score, e.expected, None if e.exact else e.error, e.skill]
        for system, row in known.items()
        for name, e in row.items()
    ]
    every = [e for row in known.values() for e in row.values()]
    notes = ["chance: the same number of boundaries in each document, every set of gaps equally likely"]
    drawn = sorted({(e.draws, e.seed) for e in every if not e.exact})
    notes += [f"chance without ± is exact, the others are means of {d} draws (seed {s})" for d, s in drawn]
    notes.append("skill: 0 is chance at that density, 1 is perfect; - where chance is perfect already")
    columns = ["system", "metric", "score", "chance", "±", "skill"]
    return Table([Column(title) for title in columns], rows, notes=notes, title="Skill")


# ---------------------------------------------------------------------------------------------- chance


def system_pairs(evaluation: Evaluation, system: str) -> Pairs:
    """Return reference and hypothesis of a system side by side, one row per document of the evaluation.

    The reference is the reference whatever the profile; ``swapped`` exchanges them only when they are counted.
    """
    reference = evaluation.reference.corpus
    pairing = pair(reference, evaluation.systems[system].corpus, name=system, missing="skip")
    if len(pairing.rows) != len(evaluation.documents):
        kept = set(evaluation.documents)
        inside = [place for place, row in enumerate(pairing.rows.tolist()) if reference.ids[row] in kept]
        pairing = pairing.take(np.array(inside, dtype=np.int64))
    return pairing.pairs


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


def _used(evaluation: Evaluation, system: str, name: str) -> npt.NDArray[np.bool_]:
    """Return which documents the score of a metric is made of."""
    metric = evaluation.metrics[name]
    if evaluation.aggregates[system][name].aggregation == "micro":
        return np.ones(len(evaluation.documents), dtype=bool)
    included = [metric.included(evaluation.counts(other, name)) for other in evaluation.systems]
    return np.asarray(np.logical_and.reduce(included), dtype=bool)


def _corpus_score(evaluation: Evaluation, name: str, counts: Floats, used: npt.NDArray[np.bool_]) -> float:
    """Put counts together as the evaluation does."""
    metric = evaluation.metrics[name]
    how = evaluation.by or metric.card.aggregation
    if how == "micro":
        return float(metric.score(block_sum(counts)))
    return aggregate(metric, counts, how, used).score
