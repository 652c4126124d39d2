# SPDX-License-Identifier: Apache-2.0
"""Support: the share of a document's annotators who have a boundary at, or near, each gap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.batches.panel import Panel
from caesura.corpus import Corpus
from caesura.evaluation.aggregate import mean_defined
from caesura.metrics.agreement import Candidates, pooled_window, supporters
from caesura.metrics.base import Floats
from caesura.results import number
from caesura.results.agree.facts import SupportCorrelation

__all__ = ["gap_support", "spearman", "support_correlation", "votes_at_gaps"]


def votes_at_gaps(panel: Panel) -> list[Floats]:
    """Return the share of annotators with a boundary exactly at each gap, for every document.

    >>> from caesura.segmentation import Segmentation
    >>> votes_at_gaps(Panel.of([Segmentation(5, (2,)), Segmentation(5, (2, 3))]))[0].tolist()
    [0.0, 1.0, 0.5, 0.0]
    """
    sizes = panel.n_units - 1
    starts = np.cumsum(sizes) - sizes
    document = np.repeat(panel.document, panel.n_boundaries)
    votes = np.bincount(starts[document] + panel.codings.pos - 1, minlength=int(sizes.sum()))
    return np.split(votes / np.repeat(panel.n_annotators, sizes), starts[1:])


def gap_support(panel: Panel) -> list[Floats]:
    """Return the share of annotators with a boundary within half a window of each gap, for every document.

    >>> from caesura.segmentation import Segmentation
    >>> gap_support(Panel.of([Segmentation(6, (2,)), Segmentation(6, (3,))]))[0].tolist()
    [0.5, 1.0, 1.0, 0.5, 0.0]
    """
    sizes = panel.n_units - 1
    starts = np.cumsum(sizes) - sizes
    document = np.repeat(np.arange(len(panel)), sizes)
    gaps = np.arange(int(sizes.sum())) - starts[document] + 1
    empty = np.empty(0, dtype=np.int64)
    votes = supporters(panel, Candidates(document, gaps, empty, empty), pooled_window(panel) // 2)
    return np.split(votes / panel.n_annotators[document], starts[1:])


def support_correlation(panel: Panel, system: Corpus) -> SupportCorrelation | None:
    """Return the mean over documents of Spearman's correlation of scores with support; None if there are no scores."""
    scored = [(row, system[key].scores) for row, key in enumerate(panel.ids)]
    known = {row: scores for row, scores in scored if scores is not None and len(scores) == panel.n_units[row] - 1}
    if not known:
        return None
    correlations = [
        spearman(np.asarray(scores, dtype=np.float64), support)
        for scores, support in zip(known.values(), gap_support(panel.take(list(known))), strict=True)
    ]
    defined = np.array(correlations)
    return SupportCorrelation(spearman=number(mean_defined(defined)), documents=int((~np.isnan(defined)).sum()))


def spearman(first: Floats, second: Floats) -> float:
    """Return Spearman's correlation, equal values sharing their mean rank; NaN if one side has a single value."""
    ranks = [_ranks(first), _ranks(second)]
    if any(np.ptp(rank) == 0 for rank in ranks):
        return float("nan")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranks(values: Sequence[float] | Floats) -> Floats:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: Floats = (last - (counts - 1) / 2)[inverse]
    return ranks
