# SPDX-License-Identifier: Apache-2.0
"""Points measured without a reference: cohesion above chance, and the share of segments that are too long.

A raw cohesion score drifts with the number of segments, so its best value says nothing about the best threshold. Each
point is therefore compared with random segmentations with as many boundaries in each document and the same minimum
distance: its gain is the score minus their mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Flat, Ints
from caesura.corpus import Corpus, drawing_order
from caesura.errors import ComparabilityError, DeclarationError, and_more
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.cohesion.embedding import embed_documents
from caesura.evaluation.cohesion.null import NullDistribution, RandomSegmentations
from caesura.evaluation.cohesion.run import DEFAULT_COHESION, cohesion_metrics
from caesura.metrics.base import Floats, Metric
from caesura.metrics.cohesion import HUGE, CohesionMetric, count_in_one_pass
from caesura.results.base import EncoderFacts
from caesura.results.sweep import LengthLimits, WithoutReference
from caesura.statistics import Statistic
from caesura.tuning.points import Measured, Sample

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed

__all__ = ["cohesion_points"]


def cohesion_points(
    corpus: Corpus,
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
) -> tuple[dict[str, CohesionMetric], list[Measured], WithoutReference]:
    """Measure every segmentation of a corpus; return the metrics, the measurements, and the facts for the results."""
    if draws < 2:
        raise DeclarationError(f"draws is {draws}; a distribution needs at least 2")
    requested = cohesion_metrics(DEFAULT_COHESION if metrics is None else metrics)
    words = None if limits.tokens is None else _words_before(corpus)
    base, vectors = embed_documents(corpus, encoder, cache, allow_download)
    random, order = RandomSegmentations(("count",), draws, seed, min_gap), drawing_order(corpus.ids)
    measured: list[Measured] = []
    for flat in segmentations:
        batch = base.with_segmentations(flat)
        tables = count_in_one_pass(list(requested.values()), batch)
        scores = {name: m.score(table) for (name, m), table in zip(requested.items(), tables, strict=True)}
        nulls = random.distributions(scores, requested, batch)["count"]
        measured.append(_above_chance(requested, scores, nulls, _shares_over(flat, limits, words), order))
        if progress is not None:
            progress(len(measured), len(segmentations))
    used = EncoderFacts(name=vectors.name, fingerprint=vectors.fingerprint, dim=vectors.dim)
    return requested, measured, WithoutReference(encoder=used, limits=limits, draws=draws)


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

    A gain is 0 for a document without boundaries, and NaN if the score is infinite, or if the score or chance is so large
    that two centroids must be nearly equal. ``order`` is that in which documents are drawn.
    """
    scores = {name: _without_huge(metrics[name], values) for name, values in scores.items()}
    gains = {}
    for name, null in nulls.items():
        # A single draw above the limit has at least this deviation.
        wild = null.sd > HUGE / math.sqrt(null.draws)
        chance = np.where(wild, np.inf, null.mean) if _unbounded(metrics[name]) else null.mean
        with np.errstate(invalid="ignore"):
            gain = metrics[name].facts().gain(scores[name], chance)
        gains[name] = np.where(np.isnan(scores[name]), 0.0, gain)
    return Measured(
        scores={name: _finite(values[order]) for name, values in scores.items()},
        gains={name: _finite(values[order]) for name, values in gains.items()},
        z={name: float(np.nan_to_num(null.z[order], nan=0.0).mean()) for name, null in nulls.items()},
        infinite={name: int((~np.isfinite(gain)).sum()) for name, gain in gains.items()},
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
