# SPDX-License-Identifier: Apache-2.0
"""Scores against several annotators: every coding a reference, reduced to documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.batches.panel import Ints, Panel, PanelPairs
from caesura.metrics.agreement import PanelMetric, pair_blocks
from caesura.metrics.base import Floats, PairwiseMetric

__all__ = ["People", "Scored", "score_people", "score_system"]


@dataclasses.dataclass(frozen=True)
class Scored:
    """The counts of one hypothesis by one metric, and the scores made of them.

    For a pairwise metric a row of ``counts`` is a coding, for a metric of a panel it is a document; ``additive`` has one
    row per document either way. ``resolved`` is what the data decided, such as the windows that were used.
    """

    counts: Floats
    per_document: Floats
    best: Floats
    worst: Floats
    additive: Floats
    resolved: Mapping[str, str] = dataclasses.field(default_factory=dict)


class People(NamedTuple):
    """What each coding scores against the others of its document, and the mean counts of each document."""

    scores: Floats
    additive: Floats


def score_system(
    metric: PairwiseMetric | PanelMetric, panel: Panel, hypothesis: Flat, threads: int = 1
) -> Scored:
    """Score the hypothesis of every document against its annotators."""
    if isinstance(metric, PanelMetric):
        counts = metric.count(PanelPairs(panel, hypothesis))
        scores = metric.score(counts)
        unknown = np.full(len(scores), np.nan)
        return Scored(counts, scores, unknown, unknown, counts, _windows_used(metric, counts))
    pairs = Pairs.beside(panel.codings, hypothesis.take(panel.document), panel.unit)
    counts, resolved = _count_pairs(metric, pairs, threads)
    scored = _reduce(metric, counts, panel.document, len(panel))
    return dataclasses.replace(scored, resolved=resolved)


def score_people(metric: PairwiseMetric | PanelMetric, panel: Panel, threads: int = 1) -> People:
    """Score every coding against the others of its document; NaN where there are none."""
    if isinstance(metric, PanelMetric):
        scores, counts = _leave_one_out(metric, panel)
        return People(scores, _mean_rows(counts, panel.document, len(panel)))
    request = metric.request(panel.unit)
    places, scores = metric.places(request), np.full(len(panel.annotator), np.nan)
    counts = np.zeros((len(panel.annotator), len(metric.columns)))
    for block in pair_blocks(panel):
        first, size = int(panel.doc_ptr[block.document[0]]), int(panel.doc_ptr[block.document[-1] + 1])
        both = [(block.pairs, block.second), (block.pairs.swapped(), block.first)]
        counted = np.concatenate([request.count(pairs, threads=threads)[:, places] for pairs, _ in both])
        # One "document" per coding: the pairs in which it is the hypothesis.
        hypothesis = np.concatenate([coding for _, coding in both]) - first
        coding = _reduce(metric, counted, hypothesis, size - first)
        scores[first:size], counts[first:size] = coding.per_document, coding.additive
    return People(scores, _mean_rows(counts, panel.document, len(panel)))


def _count_pairs(metric: PairwiseMetric, pairs: Pairs, threads: int) -> tuple[Floats, dict[str, str]]:
    """Return the counts that a metric reads, one row per pair, and what the data decided, such as the windows."""
    metric.check_corpus(pairs)
    request = metric.request(pairs.unit)
    table = request.count(pairs, threads=threads)
    return table[:, metric.places(request)], metric.resolved(table, request.columns)


def _reduce(metric: PairwiseMetric, counts: Floats, document: Ints, size: int) -> Scored:
    """Reduce codings to documents: mean, best and worst of the scores, mean of the counts."""
    scores = metric.score(counts)
    badness = metric.card.badness(scores)
    included = metric.included(counts, scores) & ~np.isnan(scores)
    number = np.bincount(document[included], minlength=size)
    total = np.bincount(document[included], weights=scores[included], minlength=size)
    mean, best, worst = np.full((3, size), np.nan)
    np.divide(total, number, out=mean, where=number > 0)
    kept, filled = np.flatnonzero(included), number > 0
    firsts = (np.cumsum(number) - number)[filled]
    for out, key in ((best, badness[kept]), (worst, -badness[kept])):
        # By document, then by badness; of equals the first.
        out[filled] = scores[kept[np.lexsort((key, document[kept]))[firsts]]]
    return Scored(counts, mean, best, worst, _mean_rows(counts, document, size))


def _leave_one_out(metric: PanelMetric, panel: Panel) -> tuple[Floats, Floats]:
    """Leave out the first, the second, ... annotator of each document in turn, as the hypothesis of the rest."""
    size = len(panel.annotator)
    scores, counts = np.full(size, np.nan), np.zeros((size, len(metric.columns)))
    place = np.arange(size) - panel.doc_ptr[panel.document]
    for turn in range(int(panel.n_annotators.max())):
        rows = np.flatnonzero(panel.n_annotators > max(turn, 1))
        if not len(rows):
            break
        part = panel.take(rows.tolist())
        left_out = place[np.isin(panel.document, rows)] == turn
        hypothesis = part.codings.take(np.flatnonzero(left_out))
        codings = panel.doc_ptr[rows] + turn
        counts[codings] = metric.count(PanelPairs(part.keep(~left_out), hypothesis))
        scores[codings] = metric.score(counts[codings])
    return scores, counts


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
