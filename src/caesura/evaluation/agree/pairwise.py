# SPDX-License-Identifier: Apache-2.0
"""Any pairwise metric between every two annotators: means and matrices, and one annotator against the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import NamedTuple, get_args

import numpy as np

from caesura.batches.panel import Ints, Panel
from caesura.corpus import Document
from caesura.declare import nearest
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.agree.coefficients import sd_defined
from caesura.metrics import metric as find_metric
from caesura.metrics.agreement import PairBlock, count_pairs, pair_blocks, pooled_window
from caesura.metrics.base import Floats, PairwiseMetric, Request
from caesura.results import number
from caesura.results.agree.facts import PairwiseRow, Window

__all__ = ["PairwiseAgreement", "Progress", "against_annotator", "pairwise", "pairwise_metric"]

Progress = Callable[[int, int], None]


@dataclasses.dataclass(frozen=True)
class PairwiseAgreement:
    """A pairwise metric between every two annotators of each document."""

    names: tuple[str, ...]  # rows (as reference) and columns (as hypothesis) of the matrices
    per_document: Floats  # [D]: mean over the pairs of each document, both orders
    sd_per_document: Floats  # [D]: their population standard deviation, as segeval prints it
    matrix: Floats  # [A, A]: mean over the documents that both annotated; NaN if there are none
    documents: Ints  # [A, A]: the number of documents that both annotated
    by_coding: Floats  # [C]: mean score of each coding, as the reference, against the others of its document

    @property
    def mean(self) -> float:
        """Mean over documents of the mean over pairs."""
        return mean_defined(self.per_document)

    @property
    def sd(self) -> float:
        """Sample standard deviation over documents; NaN for fewer than two."""
        return sd_defined(self.per_document)

    def row(self) -> PairwiseRow:
        """Return the scores as stored in the results."""
        return PairwiseRow(
            mean=number(self.mean),
            sd=number(self.sd),
            matrix=[[number(value) for value in row] for row in self.matrix.tolist()],
            documents=self.documents.tolist(),
        )


def pairwise_metric(name: str) -> PairwiseMetric:
    """Return a pairwise metric by name."""
    metric = find_metric(name)
    if not isinstance(metric, PairwiseMetric):
        raise MetricError(f"{name!r} is not a pairwise metric; use one such as 'WindowDiff' or 'B'")
    return metric


def pairwise(
    panel: Panel, measures: Iterable[tuple[str, Window]], progress: Progress | None = None
) -> dict[tuple[str, Window], PairwiseAgreement]:
    """Score every annotator against every other of the same document, both orders, by each metric and window.

    The window of a metric that has one is half the mean segment of each pair's own reference, or, if pooled, of all
    annotators of the document. Every two annotators are paired once, block by block; ``progress`` is called
    with the number of pairs done and the total.
    """
    asked = {(name, window): _resolved(name, window) for name, window in measures}
    sums = {measure: _Sums(panel) for measure in dict.fromkeys(asked.values())}
    windows, done, total = pooled_window(panel), 0, count_pairs(panel)
    for block in pair_blocks(panel):
        tables = _Tables(block, windows[block.document])
        for (metric, pooled), into in sums.items():
            into.add(panel, block, *tables.scores(metric, pooled=pooled))
        done += len(block.document)
        if progress is not None:
            progress(done, total)
    made = {measure: each.made(panel.names) for measure, each in sums.items()}
    return {key: made[measure] for key, measure in asked.items()}


def _resolved(name: str, window: Window) -> tuple[PairwiseMetric, bool]:
    """Return the metric and whether its window is pooled; False if the metric has no automatic window."""
    metric = pairwise_metric(name)
    if window not in get_args(Window):
        raise MetricError(f"window is {window!r}; it must be one of {', '.join(map(repr, get_args(Window)))}")
    return metric, window == "pooled" and getattr(metric, "k", 0) is None


class _Tables:
    """The counts of one block; metrics that read the same counts share them."""

    def __init__(self, block: PairBlock, windows: Ints) -> None:
        self.pairs, self.back = block.pairs, block.pairs.swapped()
        self.counted: dict[tuple[Request, int, bool], Floats] = {}
        self.rows = {k: np.flatnonzero(windows == k) for k in np.unique(windows).tolist()}
        self.parts = {k: self.pairs.take(rows) for k, rows in self.rows.items()} if len(self.rows) > 1 else {}

    def scores(self, metric: PairwiseMetric, *, pooled: bool) -> tuple[Floats, Floats]:
        """Return the scores with the first of two as reference, and with the second."""
        if not pooled:
            return self._both(metric, 0)
        first, second = np.full((2, len(self.pairs)), np.nan)
        for k, rows in self.rows.items():
            options = {"k": f"{k}ms" if self.pairs.unit == "ms" else k}
            first[rows], second[rows] = self._both(dataclasses.replace(metric, **options), k)
        return first, second

    def _both(self, metric: PairwiseMetric, k: int) -> tuple[Floats, Floats]:
        first = metric.score(self._count(metric, k, back=False))
        return first, first if metric.facts().symmetric else metric.score(self._count(metric, k, back=True))

    def _count(self, metric: PairwiseMetric, k: int, *, back: bool) -> Floats:
        """Count the pairs of one window, or all of them if k is 0."""
        request = metric.request(self.pairs.unit)
        if (request, k, back) not in self.counted:
            pairs = self.parts.get(k, self.pairs)
            self.counted[request, k, back] = request.count(pairs.swapped() if back else pairs)
        return self.counted[request, k, back][:, metric.places(request)]


class _Sums:
    """The sums of the scores of a metric, accumulated block by block."""

    def __init__(self, panel: Panel) -> None:
        self.mean, self.sd = np.full((2, len(panel)), np.nan)
        self.by_coding = np.full(len(panel.annotator), np.nan)
        self.total, self.shared = np.zeros((2, len(panel.names) ** 2))

    def add(self, panel: Panel, block: PairBlock, forward: Floats, backward: Floats) -> None:
        """Add the scores of a block; it holds every pair of its documents."""
        scores = np.concatenate([forward, backward])
        reference = np.concatenate([block.first, block.second])
        hypothesis = np.concatenate([block.second, block.first])
        document = np.concatenate([block.document, block.document])
        defined = ~np.isnan(scores)
        if not defined.all():
            scores, document = scores[defined], document[defined]
            reference, hypothesis = reference[defined], hypothesis[defined]
        if not len(scores):
            return
        cells = panel.annotator[reference] * len(panel.names) + panel.annotator[hypothesis]
        np.add.at(self.total, cells, scores)
        np.add.at(self.shared, cells, 1.0)
        _means_into(self.by_coding, reference, scores)
        _means_into(self.mean, document, scores)
        _means_into(self.sd, document, (scores - self.mean[document]) ** 2)

    def made(self, names: tuple[str, ...]) -> PairwiseAgreement:
        """Return the means."""
        matrix, shape = np.full(len(self.total), np.nan), (len(names), len(names))
        np.divide(self.total, self.shared, out=matrix, where=self.shared > 0)
        shared = self.shared.astype(np.int64).reshape(shape)
        return PairwiseAgreement(names, self.mean, np.sqrt(self.sd), matrix.reshape(shape), shared, self.by_coding)


def _means_into(out: Floats, places: Ints, values: Floats) -> None:
    """Write the mean of the values at each index; other entries are unchanged."""
    low, size = int(places.min()), int(places.max() - places.min()) + 1
    number = np.bincount(places - low, minlength=size)
    total = np.bincount(places - low, weights=values, minlength=size)
    np.divide(total, number, out=out[low : low + size], where=number > 0)


class _BothWays(NamedTuple):
    """A score with the chosen annotator as the hypothesis, and with the two sides exchanged."""

    score: float
    exchanged: float


def against_annotator(document: Document, chosen: str, judge: str = "Pk") -> dict[str, _BothWays]:
    """Score the ``chosen`` annotator, as the hypothesis, against each annotator of a document, the chosen one included.

    The Stargazer table is made like this, by Pk.

    >>> from caesura.datasets.bundled import bundled
    >>> (article,) = bundled("stargazer")
    >>> found = against_annotator(article, "4")
    >>> len(found), found["4"].score
    (7, 0.0)
    """
    if chosen not in document.annotations:
        raise ComparabilityError(
            f"document {document.id!r} has no annotator {chosen!r}; {nearest(chosen, list(document.annotations))}"
        )
    score = find_metric(judge)
    hypothesis = document.annotations[chosen]
    return {
        name: _BothWays(float(score(own, hypothesis)), float(score(hypothesis, own)))
        for name, own in document.annotations.items()
    }
