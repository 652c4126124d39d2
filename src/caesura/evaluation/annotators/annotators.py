# SPDX-License-Identifier: Apache-2.0
"""The annotators one by one: how fine each cuts, how he agrees with the others, who stands apart."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from caesura.batches.panel import Panel
from caesura.errors import MetricError
from caesura.evaluation.annotators.pairwise import Window, pair_scores
from caesura.metrics import metric as find_metric
from caesura.metrics.agreement import annotator_pairs
from caesura.metrics.base import PairwiseMetric
from caesura.statistics import Bootstrap, Interval

__all__ = ["AnnotatorRow", "annotator_rows"]


@dataclasses.dataclass(frozen=True)
class AnnotatorRow:
    """One annotator.

    Attributes
    ----------
    name : str
        Who.
    documents : int
        How many documents he annotated.
    boundaries : int
        How many boundaries he set.
    per_100_units : float
        Boundaries per 100 units of his documents.
    bias : float
        His boundaries over those the others set on average on the same documents, less 1: 0.5 is half as many again,
        -0.5 half as many; NaN where nobody else annotated, infinite where the others set none.
    agreement : float
        Mean over his documents of the mean over the other annotators of the metric.
    interval : Interval
        Of the agreement, his documents resampled.
    outlier : bool
        Whether that interval lies below the interval of the median annotator.
    """

    name: str
    documents: int
    boundaries: int
    per_100_units: float
    bias: float
    agreement: float
    interval: Interval
    outlier: bool


def annotator_rows(
    panel: Panel, metric: str, bootstrap: Bootstrap, window: Window = "pooled"
) -> list[AnnotatorRow]:
    """Return one row per annotator, by a metric where higher is better."""
    pairs, document, reference, _ = annotator_pairs(panel, ordered=True)
    chosen = find_metric(metric)
    if not isinstance(chosen, PairwiseMetric):
        raise MetricError(
            f"{metric!r} is no metric of two segmentations; take one such as 'WindowDiff' or 'B'"
        )
    scores = pair_scores(chosen, pairs, document, panel, window)
    who = panel.annotator[reference]
    rows = [
        _row(panel, place, scores[who == place], document[who == place], bootstrap)
        for place in range(len(panel.names))
    ]
    return _with_outliers(rows, _colleagues(panel), chosen.card.direction == "lower")


def _row(
    panel: Panel,
    place: int,
    scores: npt.NDArray[Any],
    document: npt.NDArray[Any],
    bootstrap: Bootstrap,
) -> AnnotatorRow:
    own = panel.annotator == place
    documents = panel.document[own]
    boundaries, units = int(panel.n_boundaries[own].sum()), int(panel.n_units[documents].sum())
    total = np.bincount(panel.document, weights=panel.n_boundaries, minlength=len(panel))[documents]
    others = panel.n_annotators[documents] - 1
    shared = others > 0
    expected = float(((total - panel.n_boundaries[own])[shared] / others[shared]).sum())
    mine = float(panel.n_boundaries[own][shared].sum())
    per_document = (
        np.array([_mean(scores[document == d]) for d in np.unique(document)]) if len(scores) else np.empty(0)
    )
    mean = _mean(per_document)
    again = dataclasses.replace(bootstrap, n=max(len(per_document), 1))
    interval = (
        again.interval(again.mean(per_document), int((~np.isnan(per_document)).sum()))
        if len(per_document)
        else again.interval(np.empty(0))
    )
    return AnnotatorRow(
        name=panel.names[place],
        documents=len(documents),
        boundaries=boundaries,
        per_100_units=100 * boundaries / units,
        bias=_ratio(mine, expected) - 1 if shared.any() else math.nan,
        agreement=mean,
        interval=interval,
        outlier=False,
    )


def _mean(values: npt.NDArray[Any]) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else math.nan


def _ratio(mine: float, expected: float) -> float:
    if expected:
        return mine / expected
    return 1.0 if not mine else math.inf


def _colleagues(panel: Panel) -> list[set[int]]:
    """Return for each annotator those who share a document with him, himself included."""
    found: list[set[int]] = [set() for _ in panel.names]
    for start, stop in itertools.pairwise(panel.doc_ptr.tolist()):
        together = set(panel.annotator[start:stop].tolist())
        for who in together:
            found[who] |= together
    return found


def _with_outliers(
    rows: list[AnnotatorRow], colleagues: list[set[int]], lower_is_better: bool
) -> list[AnnotatorRow]:
    """Mark whoever's interval lies below (for a penalty: above) that of the median annotator.

    The median is taken over those who share documents with him: agreement on other documents is no yardstick.
    """
    found = []
    for row, others in zip(rows, colleagues, strict=True):
        known = sorted(
            (rows[i] for i in others if not math.isnan(rows[i].interval.low)), key=lambda r: r.agreement
        )
        outlier = False
        if len(known) >= 3 and not math.isnan(row.interval.low):
            middle = known[len(known) // 2].interval
            outlier = row.interval.low > middle.high if lower_is_better else row.interval.high < middle.low
        found.append(dataclasses.replace(row, outlier=outlier))
    return found
