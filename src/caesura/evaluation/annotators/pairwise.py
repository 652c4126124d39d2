# SPDX-License-Identifier: Apache-2.0
"""Any pairwise metric between every two annotators: means and matrices."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.batches.panel import Ints, Panel
from caesura.errors import MetricError
from caesura.evaluation.aggregate import mean_defined
from caesura.metrics import metric as find_metric
from caesura.metrics.agreement import annotator_pairs, pooled_window
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.results import number
from caesura.results.agreement import PairwiseRow, Window

__all__ = ["PairwiseAgreement", "pair_scores", "pairwise", "pairwise_metric"]


@dataclasses.dataclass(frozen=True)
class PairwiseAgreement:
    """A pairwise metric between every two annotators of each document.

    Attributes
    ----------
    metric : str
        As it was requested.
    window : {"pooled", "reference"}
        For metrics of a window: half the mean segment over all annotators of the document, or of each pair's own
        reference. Other metrics ignore it.
    names : tuple of str
        The annotators: rows (as reference) and columns (as hypothesis) of the matrices.
    per_document : float64[D]
        Mean over the pairs of each document, both orders.
    sd_per_document : float64[D]
        Population standard deviation over these pairs.
    matrix : float64[A, A]
        Mean over the documents that both annotated; NaN where there is none.
    documents : int64[A, A]
        How many documents both annotated.
    """

    metric: str
    window: Window
    names: tuple[str, ...]
    per_document: Floats
    sd_per_document: Floats
    matrix: Floats
    documents: Ints

    @property
    def mean(self) -> float:
        """Mean over documents of the mean over pairs."""
        return mean_defined(self.per_document)

    @property
    def sd(self) -> float:
        """Sample standard deviation over documents; NaN for fewer than two."""
        defined = self.per_document[~np.isnan(self.per_document)]
        return float(defined.std(ddof=1)) if len(defined) > 1 else float("nan")

    def row(self) -> PairwiseRow:
        """Return it as the results hold it."""
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


def pairwise(panel: Panel, name: str, window: Window = "pooled") -> PairwiseAgreement:
    """Score every annotator against every other of the same document, both orders."""
    metric = pairwise_metric(name)
    pairs, document, reference, hypothesis = annotator_pairs(panel, ordered=True)
    scores = pair_scores(metric, pairs, document, panel, window)
    size = len(panel.names)
    a, b = panel.annotator[reference], panel.annotator[hypothesis]
    defined = ~np.isnan(scores)
    total = np.zeros((size, size))
    number = np.zeros((size, size), dtype=np.int64)
    np.add.at(total, (a[defined], b[defined]), scores[defined])
    np.add.at(number, (a[defined], b[defined]), 1)
    matrix = np.full((size, size), np.nan)
    np.divide(total, number, out=matrix, where=number > 0)
    mean, sd = _by_document(scores, document, len(panel))
    return PairwiseAgreement(name, window, panel.names, mean, sd, matrix, number)


def pair_scores(metric: PairwiseMetric, pairs: Pairs, document: Ints, panel: Panel, window: Window) -> Floats:
    """Score every pair; for a pooled window, documents of one window at a time."""
    if window == "reference" or getattr(metric, "k", 0) is not None:
        return _score_all(metric, pairs)
    windows = pooled_window(panel)[document]
    scores = np.full(len(pairs), np.nan)
    for k in np.unique(windows):
        rows = np.flatnonzero(windows == k)
        options = {"k": int(k)}
        scores[rows] = _score_all(dataclasses.replace(metric, **options), pairs.take(rows))
    return scores


def _score_all(metric: PairwiseMetric, pairs: Pairs) -> Floats:
    return metric.score(metric.count(pairs))


def _by_document(scores: Floats, document: Ints, size: int) -> tuple[Floats, Floats]:
    """Return mean and population standard deviation over the pairs of each document."""
    mean, sd = np.full(size, np.nan), np.full(size, np.nan)
    for row in range(size):
        own = scores[document == row]
        own = own[~np.isnan(own)]
        if len(own):
            mean[row], sd[row] = own.mean(), own.std()
    return mean, sd
