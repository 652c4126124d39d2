# SPDX-License-Identifier: Apache-2.0
"""Scores against several annotators: every coding serves as a reference; scores are reduced to documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.batches.panel import Ints, Panel, PanelPairs
from caesura.metrics.agreement import PanelMetric, pair_blocks
from caesura.metrics.base import Floats, PairwiseMetric, Request

__all__ = ["People", "Scored", "document_means", "reduced", "score_people", "score_system"]


@dataclasses.dataclass(frozen=True)
class Scored:
    """The counts of one hypothesis by one metric, and the resulting scores.

    For a pairwise metric a row of ``counts`` is a coding, for a metric of a panel it is a document; ``additive`` has one
    row per document either way. ``nearest`` has the counts of each document's coding with the ``best`` score. ``resolved`` has
    the parameters resolved from the data, such as window sizes.
    """

    counts: Floats
    per_document: Floats
    best: Floats
    worst: Floats
    additive: Floats
    nearest: Floats
    resolved: Mapping[str, str] = dataclasses.field(default_factory=dict)


class People(NamedTuple):
    """The score of each coding against the others of its document, and the mean counts of each document, if requested."""

    scores: Floats
    additive: Floats | None


def score_system(metric: PairwiseMetric | PanelMetric, panel: Panel, hypothesis: Flat, threads: int = 1) -> Scored:
    """Score the hypothesis of every document against its annotators."""
    if isinstance(metric, PanelMetric):
        counts = metric.count(PanelPairs(panel, hypothesis))
        scores = metric.score(counts)
        unknown = np.full(len(scores), np.nan)
        return Scored(counts, scores, unknown, unknown, counts, counts, _windows_used(metric, counts))
    pairs = Pairs.beside(panel.codings, hypothesis.take(panel.document), panel.unit)
    metric.check_corpus(pairs)
    request = metric.request(pairs.unit)
    table = request.count(pairs, threads=threads)
    scored = reduced(metric, table[:, metric.places(request)], panel)
    return dataclasses.replace(scored, resolved=metric.resolved(table, request.columns))


def score_people(
    metrics: Mapping[str, PairwiseMetric | PanelMetric],
    panel: Panel,
    threads: int = 1,
    *,
    pooled: Collection[str] = (),
    nearest: bool = False,
) -> dict[str, People]:
    """Score every coding against the others of its document by each metric: their mean, or the ``nearest``; NaN if there are none.

    Every two annotators are paired once, metrics that read the same counts share them, and a symmetric metric
    counts one direction, unless its counts are ``pooled``: only then are they returned.
    """
    size, alone = len(panel.annotator), panel.n_annotators[panel.document] < 2
    scores = {name: np.full(size, np.nan) for name in metrics}
    counts = {name: np.zeros((size, len(metrics[name].columns))) for name in pooled}
    pairwise: dict[str, PairwiseMetric] = {}
    for name, metric in metrics.items():
        if isinstance(metric, PanelMetric):
            counted = metric.leave_one_out(panel)
            scores[name] = np.where(alone, np.nan, metric.score(counted))
            if name in pooled:
                counts[name] = counted
        else:
            pairwise[name] = metric
    for block in pair_blocks(panel) if pairwise else ():
        first, last = int(panel.doc_ptr[block.document[0]]), int(panel.doc_ptr[block.document[-1] + 1])
        # One "document" per coding: the pairs in which it is the hypothesis.
        hypothesis = np.concatenate([block.second, block.first]) - first
        tables = _BothWays(block.pairs, threads)
        for name, metric in pairwise.items():
            once = name not in pooled and metric.facts().symmetric
            table = tables.counted(metric, once=once)
            found, used = _scored(metric, table)
            if once:
                found, used = np.tile(found, 2), np.tile(used, 2)
            if nearest:
                both = np.tile(table, (2, 1)) if once else table
                filled, best, rows = _nearest(metric, both, found, used, hypothesis, last - first)
                scores[name][first:last][filled] = best[filled]
            else:
                scores[name][first:last] = document_means(found, used, hypothesis, last - first)[1]
            if name in pooled and nearest:
                counts[name][first:last][filled] = rows[filled]
            elif name in pooled:
                counts[name][first:last] = _mean_rows(table, hypothesis, last - first)
    return {
        name: People(each, _mean_rows(counts[name], panel.document, len(panel)) if name in pooled else None)
        for name, each in scores.items()
    }


class _BothWays:
    """The counts of pairs in both directions; each request is counted once."""

    def __init__(self, pairs: Pairs, threads: int) -> None:
        self.sides, self.threads = (pairs, pairs.swapped()), threads
        self.tables: dict[tuple[Request, int], Floats] = {}

    def counted(self, metric: PairwiseMetric, *, once: bool) -> Floats:
        """Return the counts that a metric reads, of the first direction only if one is enough."""
        request = metric.request(self.sides[0].unit)
        for side in range(1 if once else 2):
            if (request, side) not in self.tables:
                self.tables[request, side] = request.count(self.sides[side], threads=self.threads)
        read = [self.tables[request, side][:, metric.places(request)] for side in range(1 if once else 2)]
        return read[0] if once else np.concatenate(read)


def _scored(metric: PairwiseMetric, counts: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the scores, and which of them enter a mean."""
    scores = metric.score(counts)
    return scores, metric.included(counts, scores) & ~np.isnan(scores)


