# SPDX-License-Identifier: Apache-2.0
"""Scores against several annotators: every coding a reference, reduced to documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.batches.panel import Ints, Panel, PanelPairs
from caesura.evaluation.aggregate import mean_defined
from caesura.metrics.agreement import PanelMetric
from caesura.metrics.base import Floats, PairwiseMetric, ratio

__all__ = [
    "People",
    "Scored",
    "components",
    "count_pairs",
    "mean_rows",
    "people_against_panel",
    "reduce_to_documents",
    "windows_used",
]


@dataclasses.dataclass(frozen=True)
class Scored:
    """The counts of one hypothesis by one metric, and the scores made of them.

    For a metric of pairs a row of ``counts`` is a coding, for one of a panel it is a document. ``resolved`` is what the
    data decided, such as the windows that were used.
    """

    counts: Floats
    per_document: Floats
    best: Floats
    worst: Floats
    additive: Floats
    resolved: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class People:
    """What the annotators of each document score against the rest, and their mean counts."""

    scores: list[Floats]
    additive: Floats


def count_pairs(metric: PairwiseMetric, pairs: Pairs, threads: int) -> tuple[Floats, dict[str, str]]:
    """Return the counts that a metric reads, one row per pair, and what the data decided, such as the windows."""
    metric.check_corpus(pairs)
    request = metric.request(pairs.unit)
    table = request.count(pairs, threads=threads)
    return table[:, metric.places(request)], metric.resolved(table, request.columns)


def reduce_to_documents(metric: PairwiseMetric, counts: Floats, document: Ints, size: int) -> Scored:
    """Reduce codings to documents: mean, best and worst of the scores, mean of the counts."""
    scores = metric.score(counts)
    badness = metric.card.badness(scores)
    included = metric.included(counts, scores) & ~np.isnan(scores)
    number = np.bincount(document[included], minlength=size)
    total = np.bincount(document[included], weights=scores[included], minlength=size)
    mean = np.full(size, np.nan)
    np.divide(total, number, out=mean, where=number > 0)
    best, worst = np.full(size, np.nan), np.full(size, np.nan)
    for row in np.flatnonzero(number):
        own = np.flatnonzero((document == row) & included)
        best[row] = scores[own[np.argmin(badness[own])]]
        worst[row] = scores[own[np.argmax(badness[own])]]
    return Scored(counts, mean, best, worst, mean_rows(counts, document, size))


def people_against_panel(metric: PanelMetric, panel: Panel) -> People:
    """Leave out the first, the second, ... annotator of each document in turn, as the hypothesis of the rest."""
    found: list[list[float]] = [[] for _ in panel.ids]
    rows_seen, counts_seen = [], []
    place = np.arange(len(panel.annotator)) - panel.doc_ptr[panel.document]
    for turn in range(int(panel.n_annotators.max())):
        rows = np.flatnonzero((panel.n_annotators > turn) & (panel.n_annotators > 1))
        if not len(rows):
            continue
        part = panel.take(rows.tolist())
        left_out = place[np.isin(panel.document, rows)] == turn
        hypothesis = part.codings.take(np.flatnonzero(left_out))
        counts = metric.count(PanelPairs(part.keep(~left_out), hypothesis))
        rows_seen.append(rows)
        counts_seen.append(counts)
        for row, score in zip(rows.tolist(), metric.score(counts).tolist(), strict=True):
            found[row].append(score)
    everything = np.concatenate(counts_seen) if counts_seen else np.zeros((0, len(metric.columns)))
    documents = np.concatenate(rows_seen) if rows_seen else np.zeros(0, dtype=np.int64)
    scores = [np.array(values, dtype=np.float64) for values in found]
    return People(scores, mean_rows(everything, documents, len(panel)))


def mean_rows(counts: Floats, document: Ints, size: int) -> Floats:
    """Return the mean row of each document."""
    number = np.maximum(np.bincount(document, minlength=size), 1)
    sums = [np.bincount(document, weights=column, minlength=size) for column in counts.T]
    return np.column_stack(sums).astype(np.float64) / number[:, None]


def windows_used(metric: PanelMetric, counts: Floats) -> dict[str, str]:
    """Return the windows that a panel metric used, if it has one."""
    if "m" not in metric.columns:
        return {}
    used = counts[:, metric.columns.index("m")]
    low, high = int(used.min()), int(used.max())
    return {"m": str(low) if low == high else f"{low}..{high}"}


def components(metric: PairwiseMetric | PanelMetric, counts: Floats) -> dict[str, float]:
    """Return the mean components of a score, if the metric has bounds: raw, best, worst, too many, too few."""
    if not hasattr(metric, "bounds_of"):
        return {}
    raw, best, worst = metric.bounds_of(counts)
    judgements = counts[:, 1] * counts[:, 2]
    values = {
        "raw": raw,
        "best": best,
        "worst": worst,
        "too_many": ratio(counts[:, 4], judgements),
        "too_few": ratio(counts[:, 5], judgements),
    }
    return {name: mean_defined(each) for name, each in values.items()}
