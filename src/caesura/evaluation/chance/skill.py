# SPDX-License-Identifier: Apache-2.0
"""Skill: a score relative to chance at the same density.

A system that places many boundaries hits many by chance. Each score is therefore compared with its expectation E when the
same number of boundaries is placed at random in each document, every set of gaps equally likely:

    skill = (score - E) / (perfect - E)

0 is chance at that density, 1 is perfect, below 0 is worse than chance. For precision and recall of boundaries and of segments, exact
F1, BOR, Pk, WindowDiff and CovN E has a closed form (``expected_counts`` of the metric; docs/granularity.md names the variants that
have none); for every other metric it is the mean over seeded draws, with its standard error beside it. Of a score that is nearly
linear in its counts, as W-F1 and CovD are (``linear``), only the small rest is drawn. With very many boundaries few draws suffice:
drawing stops when the standard error is small.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.chance.means import MANY_BOUNDARIES, ExpectedCounts, Mean, add_draw, counted, placed
from caesura.evaluation.intervals import DRAWS
from caesura.metrics.base import Floats, ratio
from caesura.metrics.profiles import Profile
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Skill, number

if TYPE_CHECKING:
    from caesura.evaluation.evaluate.report import Evaluation

__all__ = ["Expectation", "expectations", "skill_of"]

_SAME = 1e-12  # numbers nearer than this differ by rounding only


@dataclasses.dataclass(frozen=True)
class Expectation:
    """The expectation of a score by chance, and the resulting skill.

    ``expected`` is the expectation E of the ``score`` under uniform placement of as many boundaries in each document; ``skill``
    is (score - E) / (perfect - E), NaN where perfect = E. If E is ``exact``, a closed form, its standard ``error`` and the
    number of ``draws`` are 0; if the ``linear`` part of the score is, only the rest was drawn. ``documents`` yields the scores of
    the documents, once or for each draw.
    """

    score: float
    expected: float
    skill: float
    exact: bool
    error: float
    draws: int
    seed: int
    linear: bool
    documents: Callable[[], Iterable[Floats]] = dataclasses.field(repr=False, compare=False)

    @functools.cached_property
    def per_document(self) -> Floats:
        """The expectation of each document, NaN where it is not defined; its placements are drawn again."""
        total: Floats | float = 0.0
        defined: Floats | float = 0.0
        for scores in self.documents():
            there = ~np.isnan(scores)
            total, defined = total + np.where(there, scores, 0.0), defined + there
        return ratio(np.asarray(total), np.asarray(defined))

    @property
    def signature(self) -> str:
        """How E was computed, as part of the signature of a skill.

        >>> Expectation(0.5, 0.2, 0.375, False, 0.01, 200, 0, False, tuple).signature
        'chance:uniform|draws:200|seed:0'
        """
        if self.exact:
            return "chance:uniform|exact"
        return f"chance:uniform|{'linear:exact|' if self.linear else ''}draws:{self.draws}|seed:{self.seed}"

    def plain(self) -> Skill:
        """Return the expectation as stored in the results file."""
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

    The documents are those behind the score. Without a closed form, the same draws serve all metrics of a system;
    systems with as many boundaries in each document have the same draws. From 20,000 boundaries on, a metric is drawn until its
    standard error is at most 0.0002, at most ``draws`` times, and at least 8 times, or twice with many thousands of documents.

    Examples
    --------
    >>> from caesura.evaluation.evaluate import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> e = evaluate({"d": Segmentation(11, (3, 7))}, {"a": {"d": Segmentation(11, (3, 8))}}, ["F1"])
    >>> found = expectations(e)["a"]["F1"]  # 2 of 10 gaps against 2: 0.4 hits expected
    >>> round(found.expected, 4), round(found.skill, 4), found.exact
    (0.2, 0.375, True)
    """
    if draws < 1:
        raise MetricError(f"draws is {draws}; the expectation needs at least one placement")
    scores = evaluation.scores
    return {
        system: _Drawing(evaluation, system, draws, seed).expectations(row) for system, row in scores.items()
    }


@dataclasses.dataclass(frozen=True)
class _Drawing:
    """The draws of one system."""

    evaluation: Evaluation
    system: str
    draws: int
    seed: int

    @functools.cached_property
    def pairs(self) -> Pairs:
        """The documents in the order in which they are drawn."""
        return self.evaluation.pairs[self.system].in_order(self.evaluation.drawn_in)

    def expectations(self, scores: Mapping[str, float]) -> dict[str, Expectation]:
        """Return the expectation of every score: a closed form, or the mean over draws that the metrics share."""
        expected = ExpectedCounts()
        means = {name: self._mean(name, expected) for name in scores}
        waiting = {name: mean for name, mean in means.items() if not mean.exact}
        early = len(self.pairs.hyp_pos) >= MANY_BOUNDARIES
        for batch in placed(self.pairs, self.draws, self.seed) if waiting else ():
            add_draw(self._profile.arranged(batch), waiting, self.evaluation.requests)
            waiting = {name: mean for name, mean in waiting.items() if not (early and mean.settled())}
            if not waiting:
                break
        return {name: self._expectation(name, scores[name], mean) for name, mean in means.items()}

    def _mean(self, name: str, expected: ExpectedCounts) -> Mean:
        evaluation = self.evaluation
        metric, order = evaluation.metrics[name], evaluation.drawn_in
        found = expected.of(
            metric, lambda: evaluation.counts(self.system, name)[order], self.pairs, swap=self._profile.swap
        )
        micro = evaluation.aggregation(name) == "micro"
        return Mean(metric, micro, evaluation.used(name)[order], self.pairs.unit, found)

    def _expectation(self, name: str, score: float, mean: Mean) -> Expectation:
        corpus = mean.values()
        corpus = corpus[~np.isnan(corpus)]
        expected = float(corpus.mean()) if len(corpus) else math.nan
        draws = 0 if mean.exact else len(mean.totals)
        return Expectation(
            score,
            expected,
            skill_of(score, expected, mean.metric.facts().perfect),
            mean.exact,
            mean.error() if draws else 0.0,
            draws,
            self.seed,
            mean.linear is not None,
            functools.partial(self._documents, name, draws),
        )

    def _documents(self, name: str, draws: int) -> Iterator[Floats]:
        """Yield the scores of the documents, as they were given: once from the closed form, or for each draw."""
        mean = self._mean(name, ExpectedCounts())
        if mean.per_document is not None:
            yield self._as_given(mean.per_document)
        for batch in placed(self.pairs, draws, self.seed) if draws else ():
            blocks = counted(self._profile.arranged(batch), {name: mean}, self.evaluation.requests)
            scores = [mean.of_documents(counts[name], start) for start, counts in blocks]
            yield self._as_given(np.concatenate(scores))

    def _as_given(self, scores: Floats) -> Floats:
        """Return scores of documents in the order in which these were given."""
        given = np.empty_like(scores)
        given[self.evaluation.drawn_in] = scores
        return given

    @property
    def _profile(self) -> Profile:
        return find_profile(self.evaluation.profile)


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
