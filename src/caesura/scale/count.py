# SPDX-License-Identifier: Apache-2.0
"""Counting of one shard: evaluate its documents, and keep the numbers that can be merged."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, Unpack

import numpy as np

from caesura._version import __version__
from caesura.batches.pairs import Missing
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError
from caesura.evaluation.evaluate import Evaluation, evaluate
from caesura.evaluation.inputs import CorpusLike, SystemsLike
from caesura.evaluation.matching import Durations, Match
from caesura.evaluation.measurement import Rows
from caesura.files import file_hash, split_format, split_text
from caesura.metrics import listed_metrics
from caesura.metrics.base import Aggregation, Floats, Metric, PairwiseMetric
from caesura.metrics.profiles import profile as find_profile
from caesura.results import number
from caesura.scale.shard import (
    BINS,
    KeptCounts,
    MetricPart,
    Reading,
    ShardResult,
    StoredMoments,
    SystemPart,
    Worst,
    key_of,
)
from caesura.statistics.moments import Joint

__all__ = ["WORST", "Options", "content_hash", "count", "recipe_of", "shard_key"]

WORST = 10
"""The number of worst documents kept for each system and metric."""


class Options(TypedDict, total=False):
    """The options of `evaluate` that apply to a shard."""

    against: str
    by: Aggregation | None
    profile: str
    missing: Missing
    match: Match
    duration: str | None
    durations: Durations | None
    cut: int | str | None
    threads: int
    format: str | None
    strict: bool


def count(
    reference: CorpusLike,
    systems: SystemsLike,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    keep_counts: bool = False,
    **options: Unpack[Options],
) -> ShardResult:
    """Count one shard: some documents of the reference with those of every system.

    Parameters
    ----------
    reference, systems, metrics
        As in `caesura.evaluate`; every document must be in one shard only, with all its systems.
    keep_counts : bool
        Whether to keep the counts of every document too: if all shards do, the merged result has the score of every
        document, and the intervals and tests of a single evaluation.
    **options
        Options of `caesura.evaluate`: against, by, profile, missing, match, duration, durations, cut, threads, format, strict.

    Examples
    --------
    >>> from caesura.segmentation import Segmentation
    >>> shards = [{"d1": Segmentation(9, (4,))}, {"d2": Segmentation(5, (2,))}]
    >>> from caesura.scale import finish, merge
    >>> merged = merge([count(shard, {"a": shard}, ["F1"]) for shard in shards])
    >>> finish(merged).systems["a"]["F1"].score
    1.0
    """
    # Several shards usually run at once, each on one processor.
    options["threads"] = options.get("threads") or 1
    evaluation = evaluate(reference, systems, metrics, part=True, **options)
    if not isinstance(evaluation, Evaluation):
        raise ComparabilityError("shards are counted against one reference; against='annotators' has several")
    named = {"": reference, **(systems if isinstance(systems, Mapping) else {})}
    result = _reduced(evaluation, recipe_of(metrics, **options), _reading(named, options))
    if keep_counts:
        result.counts = KeptCounts.of(evaluation.documents, evaluation.count_tables())
    return result


def recipe_of(metrics: Iterable[str | Metric] | str | Metric | None, **options: Unpack[Options]) -> dict[str, object]:
    """Return the options that every shard of a run must share; threads and formats have no effect."""
    return {
        "caesura": __version__,
        "metrics": None
        if metrics is None
        else [str(each) for each in listed_metrics(metrics, find_profile(options.get("profile", "caesura")).names)],
        "against": options.get("against", "boundaries"),
        "by": options.get("by"),
        "profile": find_profile(options.get("profile", "caesura")).name,
        "missing": options.get("missing", "error"),
        "match": options.get("match", "id"),
        "duration": options.get("duration"),
        "durations": None if (durations := options.get("durations")) is None else str(durations),
        "cut": options.get("cut"),
    }


def _reading(named: Mapping[str, object], options: Options) -> list[str | None]:
    """Return the formats of the inputs: those of FILE::FORMAT, and the common one of all others."""
    paths = (value for value in named.values() if isinstance(value, (str, os.PathLike)))
    return [options.get("format"), *(split_text(path)[1] for path in paths)]


def _reduced(evaluation: Evaluation, recipe: dict[str, object], formats: list[str | None]) -> ShardResult:
    """Return the shard result of an evaluation."""
    documents = content_hash(evaluation.reference.corpus)
    systems = {name: source.sha256 or content_hash(source.corpus) for name, source in evaluation.systems.items()}
    return ShardResult(
        key=key_of(recipe, formats, {"": evaluation.reference.sha256 or documents, **systems}),
        caesura=__version__,
        recipe=recipe,
        contents=[documents],
        unit=evaluation.unit,
        documents=len(evaluation.documents),
        inputs=evaluation.inputs(),
        readings={
            name: Reading(
                missing=len(counted.missing),
                fitted=len(counted.fitted),
                elsewhere=counted.elsewhere,
                endless=counted.endless,
                assumed=dict(evaluation.systems[name].assumed),
                remarks=[r for r in [evaluation.systems[name].remark] if r],
            )
            for name, counted in evaluation.counted.items()
        },
        metrics={name: _metric_part(evaluation, name) for name in evaluation.metrics},
    )


def shard_key(
    reference: str,
    systems: Mapping[str, str],
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    **options: Unpack[Options],
) -> str | None:
    """Return the key of the result of some files, from their bytes alone; None for folders."""
    files = {"": reference, **systems}
    if any(not split_format(path)[0].is_file() for path in files.values()):
        return None
    hashes = {name: file_hash(split_format(path)[0]) for name, path in files.items()}
    return key_of(recipe_of(metrics, **options), _reading(files, options), hashes)


def content_hash(corpus: Corpus) -> str:
    """Return a hash of the ids and segmentations of documents."""
    ids = [key.encode("utf-8", "surrogatepass") for key in (corpus.unit, *corpus.ids)]
    digest = hashlib.sha256(b"".join(ids))
    lengths = np.fromiter(map(len, ids), np.int64, len(ids))
    for array in (lengths, corpus.flat.n_units, corpus.flat.ptr, corpus.flat.pos):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _metric_part(evaluation: Evaluation, name: str) -> MetricPart:
    metric = evaluation.metrics[name]
    rows = {system: evaluation.rows(system, name) for system in evaluation.systems}
    used = evaluation.used(name)
    request = evaluation.requests[name]
    return MetricPart(
        metric=str(metric),
        used=int(used.sum()),
        moments=StoredMoments.of(Joint.of(evaluation.statistics()[name]).moments),
        systems={
            system: _system_part(
                metric,
                row,
                evaluation.counted[system].tables[request].extremes,
                evaluation.documents,
                pooled=evaluation.aggregation(name) == "micro",
            )
            for system, row in rows.items()
        },
    )


def _system_part(
    metric: PairwiseMetric, row: Rows, extremes: Floats, documents: Sequence[str], *, pooled: bool
) -> SystemPart:
    undefined = np.isnan(row.scores) if pooled else ~row.included
    return SystemPart(
        undefined=int(undefined.sum()),
        extremes=[[number(value) for value in line] for line in extremes.tolist()],
        histogram=_histogram(row.scores),
        worst=_worst(metric, row.scores, documents),
    )


def _histogram(scores: Floats) -> list[int]:
    """Count the defined scores in equal bins from 0 to 1; the first and the last bin hold scores outside."""
    defined = scores[~np.isnan(scores)]
    places = np.searchsorted(np.arange(BINS + 1) / BINS, defined, side="right")
    places[defined == 1.0] = BINS
    return [int(each) for each in np.bincount(places, minlength=BINS + 2)]


def _worst(metric: PairwiseMetric, scores: Floats, documents: Sequence[str]) -> list[Worst]:
    """Return the worst documents, the worst first; ties are ordered by id."""
    badness = np.asarray(metric.facts().badness(scores))
    defined = np.flatnonzero(~np.isnan(badness))
    if len(defined) > WORST:
        limit = np.partition(badness[defined], len(defined) - WORST)[len(defined) - WORST]
        certain, tied = defined[badness[defined] > limit], defined[badness[defined] == limit]
        # Of very many ties only the first ids are kept.
        first = sorted(tied.tolist(), key=lambda place: documents[place])[: WORST - len(certain)]
        defined = np.array([*certain.tolist(), *first], dtype=np.int64)
    ranked = [Worst(float(badness[i]), documents[i], number(float(scores[i]))) for i in defined.tolist()]
    return sorted(ranked, key=lambda each: (-each.badness, each.document))