def document_means(scores: Floats, included: npt.NDArray[np.bool_], document: Ints, size: int) -> tuple[Ints, Floats]:
    """Return the number of scores of each document, and their mean."""
    kept, theirs = (document, scores) if included.all() else (document[included], scores[included])
    number = np.bincount(kept, minlength=size)
    mean = np.full(size, np.nan)
    np.divide(np.bincount(kept, weights=theirs, minlength=size), number, out=mean, where=number > 0)
    return number, mean


def reduced(metric: PairwiseMetric, counts: Floats, panel: Panel) -> Scored:
    """Reduce the codings of a panel to documents: mean, best and worst of the scores, mean and nearest of the counts."""
    document, size = panel.document, len(panel)
    scores, included = _scored(metric, counts)
    mean = document_means(scores, included, document, size)[1]
    worst = np.full(size, np.nan)
    filled, best, nearest = _nearest(metric, counts, scores, included, document, size)
    worst[filled] = scores[_best_rows(-metric.card.badness(scores), included, document, size)[1]]
    return Scored(counts, mean, best, worst, _mean_rows(counts, document, size), nearest)


def _nearest(
    metric: PairwiseMetric, counts: Floats, scores: Floats, included: npt.NDArray[np.bool_], document: Ints, size: int
) -> tuple[npt.NDArray[np.bool_], Floats, Floats]:
    """Return which documents have a score, the best of each, and its counts."""
    together = metric.best_counts(counts[included], document[included], size)
    if together is not None:
        filled = np.bincount(document[included], minlength=size) > 0
        return filled, np.where(filled, metric.score(together), np.nan), together
    best, nearest = np.full(size, np.nan), np.zeros((size, counts.shape[1]))
    filled, rows = _best_rows(metric.distances(counts), included, document, size)
    best[filled], nearest[filled] = scores[rows], counts[rows]
    return filled, best, nearest


def _best_rows(
    badness: Floats, included: npt.NDArray[np.bool_], document: Ints, size: int
) -> tuple[npt.NDArray[np.bool_], Ints]:
    """Return which documents have a score, and the row of the best of each; ties go to the first."""
    kept = np.flatnonzero(included)
    number = np.bincount(document[kept], minlength=size)
    firsts = (np.cumsum(number) - number)[number > 0]
    return number > 0, kept[np.lexsort((badness[kept], document[kept]))[firsts]]


def _mean_rows(counts: Floats, document: Ints, size: int) -> Floats:
    """Return the mean row of each document."""
    number = np.maximum(np.bincount(document, minlength=size), 1)
    sums = [np.bincount(document, weights=column, minlength=size) for column in counts.T]
    return np.column_stack(sums).astype(np.float64) / number[:, None]


def _windows_used(metric: PanelMetric, counts: Floats) -> dict[str, str]:
    if "m" not in metric.columns:
        return {}
    used = counts[:, metric.columns.index("m")]
    low, high = int(used.min()), int(used.max())
    return {"m": str(low) if low == high else f"{low}..{high}"}
