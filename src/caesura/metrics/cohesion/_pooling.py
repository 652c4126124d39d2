# SPDX-License-Identifier: Apache-2.0
"""From values of segments to a row of counts per document (eq. 3 of Ghinassi et al.)."""

from __future__ import annotations

import numpy as np

from caesura.batches.flat import Ints
from caesura.metrics.base import Floats, ratio

POOLINGS = ("mean", "median", "length")


def pool(values: Floats, document: Ints, weights: Floats, n_documents: int, pooling: str) -> Floats:
    """Return (total, weight) of each document, whose quotient is the pooled value; NaN values are left out."""
    defined = ~np.isnan(values)
    values, document, weights = values[defined], document[defined], weights[defined]
    out = np.zeros((n_documents, 2))
    if pooling == "median":
        out[:, 0], out[:, 1] = _medians(values, document, n_documents)
        return out
    if pooling == "mean":
        weights = np.ones(len(values))
    out[:, 0] = np.bincount(document, weights * values, minlength=n_documents)
    out[:, 1] = np.bincount(document, weights, minlength=n_documents)
    return out


def means(values: Floats, document: Ints, n_documents: int) -> Floats:
    """Return the mean of the defined values of each document; NaN where there is none."""
    total = pool(values, document, np.ones(len(values)), n_documents, "mean")
    return ratio(total[:, 0], total[:, 1])


def _medians(values: Floats, document: Ints, n_documents: int) -> tuple[Floats, Floats]:
    order = np.lexsort((values, document))
    ordered = values[order]
    sizes = np.bincount(document, minlength=n_documents)
    begin = np.cumsum(sizes) - sizes
    some = sizes > 0
    low, high = begin[some] + (sizes[some] - 1) // 2, begin[some] + sizes[some] // 2
    total = np.zeros(n_documents)
    # Halved first: the sum of two infinite or very large middles must stay what they are.
    total[some] = ordered[low] / 2 + ordered[high] / 2
    return total, some.astype(np.float64)
