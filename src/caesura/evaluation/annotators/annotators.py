# SPDX-License-Identifier: Apache-2.0
"""Density, agreement with the others, and outliers, per annotator."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from caesura.batches.panel import Panel
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.annotators.pairwise import pair_scores, pairwise_metric
from caesura.evaluation.intervals import ends_of
from caesura.metrics.agreement import annotator_pairs
from caesura.metrics.base import Floats
from caesura.results import as_float, number
from caesura.results.agreement import AnnotatorRow
from caesura.statistics import Bootstrap, Interval

__all__ = ["annotator_rows"]


def annotator_rows(panel: Panel, metric: str, bootstrap: Bootstrap) -> dict[str, AnnotatorRow]:
    """Return one row per annotator; a pairwise metric measures the agreement with the others."""
    pairs, document, reference, _ = annotator_pairs(panel, ordered=True)
    pairwise = pairwise_metric(metric)
    scores = pair_scores(pairwise, pairs, document, panel, "pooled")
    rows = []
    for place in range(len(panel.names)):
        theirs = panel.annotator[reference] == place
        per_document = [mean_defined(scores[theirs & (document == d)]) for d in np.unique(document[theirs])]
        rows.append(_row(panel, panel.annotator == place, np.array(per_document), bootstrap))
    _mark_outliers(rows, _colleagues(panel), pairwise.card.direction == "lower")
    return dict(zip(panel.names, rows, strict=True))


def _row(
    panel: Panel, own: npt.NDArray[np.bool_], per_document: Floats, bootstrap: Bootstrap
) -> AnnotatorRow:
    documents = panel.document[own]
    boundaries, units = int(panel.n_boundaries[own].sum()), int(panel.n_units[documents].sum())
    return AnnotatorRow(
        documents=len(documents),
        boundaries=boundaries,
        per_100_units=100 * boundaries / units,
        bias=number(_bias(panel, own)),
        agreement=number(mean_defined(per_document)),
        interval=ends_of(_interval(per_document, bootstrap)),
    )


def _bias(panel: Panel, own: npt.NDArray[np.bool_]) -> float:
    """Return an annotator's boundaries over the mean of the others on the same documents, minus 1."""
    documents = panel.document[own]
    total = np.bincount(panel.document, weights=panel.n_boundaries, minlength=len(panel))[documents]
    others = panel.n_annotators[documents] - 1
    shared = others > 0
    if not shared.any():
        return math.nan
    expected = float(((total - panel.n_boundaries[own])[shared] / others[shared]).sum())
    boundaries = float(panel.n_boundaries[own][shared].sum())
    if not expected:
        return math.inf if boundaries else 0.0
    return boundaries / expected - 1


def _interval(per_document: Floats, bootstrap: Bootstrap) -> Interval:
    if not len(per_document):
        return bootstrap.interval(np.empty(0))
    resampling = dataclasses.replace(bootstrap, n=len(per_document))
    return resampling.interval(resampling.mean(per_document), int((~np.isnan(per_document)).sum()))


def _colleagues(panel: Panel) -> list[set[int]]:
    """Return for each annotator those who share a document with them, themselves included."""
    colleagues: list[set[int]] = [set() for _ in panel.names]
    for codings in np.split(panel.annotator, panel.doc_ptr[1:-1]):
        for who in codings.tolist():
            colleagues[who].update(codings.tolist())
    return colleagues


def _mark_outliers(rows: list[AnnotatorRow], colleagues: list[set[int]], lower_is_better: bool) -> None:
    """Mark annotators whose interval lies below (for a penalty: above) that of the median annotator.

    The median is taken over those who share documents with them: agreement on other documents is not comparable.
    """
    known = {}
    for place, row in enumerate(rows):
        low, high = map(as_float, row.interval)
        if not math.isnan(low):
            known[place] = (as_float(row.agreement), low, high)
    for place, (_, low, high) in known.items():
        ranked = sorted((known[other] for other in colleagues[place] if other in known), key=lambda r: r[0])
        if len(ranked) >= 3:
            _, middle_low, middle_high = ranked[len(ranked) // 2]
            rows[place].outlier = low > middle_high if lower_is_better else high < middle_low
