# SPDX-License-Identifier: Apache-2.0
"""Density, agreement with the others, and outliers, per annotator."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from caesura.batches.panel import Ints, Panel
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.agree.pairwise import PairwiseAgreement, pairwise_metric
from caesura.evaluation.intervals import ends_of
from caesura.metrics.agreement import AGREEMENT, SLOT_COLUMNS, candidates_of
from caesura.metrics.base import Floats, ratio
from caesura.results import as_float, number
from caesura.results.agree.facts import AnnotatorRow
from caesura.statistics import Bootstrap, Interval

__all__ = ["FAR", "annotator_rows", "left_out"]

FAR = 1.5
"""An annotator whose density differs from the median annotator's by at least this factor is an outlier."""


def annotator_rows(
    panel: Panel, compared: PairwiseAgreement, by: str, bootstrap: Bootstrap, seconds: Floats
) -> dict[str, AnnotatorRow]:
    """Return one row per annotator; the pairwise metric ``by`` has ``compared`` them with the others, ``seconds`` are those of codings."""
    others = panel.n_annotators[panel.document] > 1
    codings = [np.flatnonzero(panel.annotator == place) for place in range(len(panel.names))]
    per_document = [compared.by_coding[own[others[own]]] for own in codings]
    intervals = _intervals([scores[:, None] for scores in per_document], bootstrap)
    densities, kappas = _densities(panel, codings, bootstrap), _kappas(panel, codings, bootstrap)
    rows = []
    for own, scores, interval, density, kappa in zip(codings, per_document, intervals, densities, kappas, strict=True):
        documents = panel.document[own]
        boundaries, units = int(panel.n_boundaries[own].sum()), int(panel.n_units[documents].sum())
        rows.append(
            AnnotatorRow(
                documents=len(documents),
                boundaries=boundaries,
                per_100_units=100 * boundaries / units,
                bias=number(_bias(panel, own)),
                agreement=number(mean_defined(scores)),
                interval=ends_of(interval),
                density=number(density[0]),
                density_interval=ends_of(density[1]),
                density_outlier=_far(*density),
                kappa_without=number(kappa[0]),
                kappa_change=ends_of(kappa[1]),
                units_per_segment=units / (boundaries + len(documents)),
                seconds=number(_total(seconds[own])),
            )
        )
    _mark_outliers(rows, _colleagues(panel), pairwise_metric(by).card.direction == "lower")
    return dict(zip(panel.names, rows, strict=True))


def _densities(panel: Panel, codings: list[Ints], bootstrap: Bootstrap) -> list[tuple[float, Interval]]:
    """Return the boundaries of each annotator over those of the median annotator of each document, with its interval.

    With the mean of the others, two moderate annotators would look sparse next to a third who marks every gap.
    """
    by_document = np.split(panel.n_boundaries, panel.doc_ptr[1:-1])
    median = np.array([np.median(counts) for counts in by_document])
    wide = panel.n_annotators[panel.document] > 2
    tables = []
    for own in codings:
        kept = own[wide[own]]
        tables.append(np.column_stack([panel.n_boundaries[kept], median[panel.document[kept]]]).astype(np.float64))
    intervals = _intervals(tables, bootstrap)
    totals = [table.sum(axis=0) for table in tables]
    return [(float(ratio(*total)), interval) for total, interval in zip(totals, intervals, strict=True)]


def _far(density: float, interval: Interval) -> bool:
    return not (1 / FAR < density < FAR) and (interval.low > 1 or interval.high < 1)


def _kappas(panel: Panel, codings: list[Ints], bootstrap: Bootstrap) -> list[tuple[float, Interval]]:
    """Return kappa of the corpus without each annotator, and the interval of the mean change over their documents."""
    whole, rest = left_out(panel)
    tables, means = [], []
    for own in codings:
        documents, without = panel.document[own], whole.copy()
        without[documents] = rest[own]
        change = rest[own] - whole[documents]
        tables.append(change[~np.isnan(change)][:, None])
        means.append(mean_defined(without))
    return list(zip(means, _intervals(tables, bootstrap), strict=True))


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


