# SPDX-License-Identifier: Apache-2.0
"""Aggregation of the documents of a corpus: the outer pooling of eq. 3 of the ARP paper.

``macro`` is the mean over documents, ``micro`` the score of all segments pooled, ``median`` the median over documents,
``length`` the mean over documents weighted by their units. The inner pooling, over the segments of a document, is a
parameter of each metric.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from caesura.metrics.base import Floats
from caesura.statistics import Bootstrap, Interval

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["POOLINGS", "DocumentPooling", "pool_documents", "pool_resamples", "pooled_intervals"]

DocumentPooling = Literal["macro", "micro", "median", "length"]
POOLINGS: tuple[DocumentPooling, ...] = get_args(DocumentPooling)


def pool_documents(how: DocumentPooling, scores: Floats, units: Floats) -> float:
    """Return the mean, the median, or the mean weighted by units, of scores that are all defined.

    >>> scores, units = np.array([0.0, 1.0, 5.0]), np.array([1.0, 1.0, 2.0])
    >>> [pool_documents(how, scores, units) for how in ("macro", "median", "length")]
    [2.0, 1.0, 2.75]
    """
    if not len(scores):
        return math.nan
    if how == "median":
        return float(np.median(scores))
    return float(np.average(scores, weights=units)) if how == "length" else float(scores.mean())


def pool_resamples(how: DocumentPooling, bootstrap: Bootstrap, scores: Floats, units: Floats) -> Floats:
    """Return the aggregate of each resample of the documents, but not "micro"; undefined scores are left out."""
    defined = ~np.isnan(scores)
    if how != "median":
        weights = np.where(defined, units if how == "length" else 1.0, 0.0)
        table = np.column_stack([np.where(defined, scores, 0.0) * weights, weights])
        total, number = bootstrap.sums(table).T
        out = np.full(len(total), np.nan)
        np.divide(total, number, out=out, where=number > 0)
        return out
    order = np.argsort(scores[defined], kind="stable")
    ranked = scores[defined][order]
    parts = []
    for drawn in bootstrap.draws():
        counts = drawn[:, defined][:, order]
        upto, size = np.cumsum(counts, axis=1), counts.sum(axis=1)
        # The two middle places of an even number of values; the same one of an odd number.
        low = _at(ranked, upto, np.ceil(size / 2))
        high = _at(ranked, upto, np.floor(size / 2) + 1)
        parts.append(np.where(size > 0, (low + high) / 2, np.nan))
    return np.concatenate(parts)


def pooled_intervals(cohesion: Cohesion, resamples: int, seed: int, level: float) -> dict[str, dict[str, Interval]]:
    """Return a bootstrap interval for every median or weighted mean, system to metric."""
    how, order = cohesion.pooling or "macro", cohesion.drawn_in
    bootstrap = Bootstrap(len(cohesion.documents), resamples, seed, level)
    by_system: dict[str, dict[str, Interval]] = {system: {} for system in cohesion.systems}
    for system, name in itertools.product(cohesion.systems, cohesion.metrics):
        used = cohesion.used(name)
        scores = np.where(used, cohesion.per_document(system, name), np.nan)
        drawn = pool_resamples(how, bootstrap, scores[order], cohesion.units[order])
        by_system[system][name] = bootstrap.interval(drawn, int(used.sum()))
    return by_system


def _at(ranked: Floats, upto: Floats, rank: Floats) -> Floats:
    """Return the value at a rank, counted from 1, each value repeated as often as it was drawn."""
    place = np.minimum((upto < rank[:, None]).sum(axis=1), len(ranked) - 1)
    values: Floats = ranked[place]
    return values
