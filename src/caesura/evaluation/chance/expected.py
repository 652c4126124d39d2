# SPDX-License-Identifier: Apache-2.0
"""Chance: the expected scores of random segmentations with as many boundaries as a hypothesis has in each document.

Every set of gaps is equally likely. Where the counts of a metric have expectations in closed form (``expected_counts``) and its
score is linear in them, nothing is drawn. Otherwise the expectation is a Monte Carlo mean over random placements, which all scores
of a system share. Where only the score is not linear, as that of W-F1, its tangent at the expected counts is a control variate:
its expectation is known, and only the small difference from it is averaged.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.metrics.base import Floats, PairwiseMetric, ratio
from caesura.metrics.counting import count_in_blocks
from caesura.metrics.pairwise.boundaries import BoundaryF1, BoundaryMetric
from caesura.metrics.profiles import Profile
from caesura.placements.random import RandomPlacements
from caesura.statistics.exact import ExactSum, are_whole, exact_sum, exact_sums

__all__ = ["MANY_BOUNDARIES", "Asked", "Chance", "Expected", "fewest_draws", "tangent"]

MANY_BOUNDARIES = 20_000
"""From this number of boundaries in a hypothesis on, drawing stops when the standard error is small."""
_BLOCK = 8_192  # documents counted together, so that their tables stay in the cache
_ERROR = 2e-4  # standard error at which drawing stops, of a score from 0 to 1
_FEWEST = 8  # draws of one block that tell the standard error
Flags = npt.NDArray[np.bool_]


def fewest_draws(documents: int) -> int:
    """Return how many draws may be enough for this number of documents: 8 of one block, 2 of many that vary alike.

    >>> [fewest_draws(documents) for documents in (40, 20_000, 1_000_000)]
    [8, 4, 2]
    """
    return _draws_of(documents / _BLOCK)


def _draws_of(blocks: float) -> int:
    """Return the draws after which there are seven degrees of freedom, each block adding one per draw."""
    return 1 + math.ceil((_FEWEST - 1) / min(max(blocks, 1.0), _FEWEST - 1.0))


@dataclasses.dataclass(frozen=True)
class Asked:
    """A score whose expectation is asked.

    With ``micro`` the counts of all documents are scored together; otherwise the mean of their scores is taken, over those that are
    ``used`` (None: all). ``counts`` returns what was counted of the hypothesis. ``documents`` asks for the expectation of each
    document too, from at least so many draws.
    """

    metric: PairwiseMetric
    counts: Callable[[], Floats]
    micro: bool = False
    used: Flags | None = None
    documents: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        """What tells two of them apart."""
        used = None if self.used is None or self.used.all() else self.used.tobytes()
        return self.metric, self.micro, used


class Chance:
    """The random segmentations of one hypothesis, drawn once for all scores that are asked together.

    ``pairs`` are in the order in which documents are drawn; the ``profile`` arranges the two sides before they are counted. At most
    ``draws`` placements are drawn.
    """

    def __init__(self, pairs: Pairs, profile: Profile | None, draws: int, seed: int) -> None:
        self.pairs, self.profile, self.draws, self.seed = pairs, profile, draws, seed
        self._known: dict[tuple[object, ...], Expected] = {}
        self._closed: dict[object, Floats | None] = {}

    def expected(self, asked: Mapping[str, Asked]) -> dict[str, Expected]:
        """Return the expectation of each score; only those that are not known yet are drawn."""
        found = {name: self._known.get(each.key) for name, each in asked.items()}
        for name, each in asked.items():
            known = found[name]
            if known is None or not known.has_documents(min(each.documents, self.draws)):
                found[name] = Expected(each, self.pairs, self._counts(each), self.draws)
        made = {name: each for name, each in found.items() if each is not None}
        waiting = {name: each for name, each in made.items() if not each.done}
        if waiting:
            self._draw(waiting)
        self._known.update((asked[name].key, each) for name, each in made.items())
        return made

    def _counts(self, asked: Asked) -> Floats | None:
        """Return the expected counts of a metric, where they have a closed form; metrics that share them compute them once."""
        metric = asked.metric
        expect = type(metric).expected_counts
        if expect is PairwiseMetric.expected_counts:
            return None
        request = metric.request(self.pairs.unit)
        same = expect, request, *metric.places(request), *dataclasses.astuple(metric)
        if same not in self._closed:
            swap = self.profile is not None and self.profile.swap
            parts, done, counted = [], 0, asked.counts()
            for block in _blocks(self.pairs):
                parts.append(metric.expected_counts(counted[done : done + len(block)], block, swap=swap))
                done += len(block)
            closed = [part for part in parts if part is not None]
            self._closed[same] = np.concatenate(closed) if len(closed) == len(parts) else None
        return self._closed[same]

    def _draw(self, waiting: dict[str, Expected]) -> None:
        early = len(self.pairs.hyp_pos) >= MANY_BOUNDARIES
        requests = {name: each.metric.request(self.pairs.unit) for name, each in waiting.items()}
        placements = RandomPlacements(self.pairs.n_units, np.diff(self.pairs.hyp_ptr), seed=self.seed)
        # Draws of a small corpus are counted together: 200 of 8 documents in one call.
        together, done = 1 if early else max(1, _BLOCK // max(len(self.pairs), 1)), 0
        while waiting:
            number = min(together, self.draws - done)
            batch = self._drawn(placements, number)
            batch = batch if self.profile is None else self.profile.arranged(batch)
            wanted = {name: requests[name] for name in waiting}
            totals: dict[str, list[list[Floats]]] = {name: [[] for _ in range(number)] for name in waiting}
            for block, tables in enumerate(count_in_blocks(batch, list(wanted.values()), _BLOCK)):
                for name, request in wanted.items():
                    counts = _columns(tables[request], waiting[name].metric.places(request))
                    for draw, total in enumerate(waiting[name].added(counts, block * _BLOCK, number)):
                        totals[name][draw].append(total)
            for name, each in waiting.items():
                each.totals += [np.array(blocks) for blocks in totals[name]]
            done += number
            waiting = {name: each for name, each in waiting.items() if not each.drawn_enough(early=early)}

    def _drawn(self, placements: RandomPlacements, number: int) -> Pairs:
        """Return the reference beside each of some placements, one after the other."""
        if number == 1:
            return self.pairs.against(placements.draw())
        rows = np.tile(np.arange(len(self.pairs)), number)
        flat = Flat.joined([placements.draw() for _ in range(number)])
        return self.pairs.take(rows).against(flat)


def _columns(table: Floats, places: list[int]) -> Floats:
    """Return columns of a table: not a copy if they are neighbours."""
    start, stop = places[0], places[-1] + 1
    return table[:, start:stop] if places == [*range(start, stop)] else table[:, places]


class Expected:
    """The expectation of one score of a corpus, and its standard error.

    Blocks of documents are independent, so that the variance of the mean is the sum of what each block adds to it. Its degrees of
    freedom follow Satterthwaite (1946): blocks that vary alike tell the error after two draws.

    It is ``exact`` if it is a closed form, without draws, and ``controlled`` if a control variate was used. ``totals`` has for each
    draw what adds up, by block: the counts, or the scores and their number; of a closed form once.
    """

    def __init__(self, asked: Asked, pairs: Pairs, counts: Floats | None, draws: int) -> None:
        self.metric, self.micro, self._unit, self._draws = asked.metric, asked.micro, pairs.unit, draws
        low, high = self.metric.facts().bounds
        self._enough = _ERROR * (high - low if math.isfinite(high - low) else 1.0)
        self._used = np.ones(len(pairs), dtype=bool) if asked.used is None else asked.used
        self._expected, self.totals = counts, list[Floats]()
        self._tangent = None if counts is None else tangent(self.metric, counts, counts, pairs.unit)
        self.controlled, self.exact = self._tangent is not None, counts is not None and self._tangent is None
        self._of_all = exact_sum(counts) if counts is not None and self.micro else None
        # Documents are kept where they cost little, so that nobody draws them again.
        kept = asked.documents > 0 or len(pairs.hyp_pos) < MANY_BOUNDARIES
        self._fewest = asked.documents
        self._sums: tuple[Floats, Floats] | None = None
        if counts is not None and self.exact:
            scores = self.metric.score(counts)
            self._sums = _kept(scores)
            total = self._of_all if self._of_all is not None else self._total(counts, scores, 0)
            self.totals.append(total[np.newaxis])
        elif kept:
            self._sums = np.zeros(len(pairs)), np.zeros(len(pairs))

    @property
    def done(self) -> bool:
        """Whether nothing is to be drawn."""
        return bool(self.totals)

    def has_documents(self, draws: int) -> bool:
        """Whether the expectation of each document is known from at least so many draws; 0 asks for none."""
        return draws == 0 or (self._sums is not None and (self.exact or len(self.totals) >= draws))

    @property
    def per_document(self) -> Floats:
        """The expectation of each document, NaN where it is not defined."""
        if self._sums is None:
            raise ValueError("the documents were not asked for")
        return ratio(*self._sums)

    @property
    def draws(self) -> int:
        """The number of draws, 0 of a closed form."""
        return 0 if self.exact else len(self.totals)

    @property
    def mean(self) -> float:
        """The expectation of the score of the corpus."""
        values = self._values()
        values = values[~np.isnan(values)]
        return float(values.mean()) if len(values) else math.nan

    @property
    def error(self) -> float:
        """The standard error of the mean: 0 of a closed form, NaN if there are too few draws."""
        if self.exact:
            return 0.0
        found = math.sqrt(self._variances().sum())
        if not self.controlled or not self.micro or len(self.totals) < 2:
            return found
        # The small rest of a pooled score is not nearly a sum over blocks, so that the spread of the draws is asked too.
        return max(found, float(self._values().std(ddof=1)) / math.sqrt(len(self.totals)))

    def added(self, counts: Floats, start: int, draws: int) -> Iterator[Floats]:
        """Yield for each of several draws what adds up over the documents from ``start`` on, and add it to theirs."""
        size = len(counts) // draws
        scores = None
        if self._sums is not None or not self.micro:
            scores = self.metric.score(counts)
            if self._expected is not None and self._tangent is not None:
                rows = np.tile(np.arange(start, start + size), draws)
                scores = self._less_noisy(scores, counts, self._expected[rows], self._tangent[rows])
        if scores is not None and self._sums is not None:
            for kept, more in zip(self._sums, _kept(scores), strict=True):
                for row in more.reshape(draws, size):
                    kept[start : start + size] += row
        if (self.micro or scores is None) and are_whole(counts, 2.0**53 / max(size, 1)):
            # Whole numbers whose sums stay so small are added without rounding, those of all draws at once.
            yield from counts.reshape(draws, size, -1).sum(axis=1)
            return
        for draw in range(draws):
            own = slice(draw * size, (draw + 1) * size)
            if self.micro or scores is None:
                yield np.array([each.value for each in exact_sums(counts[own])])
            else:
                yield self._total(counts[own], scores[own], start)

    def drawn_enough(self, *, early: bool) -> bool:
        """Return whether there are enough draws; with few boundaries only if there are all, unless no score is defined."""
        draws = len(self.totals)
        if draws >= self._draws:
            return True
        if not early or draws < self._fewest:
            return False
        if np.isnan(self._of_totals(np.sum(self.totals, axis=1))).all():
            return draws >= _FEWEST
        variances = self._variances()
        squares = float((variances**2).sum())
        blocks = float(variances.sum()) ** 2 / squares if squares > 0 else 1.0
        error = self.error
        # An error that seems ten times as small as needed is too large once in a hundred times with two degrees of freedom.
        known = draws >= _draws_of(blocks) or ((draws - 1) * blocks >= 2 and 0 < error <= self._enough / 10)
        return known and error <= self._enough

    def _values(self) -> Floats:
        """Return the score of the corpus in each draw."""
        return np.asarray(self._of_totals(np.array([exact_sum(blocks) for blocks in self.totals])))

    def _total(self, counts: Floats, scores: Floats, start: int) -> Floats:
        """Return the sum of the scores of the documents from ``start`` on, and how many are defined."""
        used = self._used[start : start + len(counts)] & self.metric.included(counts, scores)
        number = int(np.count_nonzero(used))
        summed = ExactSum.of(scores if number == len(used) else np.where(used, scores, 0.0))
        return np.array([summed.value, number])

    def _variances(self) -> Floats:
        """Return what each block adds to the variance of the mean."""
        totals = np.array(self.totals)
        means = totals.mean(axis=0)
        moved = self._of_totals(means.sum(axis=0) + (totals - means))
        there = ~np.isnan(moved)
        draws = there.sum(axis=0)
        away = np.where(there, moved - ratio(np.where(there, moved, 0.0).sum(axis=0), draws), 0.0)
        return ratio((away**2).sum(axis=0), draws * (draws - 1.0))

    def _of_totals(self, totals: Floats) -> Floats:
        if not self.micro:
            return ratio(totals[..., 0], totals[..., 1])
        scores = self.metric.score(totals)
        if not self.controlled or self._of_all is None:
            return scores
        at_mean = tangent(self.metric, self._of_all, self._of_all, self._unit)
        return self._less_noisy(scores, totals, self._of_all, at_mean)

    def _less_noisy(self, scores: Floats, counts: Floats, expected: Floats, at_mean: Floats | None) -> Floats:
        """Return the scores less their control variate, whose expectation ``at_mean`` is known."""
        found = tangent(self.metric, counts, expected, self._unit)
        return scores if found is None or at_mean is None else scores - found + at_mean


def tangent(metric: PairwiseMetric, counts: Floats, expected: Floats, unit: str) -> Floats | None:
    """Return F1 as it would go on from the expected precision and recall in a straight line; None if it is linear itself.

    Precision, recall and exact F1 are linear in the hits. With as many correct segments on both sides, CovN is linear in them, and so
    are the parts of CovD.
    """
    if not isinstance(metric, BoundaryF1) or metric.reach(unit) == 0:
        if isinstance(metric, BoundaryMetric):
            return None
        from caesura.metrics.pairwise.cov_d import CovD

        if not isinstance(metric, CovD):
            return None
    p, r = metric.precision(expected), metric.recall(expected)
    return ratio(2 * (r**2 * metric.precision(counts) + p**2 * metric.recall(counts)), (p + r) ** 2, empty=0.0)


def _kept(scores: Floats) -> tuple[Floats, Floats]:
    """Return scores with 0 where they are not defined, and where they are."""
    there = ~np.isnan(scores)
    return np.where(there, scores, 0.0), there.astype(np.float64)


def _blocks(pairs: Pairs) -> Iterator[Pairs]:
    """Yield the documents in blocks; one empty block if there are none."""
    if len(pairs) <= _BLOCK:
        yield pairs
        return
    for start in range(0, len(pairs), _BLOCK):
        yield pairs.between(start, start + _BLOCK)