def _intervals(tables: list[Floats], bootstrap: Bootstrap) -> list[Interval]:
    """Return the interval of the mean over each annotator's documents, one row each; for two columns, of their ratio.

    Annotators with equally many documents share the draws.
    """
    intervals = [bootstrap.interval(np.empty(0))] * len(tables)
    sizes = np.array([len(table) for table in tables])
    for size in np.unique(sizes[sizes > 0]).tolist():
        places = np.flatnonzero(sizes == size).tolist()
        resampling = dataclasses.replace(bootstrap, n=size)
        means = resampling.mean(np.concatenate([tables[place] for place in places], axis=1))
        for place, values in zip(places, np.hsplit(means, len(places)), strict=True):
            drawn = values[:, 0] if values.shape[1] == 1 else ratio(values[:, 0], values[:, 1])
            defined = int((~np.isnan(tables[place]).any(axis=1)).sum())
            intervals[place] = resampling.interval(drawn, defined)
    return intervals


def _colleagues(panel: Panel) -> list[Ints]:
    """Return the annotators who share a document with each annotator, including themselves."""
    present = np.zeros((len(panel), len(panel.names)), dtype=np.float32)
    present[panel.document, panel.annotator] = 1.0
    return [np.flatnonzero(shared) for shared in present.T @ present]


def _mark_outliers(rows: list[AnnotatorRow], colleagues: list[Ints], lower_is_better: bool) -> None:
    """Mark annotators whose interval lies below (for a penalty: above) that of the median annotator.

    The median is taken over those who share documents with them: agreement on other documents is not comparable.
    """
    intervals = {}
    for place, row in enumerate(rows):
        low, high = map(as_float, row.interval)
        if not math.isnan(low):
            intervals[place] = (as_float(row.agreement), low, high)
    for place, (_, low, high) in intervals.items():
        ranked = sorted(
            (intervals[other] for other in colleagues[place].tolist() if other in intervals), key=lambda r: r[0]
        )
        if len(ranked) >= 3:
            _, middle_low, middle_high = ranked[len(ranked) // 2]
            rows[place].outlier = low > middle_high if lower_is_better else high < middle_low


def _total(seconds: Floats) -> float:
    known = seconds[~np.isnan(seconds)]
    return float(known.sum()) if len(known) else math.nan


def left_out(panel: Panel) -> tuple[Floats, Floats]:
    """Return FleissKappa of every document, and of the document of every coding without that coding; NaN if undefined.

    The time is linear in all boundaries. With one annotator fewer, a gap that m of h marked has m - 1 votes if that annotator marked it, and m otherwise.
    """
    kappa = AGREEMENT.parse("FleissKappa")
    counts = kappa.count(panel)
    gaps = candidates_of(panel)
    document, m, h = gaps.document, gaps.votes.astype(np.float64), panel.n_annotators.astype(np.float64)
    fewer = h[document] - 1
    unmarked = panel.n_units - 1.0 - np.bincount(document, minlength=len(panel))
    agreeing = np.bincount(document, weights=_agree(m, fewer), minlength=len(panel)) + unmarked * (h - 1) * (h - 2)
    # The effect of a coding's own marks: they had m votes, and have m - 1 without it.
    change = np.repeat(_agree(m - 1, fewer) - _agree(m, fewer), gaps.votes)
    changes = np.bincount(gaps.coding, weights=change, minlength=len(panel.annotator))
    rest = counts[panel.document].copy()
    people, items = h[panel.document] - 1, panel.n_units[panel.document] - 1.0
    columns = {
        "annotators": people,
        "agree": agreeing[panel.document] + changes,
        "pairs": items * people * (people - 1),
        "ones": rest[:, SLOT_COLUMNS.index("ones")] - panel.n_boundaries,
        "judgements": items * people,
    }
    for name, values in columns.items():
        rest[:, SLOT_COLUMNS.index(name)] = values
    rest[people < 2] = 0.0
    return kappa.score(counts), kappa.score(rest)


def _agree(votes: Floats, h: Floats) -> Floats:
    """Return the number of ordered pairs of h annotators who agree on a gap with the given number of marks."""
    return votes * (votes - 1) + (h - votes) * (h - votes - 1)
