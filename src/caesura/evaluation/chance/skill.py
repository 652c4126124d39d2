# SPDX-License-Identifier: Apache-2.0
"""Skill: a score relative to chance at the same density.

A system that places many boundaries hits many by chance. Each score is therefore compared with its expectation E when the
same number of boundaries is placed at random in each document, every set of gaps equally likely:

    skill = (score - E) / (perfect - E)

0 is chance at that density, 1 is perfect, below 0 is worse than chance. For exact precision, recall and F1, for BOR, Pk and
WindowDiff E has a closed form (``expected_counts`` of the metric); for every other metric it is the mean over seeded
draws, with its standard error beside it. With very many boundaries few draws suffice: drawing stops when the standard error
is small.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.errors import MetricError
from caesura.evaluation.chance.placements import (
    BLOCK,
    MANY_BOUNDARIES,
    in_blocks,
    placed,
    settled,
    standard_error,
)
from caesura.evaluation.intervals import DRAWS
from caesura.metrics.base import Floats, PairwiseMetric, Request, ratio
from caesura.metrics.counting import count_in_blocks
from caesura.metrics.profiles import Profile
from caesura.metrics.profiles import profile as find_profile
from caesura.results import Skill, number
from caesura.statistics.exact import ExactSum, exact_sums

if TYPE_CHECKING:
    from caesura.evaluation.reference.report import Evaluation

__all__ = ["Expectation", "expectations", "skill_of"]

Blocks = Iterator[dict[str, Floats]]
"""The counts of each metric, of one block of documents after the other."""

_SAME = 1e-12  # numbers nearer than this differ by rounding only


@dataclasses.dataclass(frozen=True)
class Expectation:
    """The expectation of a score by chance, and the resulting skill.

    ``expected`` is the expectation E of the ``score`` under uniform placement of as many boundaries in each document; ``skill``
    is (score - E) / (perfect - E), NaN where perfect = E. If E is ``exact``, a closed form, its standard ``error`` and the
    number of ``draws`` are 0. ``documents`` yields the scores of the documents, once or for each draw.
    """

    score: float
    expected: float
    skill: float
    exact: bool
    error: float
    draws: int
    seed: int
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

        >>> Expectation(0.5, 0.2, 0.375, False, 0.01, 200, 0, tuple).signature
        'chance:uniform|draws:200|seed:0'
        """
        return "chance:uniform|exact" if self.exact else f"chance:uniform|draws:{self.draws}|seed:{self.seed}"

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

    @property
    def pairs(self) -> Pairs:
        return self.evaluation.pairs[self.system]

    def expectations(self, scores: Mapping[str, float]) -> dict[str, Expectation]:
        """Return the expectation of every score: a closed form, or the mean over draws that all metrics share."""
        found = {name: self._closed(name) for name in scores}
        drawn: dict[str, list[float]] = {name: [] for name, blocks in found.items() if blocks is None}
        early = len(self.pairs.hyp_pos) >= MANY_BOUNDARIES
        for blocks in self._counted(list(drawn)) if drawn else ():
            for name, score in self._corpus_scores(blocks, list(drawn)).items():
                drawn[name].append(score)
            if early and settled(list(drawn.values())):
                break
        return {
            name: self._expectation(name, scores[name], drawn[name], len(drawn[name]))
            if blocks is None
            else self._expectation(
                name,
                scores[name],
                [*self._corpus_scores(({name: each} for each in blocks), [name]).values()],
                0,
            )
            for name, blocks in found.items()
        }

    def _closed(self, name: str) -> list[Floats] | None:
        """Return the expected counts of a metric, block by block, where they have a closed form."""
        metric = self.evaluation.metrics[name]
        if type(metric).expected_counts is PairwiseMetric.expected_counts:
            return None
        counts = self.evaluation.counts(self.system, name)
        parts, done = [], 0
        for block in in_blocks(self.pairs):
            some = counts[done : done + len(block)]
            parts.append(metric.expected_counts(some, block, swap=self._profile.swap))
            done += len(block)
        found = [part for part in parts if part is not None]
        return found if len(found) == len(parts) else None

    def _counted(self, names: Sequence[str], draws: int | None = None) -> Iterator[Blocks]:
        """Yield for each random placement the counts of some metrics, block by block: they are scored while in the cache."""
        requests = {name: self.evaluation.requests[name] for name in names}

        def counted(batch: Pairs) -> Blocks:
            for tables in count_in_blocks(batch, list(requests.values()), BLOCK):
                yield {
                    name: self.evaluation.metrics[name].taken(tables[request], request)
                    for name, request in requests.items()
                }

        for batch in placed(self.pairs, draws or self.draws, self.seed):
            yield counted(self._profile.arranged(batch))

    def _corpus_scores(self, blocks: Blocks, names: Sequence[str]) -> dict[str, float]:
        """Return the score of all documents by each metric, from their counts."""
        metrics = {name: self.evaluation.metrics[name] for name in names}
        # Metrics that read the same counts add them up once.
        first: dict[tuple[Request, tuple[int, ...]], str] = {}
        requests = {name: self.evaluation.requests[name] for name in names}
        adds = {
            name: first.setdefault((request, tuple(metrics[name].places(request))), name)
            for name, request in requests.items()
        }
        sums = {name: [ExactSum()] * len(metric.columns) for name, metric in metrics.items()}
        documents, done = dict.fromkeys(names, 0), 0
        for tables in blocks:
            for name, metric in metrics.items():
                counts = tables[name]
                if self._micro(name):
                    if adds[name] == name:
                        sums[name] = [a + b for a, b in zip(sums[name], exact_sums(counts), strict=True)]
                    continue
                scores = metric.score(counts)
                used = self.evaluation.used(name)[done : done + len(counts)] & metric.included(counts, scores)
                number = int(np.count_nonzero(used))
                sums[name][0] += ExactSum.of(scores if number == len(used) else np.where(used, scores, 0.0))
                documents[name] += number
            done += len(counts)
        return {
            name: float(metric.score(np.array([each.value for each in sums[adds[name]]])))
            if self._micro(name)
            else sums[name][0].value / documents[name]
            if documents[name]
            else math.nan
            for name, metric in metrics.items()
        }

    def _micro(self, name: str) -> bool:
        return self.evaluation.aggregation(name) == "micro"

    def _expectation(self, name: str, score: float, drawn: Sequence[float], draws: int) -> Expectation:
        """Return the mean over draws; without draws it is exact."""
        metric = self.evaluation.metrics[name]
        corpus = np.array(drawn)
        corpus = corpus[~np.isnan(corpus)]
        expected = float(corpus.mean()) if len(corpus) else math.nan
        skill = skill_of(score, expected, metric.facts().perfect)
        error = standard_error(corpus) if draws else 0.0
        documents = functools.partial(self._documents, name, draws)
        return Expectation(score, expected, skill, draws == 0, error, draws, self.seed, documents)

    def _documents(self, name: str, draws: int) -> Iterator[Floats]:
        """Yield the scores of the documents: once from the closed form, or for each draw."""
        metric, closed = self.evaluation.metrics[name], None if draws else self._closed(name)
        if closed is not None:
            yield np.concatenate([metric.score(counts) for counts in closed])
        for blocks in self._counted([name], draws) if draws else ():
            yield np.concatenate([metric.score(counts[name]) for counts in blocks])

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
