# SPDX-License-Identifier: Apache-2.0
"""The mean score of a corpus over random placements, and its standard error."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from caesura.batches.pairs import Pairs
from caesura.metrics.base import Floats, PairwiseMetric, Request, ratio
from caesura.metrics.counting import count_in_blocks
from caesura.placements.random import RandomPlacements
from caesura.statistics.exact import ExactSum, exact_sum, exact_sums

__all__ = [
    "BLOCK",
    "MANY_BOUNDARIES",
    "ExpectedCounts",
    "Mean",
    "add_draw",
    "counted",
    "fewest_draws",
    "placed",
]

MANY_BOUNDARIES = 20_000
"""From this number of boundaries in a hypothesis on, drawing may stop early."""
BLOCK = 8_192
"""Documents per block when each is counted separately, so that their tables stay in the cache."""
_ERROR = 2e-4
_FEWEST = 8  # draws of one block


def fewest_draws(blocks: float) -> int:
    """Return how many draws are enough to know their standard error: 8 of one block, and 2 of many that vary alike.

    >>> [fewest_draws(blocks) for blocks in (1, 2, 3.5, 7, 100)]
    [8, 5, 3, 2, 2]
    """
    return 1 + math.ceil((_FEWEST - 1) / min(max(blocks, 1.0), _FEWEST - 1.0))


class ExpectedCounts:
    """The counts to expect by chance, where they have a closed form: each once for all metrics of a hypothesis."""

    def __init__(self) -> None:
        self._known: dict[Any, Floats | None] = {}

    def of(
        self, metric: PairwiseMetric, counts: Callable[[], Floats], pairs: Pairs, *, swap: bool = False
    ) -> Floats | None:
        """Return the expected counts of a metric, of which ``counts`` were found."""
        expect = type(metric).expected_counts
        if expect is PairwiseMetric.expected_counts:
            return None
        # Metrics that differ in the score only, such as CovN and CovD, expect the same.
        request = metric.request(pairs.unit)
        same = expect, request, *metric.places(request), *dataclasses.astuple(metric)
        if same not in self._known:
            parts, done, found = [], 0, counts()
            for block in _in_blocks(pairs):
                parts.append(metric.expected_counts(found[done : done + len(block)], block, swap=swap))
                done += len(block)
            closed = [part for part in parts if part is not None]
            self._known[same] = np.concatenate(closed) if len(closed) == len(parts) else None
        return self._known[same]


@dataclasses.dataclass
class Mean:
    """The mean score by one metric over draws: of a whole corpus, whose documents are counted block by block.

    Attributes
    ----------
    metric : PairwiseMetric
        What is scored.
    micro : bool
        Whether the counts of all documents are scored together; otherwise the mean of their scores is taken.
    used : bool[D]
        The documents behind a mean of scores.
    unit : str
        The unit of the documents.
    expected : float64[D, columns] or None
        The expected counts of each document, if they have a closed form.
    totals : list of float64[blocks, columns]
        For each draw what adds up: the counts, or the scores and how many they are; of a closed form once.
    per_document : float64[D] or None
        The expected scores, if the score of the expected counts is expected exactly.
    linear : float64[D] or None
        Otherwise, the linear part of the expected scores, if that is.
    """

    metric: PairwiseMetric
    micro: bool
    used: npt.NDArray[np.bool_]
    unit: str
    expected: Floats | None = None
    totals: list[Floats] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.linear: Floats | None = None
        self.per_document: Floats | None = None
        if self.expected is None:
            return
        self.linear = self.metric.linear(self.expected, self.expected, self.unit)
        if self.micro:
            self._of_all = exact_sum(self.expected)
        if self.linear is not None:
            return
        # The score of the expected counts is the expected score: no draw is needed.
        self.per_document = self.metric.score(self.expected)
        total = self._of_all if self.micro else self.total(self.expected, self.per_document, 0)
        self.totals.append(total[np.newaxis])

    @property
    def exact(self) -> bool:
        """Whether no draw is needed."""
        return self.per_document is not None

    def of_documents(self, counts: Floats, start: int) -> Floats:
        """Return the scores of the documents from ``start`` on; the linear part of each is what it is expected to be."""
        scores = self.metric.score(counts)
        if self.expected is None or self.linear is None:
            return scores
        rows = slice(start, start + len(counts))
        return scores - self._linear(counts, self.expected[rows]) + self.linear[rows]

    def total(self, counts: Floats, scores: Floats, start: int) -> Floats:
        """Return what adds up over the documents from ``start`` on: the scores, and how many are defined."""
        used = self.used[start : start + len(counts)] & self.metric.included(counts, scores)
        number = int(np.count_nonzero(used))
        summed = ExactSum.of(scores if number == len(used) else np.where(used, scores, 0.0))
        return np.array([summed.value, number])

    def values(self) -> Floats:
        """Return the score of the corpus in each draw."""
        return np.array([float(self._of_totals(exact_sum(blocks))) for blocks in self.totals])

    def error(self) -> float:
        """Return the standard error of the mean; NaN if there are too few draws."""
        found = math.sqrt(self._variances().sum())
        if self.linear is None or not self.micro or len(self.totals) < 2:
            return found
        # The small rest of a pooled score is not nearly a sum over blocks, so that the spread of the draws is asked too.
        return max(found, float(self.values().std(ddof=1)) / math.sqrt(len(self.totals)))

    def settled(self, error: float | None = None) -> bool:
        """Return whether there are enough draws: the mean has a standard error of at most 0.0002, unless another is given."""
        if np.isnan(self._of_totals(np.sum(self.totals, axis=1))).all():
            return len(self.totals) >= _FEWEST
        variances = self._variances()
        squares = float((variances**2).sum())
        # Blocks of which few vary tell as much as those few (Satterthwaite 1946).
        blocks = float(variances.sum()) ** 2 / squares if squares > 0 else 1.0
        draws, found, wanted = len(self.totals), self.error(), _ERROR if error is None else error
        # An error far below what is wanted need not be known well: a tenth of it is found once in a hundred times.
        enough = draws >= fewest_draws(blocks) or ((draws - 1) * blocks >= 2 and 0 < found <= wanted / 10)
        return enough and found <= wanted

    def _variances(self) -> Floats:
        """Return what each block adds to the variance of the mean: they are independent, so that the variances add up."""
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
        if self.linear is None:
            return scores
        return scores - self._linear(totals, self._of_all) + self._linear(self._of_all, self._of_all)

    def _linear(self, counts: Floats, expected: Floats) -> Floats:
        return cast(Floats, self.metric.linear(counts, expected, self.unit))


def counted(
    batch: Pairs, means: Mapping[str, Mean], requests: Mapping[str, Request]
) -> Iterator[tuple[int, dict[str, Floats]]]:
    """Yield where each block begins, and the counts of each metric: they are scored while in the cache."""
    wanted = {name: requests[name] for name in means}
    for block, tables in enumerate(count_in_blocks(batch, list(wanted.values()), BLOCK)):
        yield (
            block * BLOCK,
            {name: means[name].metric.taken(tables[each], each) for name, each in wanted.items()},
        )


def add_draw(
    batch: Pairs,
    means: Mapping[str, Mean],
    requests: Mapping[str, Request],
    sums: Mapping[str, Floats] | None = None,
) -> None:
    """Add a draw to the means of some metrics; the scores of the documents to ``sums``, if given, unless they are pooled."""
    reads = {name: (requests[name], *mean.metric.places(requests[name])) for name, mean in means.items()}
    totals: dict[str, list[Floats]] = {name: [] for name in means}
    for start, counts in counted(batch, means, requests):
        pooled: dict[tuple[object, ...], Floats] = {}
        for name, mean in means.items():
            if mean.micro:
                # Metrics that read the same counts add them up once.
                if reads[name] not in pooled:
                    pooled[reads[name]] = np.array([each.value for each in exact_sums(counts[name])])
                totals[name].append(pooled[reads[name]])
                continue
            scores = mean.of_documents(counts[name], start)
            totals[name].append(mean.total(counts[name], scores, start))
            if sums is not None:
                sums[name][start : start + len(scores)] += scores
    for name, mean in means.items():
        mean.totals.append(np.array(totals[name]))


def _in_blocks(pairs: Pairs) -> Iterator[Pairs]:
    """Yield the documents in blocks; one empty block if there are none."""
    if len(pairs) <= BLOCK:
        yield pairs
        return
    for start in range(0, len(pairs), BLOCK):
        yield pairs.between(start, start + BLOCK)


def placed(pairs: Pairs, draws: int, seed: int | Sequence[int]) -> Iterator[Pairs]:
    """Yield the reference beside each random placement of as many boundaries as the hypothesis has."""
    placements = RandomPlacements(pairs.n_units, np.diff(pairs.hyp_ptr), seed=seed)
    return map(pairs.against, placements.draws(draws))
