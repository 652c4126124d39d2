# SPDX-License-Identifier: Apache-2.0
"""Density, agreement with the others, and outliers, per annotator."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from caesura.batches.panel import Ints, Panel
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.annotators.pairwise import PairwiseAgreement, pairwise_metric
from caesura.evaluation.intervals import ends_of
from caesura.metrics.base import Floats
from caesura.results import as_float, number
from caesura.results.agreement import AnnotatorRow
from caesura.statistics import Bootstrap, Interval

__all__ = ["annotator_rows"]


def annotator_rows(
    panel: Panel, compared: PairwiseAgreement, by: str, bootstrap: Bootstrap
) -> dict[str, AnnotatorRow]:
    """Return one row per annotator; the pairwise metric ``by`` has ``compared`` them with the others."""
    others = panel.n_annotators[panel.document] > 1
    codings = [np.flatnonzero(panel.annotator == place) for place in range(len(panel.names))]
    per_document = [compared.by_coding[own[others[own]]] for own in codings]
    rows = [
        _row(panel, own, scores, interval)
        for own, scores, interval in zip(
            codings, per_document, _intervals(per_document, bootstrap), strict=True
        )
    ]
    _mark_outliers(rows, _colleagues(panel), pairwise_metric(by).card.direction == "lower")
    return dict(zip(panel.names, rows, strict=True))


def _row(panel: Panel, own: Ints, per_document: Floats, interval: Interval) -> AnnotatorRow:
    documents = panel.document[own]
    boundaries, units = int(panel.n_boundaries[own].sum()), int(panel.n_units[documents].sum())
    return AnnotatorRow(
        documents=len(documents),
        boundaries=boundaries,
        per_100_units=100 * boundaries / units,
        bias=number(_bias(panel, own)),
        agreement=number(mean_defined(per_document)),
        interval=ends_of(interval),
    )


def _bias(panel: Panel, own: Ints) -> float:
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


def _intervals(columns: list[Floats], bootstrap: Bootstrap) -> list[Interval]:
    """Return the interval of the mean of each annotator's documents; those with equally many share the draws."""
    found = [bootstrap.interval(np.empty(0))] * len(columns)
    sizes = np.array([len(column) for column in columns])
    for size in np.unique(sizes[sizes > 0]).tolist():
        places = np.flatnonzero(sizes == size).tolist()
        resampling = dataclasses.replace(bootstrap, n=size)
        means = resampling.mean(np.column_stack([columns[place] for place in places]))
        for place, values in zip(places, means.T, strict=True):
            found[place] = resampling.interval(values, int((~np.isnan(columns[place])).sum()))
    return found


def _colleagues(panel: Panel) -> list[Ints]:
    """Return for each annotator those who share a document with them, themselves included."""
    present = np.zeros((len(panel), len(panel.names)), dtype=np.float32)
    present[panel.document, panel.annotator] = 1.0
    return [np.flatnonzero(shared) for shared in present.T @ present]


def _mark_outliers(rows: list[AnnotatorRow], colleagues: list[Ints], lower_is_better: bool) -> None:
    """Mark annotators whose interval lies below (for a penalty: above) that of the median annotator.

    The median is taken over those who share documents with them: agreement on other documents is not comparable.
    """
    known = {}
    for place, row in enumerate(rows):
        low, high = map(as_float, row.interval)
        if not math.isnan(low):
            known[place] = (as_float(row.agreement), low, high)
    for place, (_, low, high) in known.items():
        ranked = sorted(
            (known[other] for other in colleagues[place].tolist() if other in known), key=lambda r: r[0]
        )
        if len(ranked) >= 3:
            _, middle_low, middle_high = ranked[len(ranked) // 2]
            rows[place].outlier = low > middle_high if lower_is_better else high < middle_low
