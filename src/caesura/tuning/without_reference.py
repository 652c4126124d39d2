# SPDX-License-Identifier: Apache-2.0
"""Points measured without a reference: cohesion above chance, and the share of segments that are too long.

A raw cohesion score drifts with the number of segments, so its best value says nothing about the best threshold. Each
point is therefore compared with random segmentations with as many boundaries in each document and the same minimum
distance: its gain is the score minus their mean.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat, Ints
from caesura.corpus import Corpus, drawing_order
from caesura.errors import ComparabilityError, DeclarationError, and_more
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.cohesion.null import NullDistribution, RandomSegmentations
from caesura.evaluation.cohesion.run import DEFAULT_COHESION, cohesion_metrics, embed_documents, made_with, words_for
from caesura.evaluation.inputs import Source
from caesura.evaluation.validate.judging import check_metrics, scores_of
from caesura.metrics.base import Floats, Metric
from caesura.metrics.cohesion import HUGE, CohesionMetric
from caesura.results.base import EncoderFacts
from caesura.results.sweep.facts import LengthLimits, WithoutReference
from caesura.results.validate.facts import MetricCheck
from caesura.statistics import Statistic
from caesura.tuning.points import Measured, Sample

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed

__all__ = ["Judge", "cohesion_points"]


@dataclasses.dataclass(frozen=True)
class Judge:
    """Says whether a metric may be used to recommend a threshold, by the test of `caesura validate`.

    The boundaries of the documents are damaged if there are any, otherwise what a scorer gives at the threshold.
    """

    corpus: Corpus
    batch: Embedded
    metrics: Mapping[str, CohesionMetric]
    seed: int

    def check(self, metric: str, given: Flat) -> MetricCheck:
        """Return whether a metric may be used."""
        gold = bool(len(self.corpus.flat.pos))
        batch = self.batch.with_segmentations(self.corpus.flat if gold else given)
        one = {metric: self.metrics[metric]}
        return check_metrics(one, self.corpus, batch, gold=gold, seed=self.seed)[metric]


def cohesion_points(
    corpus: Corpus,
    scorers: Mapping[str, Source],
    metrics: Iterable[str | Metric] | str | Metric | None,
    segmentations: Sequence[Flat],
    *,
    encoder: str | Encoder | Precomputed,
    limits: LengthLimits,
    draws: int,
    seed: int,
    min_gap: int,
    cache: Cache | bool | None,
    allow_download: bool,
    progress: Callable[[int, int], None] | None,
) -> tuple[dict[str, CohesionMetric], list[Measured], WithoutReference, Judge]:
    """Measure every segmentation of a corpus; return metrics, measurements, facts for the results, and who judges the metrics."""
    if draws < 2:
        raise DeclarationError(f"draws is {draws}; a distribution needs at least 2")
    requested = cohesion_metrics(DEFAULT_COHESION if metrics is None else metrics)
    words = None if limits.tokens is None else _words_before(corpus)
    base, vectors = embed_documents(corpus, encoder, cache, allow_download)
    same = made_with(scorers, vectors.fingerprint)
    requested |= words_for(same, metrics, corpus)
    drawn = {name: metric for name, metric in requested.items() if not metric.neutral}
    random, order = RandomSegmentations(("count",), draws, seed, min_gap), drawing_order(corpus.ids)
    measured: list[Measured] = []
    # All thresholds of a document are scored together: what a metric makes of its units is then made once.
    for flat, scores in zip(segmentations, scores_of(requested, base, segmentations), strict=True):
        own = {name: scores[name] for name in drawn}
        nulls = random.distributions(own, drawn, base.with_segmentations(flat))["count"] if drawn else {}
        measured.append(_above_chance(requested, scores, nulls, _shares_over(flat, limits, words), order))
        if progress is not None:
            progress(len(measured), len(segmentations))
    used = EncoderFacts(name=vectors.name, fingerprint=vectors.fingerprint, dim=vectors.dim)
    facts = WithoutReference(encoder=used, limits=limits, draws=draws, same_vectors=same)
    return requested, measured, facts, Judge(corpus, base, requested, seed)


def _words_before(corpus: Corpus) -> Floats:
    """Return the number of words before each unit of a corpus, and before its end."""
    bare = [document.id for document in corpus if document.units is None]
    if bare:
        raise ComparabilityError(
            f"document {bare[0]!r}{and_more(len(bare))} has no texts, which a limit in tokens needs; give 'units'"
        )
    counts = [len(text.split()) for document in corpus for text in document.units or ()]
    return np.concatenate(([0.0], np.cumsum(counts)))


def _shares_over(flat: Flat, limits: LengthLimits, words: Floats | None) -> tuple[float | None, float | None]:
    """Return the shares of segments with too many units, and with too many words; None without a limit."""
    starts = np.concatenate(([0], np.cumsum(flat.n_units)))
    edges = np.union1d(flat.pos + np.repeat(starts[:-1], np.diff(flat.ptr)), starts)
    units = tokens = None
    if limits.units is not None:
        units = float((np.diff(edges) > limits.units).mean())
    if limits.tokens is not None and words is not None:
        tokens = float((np.diff(words[edges]) > limits.tokens).mean())
    return units, tokens


def _above_chance(
    metrics: Mapping[str, CohesionMetric],
    scores: Mapping[str, Floats],
    nulls: Mapping[str, NullDistribution],
    over: tuple[float | None, float | None],
    order: Ints | slice,
) -> Measured:
    """Compare a segmentation with random ones of as many boundaries and the same minimum distance.

    The score of a neutral metric is its gain: it compares with the same boundaries elsewhere, and 0 is chance. A gain is 0 for a
    document without boundaries, and NaN if the score is infinite, or if the score or chance is so large that two centroids must be
    nearly equal. ``order`` is that in which documents are drawn.
    """
    scores = {name: _without_huge(metrics[name], values) for name, values in scores.items()}
    gains = {name: scores[name] for name in metrics if name not in nulls}
    for name, null in nulls.items():
        # A single draw above the limit has at least this deviation.
        wild = null.sd > HUGE / math.sqrt(null.corpus.draws)
        chance = np.where(wild, np.inf, null.mean) if _unbounded(metrics[name]) else null.mean
        with np.errstate(invalid="ignore"):
            gain = metrics[name].facts().gain(scores[name], chance)
        gains[name] = np.where(np.isnan(scores[name]), 0.0, gain)
    return Measured(
        scores={name: _finite(values[order]) for name, values in scores.items()},
        gains={name: _finite(gains[name][order]) for name in metrics},
        z={
            name: float(np.nan_to_num((nulls[name].z if name in nulls else gains[name])[order], nan=0.0).mean())
            for name in metrics
        },
        infinite={name: int((~np.isfinite(gains[name])).sum()) for name in metrics},
        over=over,
    )


def _unbounded(metric: CohesionMetric) -> bool:
    """Return whether a metric has no worst value, so that one document can dominate."""
    facts = metric.facts()
    return facts.direction == "lower" and math.isinf(facts.bounds[1])


def _without_huge(metric: CohesionMetric, values: Floats) -> Floats:
    return np.where(values > HUGE, np.inf, values) if _unbounded(metric) else values


def _finite(values: Floats) -> Sample:
    """Return the mean over the documents with a finite value."""
    finite = np.where(np.isfinite(values), values, np.nan)
    return Sample(mean_defined(finite), Statistic.mean(finite))
