# SPDX-License-Identifier: Apache-2.0
"""The points of a curve: many segmentations of the same documents, scored and resampled together.

Every score becomes a `Statistic`, a function of sums over documents. The documents are drawn once, and a resample of all
scores of all thresholds is one row of draws times one table of columns.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.batches.panel import Panel
from caesura.corpus import Corpus, drawing_order
from caesura.evaluation.against import EACH
from caesura.evaluation.aggregate import aggregate
from caesura.evaluation.agree.scoring import score_system
from caesura.evaluation.intervals import ends_of
from caesura.formats import plural
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.metrics.counting import count_requests
from caesura.results import number
from caesura.results.sweep.facts import EqualDensity, Point
from caesura.selectors.scores import FlatScores
from caesura.statistics import Bootstrap, Statistic

__all__ = ["Measured", "Sample", "equal_density", "measure_pairs", "points", "range_note", "trap_notes"]


Flags = npt.NDArray[np.bool_]


class Sample(NamedTuple):
    """A score, its resampleable form, and its range."""

    score: float
    statistic: Statistic
    bounds: tuple[float, float] = (-math.inf, math.inf)


@dataclasses.dataclass(frozen=True)
class Measured:
    """One segmentation of all documents by every metric; fields with defaults belong to a reference-free sweep."""

    scores: Mapping[str, Sample]
    gains: Mapping[str, Sample] | None = None
    z: Mapping[str, float] | None = None
    infinite: Mapping[str, int] | None = None
    over: tuple[float | None, float | None] = (None, None)

    @property
    def samples(self) -> list[Sample]:
        """Everything that is resampled: the scores, then the gains."""
        return [*self.scores.values(), *(self.gains or {}).values()]


def measure_pairs(
    reference: Corpus, metrics: Mapping[str, PairwiseMetric], segmentations: Sequence[Flat], against: str = "boundaries"
) -> list[Measured]:
    """Score segmentations against a reference, each metric in its default aggregation over its own documents.

    ``against`` the annotators, a document's score is the mean over them, or that of the nearest.
    """
    if against in EACH:
        return _measure_among(Panel.from_corpus(reference), metrics, segmentations, nearest=against == "best")
    batches = [Pairs.beside(reference.flat, flat, reference.unit) for flat in segmentations]
    requests = {name: metric.request(reference.unit) for name, metric in metrics.items()}
    measured, order = [], drawing_order(reference.ids)
    for tables in count_requests(batches, list(requests.values())):
        rows = {request: table.array()[order] for request, table in tables.items()}
        scores = {
            name: _sample(metrics[name], rows[request][:, metrics[name].places(request)])
            for name, request in requests.items()
        }
        measured.append(Measured(scores))
    return measured


def _measure_among(
    panel: Panel, metrics: Mapping[str, PairwiseMetric], segmentations: Sequence[Flat], *, nearest: bool
) -> list[Measured]:
    measured, order = [], drawing_order(panel.ids)
    for flat in segmentations:
        scores = {}
        for name, metric in metrics.items():
            found = score_system(metric, panel, flat)
            counts, each = (found.nearest, found.best) if nearest else (found.additive, found.per_document)
            scores[name] = _made(metric, counts[order], each[order], ~np.isnan(each[order]))
        measured.append(Measured(scores))
    return measured


def _sample(metric: PairwiseMetric, counts: Floats) -> Sample:
    scores = metric.score(counts)
    return _made(metric, counts, scores, metric.included(counts, scores))


def _made(metric: PairwiseMetric, counts: Floats, scores: Floats, included: Flags) -> Sample:
    how = metric.facts().aggregation
    statistic = Statistic.pooled(counts, metric.score) if how == "micro" else Statistic.mean(scores, included)
    score = aggregate(metric, counts, how, scores=scores, included=included).score
    return Sample(score, statistic, metric.facts().bounds)


def points(
    thresholds: Sequence[float], segmentations: Sequence[Flat], measured: Sequence[Measured], bootstrap: Bootstrap
) -> list[Point]:
    """Return one point per threshold, every score and gain with its interval, all from the same draws."""
    samples = [sample for each in measured for sample in each.samples]
    drawn = bootstrap.replicates([sample.statistic for sample in samples])
    ends = (
        ends_of(bootstrap.interval(values, s.documents, s.left_out()).within(sample.bounds))
        for values, sample in zip(drawn, samples, strict=True)
        for s in [sample.statistic]
    )
    curve = []
    for threshold, flat, each in zip(thresholds, segmentations, measured, strict=True):
        point = Point(
            threshold=float(threshold),
            boundaries=len(flat.pos),
            units_per_segment=int(flat.n_units.sum()) / (len(flat.pos) + len(flat)),
            scores={name: number(sample.score) for name, sample in each.scores.items()},
            intervals={name: next(ends) for name in each.scores},
        )
        if each.gains is not None:
            point.gains = {name: number(sample.score) for name, sample in each.gains.items()}
            point.gain_intervals = {name: next(ends) for name in each.gains}
            point.z = {name: number(z) for name, z in (each.z or {}).items()}
            point.infinite = dict(each.infinite or {})
            point.over_units, point.over_tokens = each.over
        curve.append(point)
    return curve


def equal_density(
    reference: Corpus,
    metrics: Mapping[str, PairwiseMetric],
    scores: Mapping[str, FlatScores],
    bootstrap: Bootstrap,
    against: str = "boundaries",
) -> list[EqualDensity]:
    """Compare scorers metric by metric, each with as many boundaries in each document as the reference, or its mean annotator."""
    counts = np.diff(reference.flat.ptr)
    if against in EACH:
        panel = Panel.from_corpus(reference)
        sums = np.bincount(panel.document, weights=panel.n_boundaries, minlength=len(panel))
        counts = np.rint(sums / panel.n_annotators).astype(np.int64)
    measured = measure_pairs(reference, metrics, [flat.at_counts(counts) for flat in scores.values()], against)
    drawn = iter(bootstrap.replicates([sample.statistic for each in measured for sample in each.samples]))
    draws = {name: {metric: next(drawn) for metric in metrics} for name in scores}
    values = {name: each.scores for name, each in zip(scores, measured, strict=True)}
    rows = []
    for metric, (first, second) in itertools.product(metrics, itertools.combinations(scores, 2)):
        a, b = values[first][metric].score, values[second][metric].score
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            spread = draws[first][metric] - draws[second][metric]
        interval = ends_of(bootstrap.interval(spread, len(reference)))
        rows.append(EqualDensity(metric, first, second, (number(a), number(b)), number(a - b), interval))
    return rows


def range_note(name: str, scores: Floats, curve: Sequence[Point]) -> list[str]:
    """Return a warning if scores look like logits: not probabilities, and mostly beyond the thresholds.

    >>> point = Point(threshold=0.5, boundaries=1, units_per_segment=2.0, scores={}, intervals={})
    >>> range_note("m", np.array([0.1, 0.9]), [point]), len(range_note("m", np.array([-4.0, 3.0]), [point]))
    ([], 1)
    """
    if not len(scores) or not len(curve) or (scores.min() >= 0 and scores.max() <= 1):
        return []
    first, last = curve[0].threshold, curve[-1].threshold
    if np.mean((scores >= first) & (scores <= last)) >= 0.5:
        return []
    return [
        f"Scores of {name} range from {scores.min():.3g} to {scores.max():.3g}, and most lie beyond the thresholds {first:g} to "
        f"{last:g}: they may be logits. Use --quantiles 50, or caesura calibrate --apply first."
    ]


def trap_notes(name: str, points: Sequence[Point]) -> list[str]:
    """Return notes on omissions at the thresholds of a scorer, and on metrics that are 0 for any text."""
    notes = []
    for metric in dict.fromkeys(key for point in points for key in point.infinite or {}):
        most = max((point.infinite or {}).get(metric, 0) for point in points)
        if most:
            notes.append(
                f"{name}: up to {plural(most, 'document', 'documents')} at a threshold left out of {metric}: neighbouring segments, or "
                "those of a random segmentation, have (nearly) the same centroid, and such a score outweighs all others."
            )
        zero = [p for p in points if p.units_per_segment == 1 and p.scores.get(metric) == 0]
        if zero and metric.startswith(("SegReFree", "DaviesBouldin")):
            at = ", ".join(f"{point.threshold:g}" for point in zero[:3])
            notes.append(
                f"{name}: at threshold {at} every segment has one unit, and {metric} is 0, its best value, for any text."
            )
    return notes
