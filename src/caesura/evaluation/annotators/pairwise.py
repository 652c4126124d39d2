# SPDX-License-Identifier: Apache-2.0
"""Any pairwise metric between every two annotators: means and matrices."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.pairs import Pairs
from caesura.batches.panel import Ints, Panel
from caesura.errors import MetricError
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.annotators.coefficients import sd_defined
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
    names : tuple of str
        The annotators: rows (as reference) and columns (as hypothesis) of the matrices.
    per_document, sd_per_document : float64[D]
        Mean and population standard deviation over the pairs of each document, both orders.
    matrix : float64[A, A]
        Mean over the documents that both annotated; NaN where there is none.
    documents : int64[A, A]
        How many documents both annotated.
    """

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
        return sd_defined(self.per_document)

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
    """Score every annotator against every other of the same document, both orders; see `pair_scores`."""
    pairs, document, reference, hypothesis = annotator_pairs(panel, ordered=True)
    scores = pair_scores(pairwise_metric(name), pairs, document, panel, window)
    defined = ~np.isnan(scores)
    cells = panel.annotator[reference][defined], panel.annotator[hypothesis][defined]
    shape = (len(panel.names), len(panel.names))
    total, shared, matrix = np.zeros(shape), np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
    np.add.at(total, cells, scores[defined])
    np.add.at(shared, cells, 1)
    np.divide(total, shared, out=matrix, where=shared > 0)
    mean, sd = np.full((2, len(panel)), np.nan)
    for row in np.unique(document[defined]):
        own = scores[(document == row) & defined]
        mean[row], sd[row] = own.mean(), own.std()
    return PairwiseAgreement(panel.names, mean, sd, matrix, shared)


def pair_scores(metric: PairwiseMetric, pairs: Pairs, document: Ints, panel: Panel, window: Window) -> Floats:
    """Score every pair.

    The window of a metric that has one is half the mean segment of each pair's own reference, or, if pooled, of all
    annotators of the document; then documents of one window are counted at a time.
    """
    if window == "reference" or getattr(metric, "k", 0) is not None:
        return metric.score(metric.count(pairs))
    windows = pooled_window(panel)[document]
    scores = np.full(len(pairs), np.nan)
    for k in np.unique(windows).tolist():
        rows = np.flatnonzero(windows == k)
        options = {"k": k}
        fixed = dataclasses.replace(metric, **options)
        scores[rows] = fixed.score(fixed.count(pairs.take(rows)))
    return scores
