# SPDX-License-Identifier: Apache-2.0
"""The self-degradation test: damage that is known to be there, and whether a metric without a reference notices."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.errors import ComparabilityError, DeclarationError, MetricError, and_more
from caesura.evaluation.cohesion.run import cohesion_metrics, embed_documents, on_units
from caesura.evaluation.inputs import CorpusLike, asked_metrics, read_source
from caesura.experiments.validity.facts import corpus_facts
from caesura.experiments.validity.limits import Limits, judge
from caesura.experiments.validity.report import Correlation, Trust, Validity
from caesura.experiments.validity.trials import GRADED, Damage, Noticed, Trial, do_damage, noticed, trials
from caesura.kernels import kernel
from caesura.metrics.base import Floats, Metric, PairwiseMetric
from caesura.metrics.cohesion import CohesionMetric, count_in_one_pass
from caesura.segmenters.random import checked_seed

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed

__all__ = ["DEFAULT_DISTANCES", "DEFAULT_LEVELS", "DEFAULT_VALIDATED", "validate"]

DEFAULT_VALIDATED = ("ARPpair", "ARPcos", "ARPstd", "Silhouette", "SegReFree", "SegReFree(singletons='mean')")
DEFAULT_REFERENCES = ("Pk", "WindowDiff", "B", "W-F1")
DEFAULT_LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
DEFAULT_DISTANCES = (1, 2, 3, 4)
_FEWEST = 3  # points below which a correlation says nothing


def validate(
    documents: CorpusLike,
    segmentation: CorpusLike | None = None,
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    *,
    encoders: Sequence[str | Encoder | Precomputed] = ("default",),
    references: Iterable[str] | None = None,
    levels: Sequence[float] = DEFAULT_LEVELS,
    distances: Sequence[int] = DEFAULT_DISTANCES,
    moved: Literal["one", "all"] = "all",
    draws: int = 5,
    limits: Limits | None = None,
    seed: int = 0,
    cache: Cache | bool | None = None,
    allow_download: bool = False,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    strict: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Validity:
    """Ask which metric without a reference can be believed on these documents.

    A segmentation is damaged at rising levels (boundaries removed, segments split, boundaries moved, all placed at
    random); a metric is worth something here if it scores the undamaged one better, and the more damage the worse.

    Parameters
    ----------
    documents : path or Corpus
        The texts. Those that have boundaries are gold, and only they are used if there are any.
    segmentation : path or Corpus, optional
        What is damaged where there is no gold: the output of a system. Less can be read from it, since it may be wrong.
    metrics : iterable of str or metric, optional
        Metrics without a reference; ARP, silhouette and SegReFree if not given.
    encoders : sequence of str, Encoder or Precomputed
        Each metric is tried with each.
    references : iterable of str, optional
        Pairwise metrics of the damaged against the gold, to correlate with; Pk, WindowDiff, B and W-F1 if not given.
    levels : sequence of float
        Shares of boundaries removed, and of segments split.
    distances : sequence of int
        How far boundaries are moved, in units, each to a random side.
    moved : {"one", "all"}
        Whether one boundary of a document is moved or all are.
    draws : int
        How often each damage is done.
    limits : Limits, optional
        What a metric must reach.
    seed : int
        Of all draws.
    cache, allow_download, format, strict
        As in `caesura.cohesion`.
    progress : callable, optional
        Told how many trials are done, of how many.
    """
    if draws < 1:
        raise DeclarationError(f"draws is {draws}; it must be at least 1")
    if isinstance(encoders, str):
        encoders = [encoders]
    if limits is not None and not isinstance(limits, Limits):
        raise DeclarationError("limits must be a Limits, such as Limits(better=0.9)")
    limits = limits or Limits()
    checked_seed(seed)
    if not encoders:
        raise DeclarationError("no encoder given; name at least one, such as default")
    asked = cohesion_metrics(DEFAULT_VALIDATED if metrics is None else metrics)
    corpus, gold, left_out = _base(documents, segmentation, format, strict)
    against = _references(DEFAULT_REFERENCES if references is None else references) if gold else {}
    planned = trials([*levels, limits.removal], distances, moved)
    damages = [list(do_damage(corpus, trial, draws, seed)) for trial in planned]
    losses = {name: _reference_losses(metric, corpus, damages) for name, metric in against.items()}
    found: list[Trust] = []
    facts: dict[str, Any] = {}
    steps, whole = 0, len(encoders) * len(planned)
    names: dict[str, str] = {}
    for spec in encoders:
        base, vectors = embed_documents(corpus, spec, cache, allow_download)
        if vectors.name in facts:
            raise DeclarationError(f"the encoder {vectors.name!r} is named twice; name each once")
        batch = base.with_segmentations(corpus.flat)
        facts[vectors.name] = corpus_facts(corpus, batch, seed)
        names[vectors.name] = vectors.fingerprint
        before = _scores(asked, batch)
        after: list[list[dict[str, Floats]]] = []
        for runs in damages:
            after.append([_scores(asked, batch.with_segmentations(damage.flat)) for damage in runs])
            steps += 1
            if progress is not None:
                progress(steps, whole)
        for name, metric in asked.items():
            found.append(
                _trust(
                    vectors.name, name, metric, planned, before[name],
                    [[scores[name] for scores in runs] for runs in after], damages, losses, facts[vectors.name], limits,
                )
            )  # fmt: skip
    return Validity(
        corpus=corpus,
        gold=gold,
        encoders=names,
        facts=facts,
        items=tuple(found),
        limits=limits,
        draws=draws,
        seed=seed,
        left_out=left_out,
    )


def _base(
    documents: CorpusLike,
    segmentation: CorpusLike | None,
    format: str | None,  # noqa: A002
    strict: bool,
) -> tuple[Corpus, bool, int]:
    """Return the documents with the boundaries to damage, whether these are gold, and how many documents have none."""
    source = read_source(documents, "documents", format=format, strict=strict).corpus
    marked = [key for key, there in zip(source.ids, source.present, strict=True) if there]
    gold = bool(marked)
    if gold and segmentation is not None:
        raise ComparabilityError(
            "the documents have boundaries, which are taken for gold, and a segmentation is given; leave out one of them"
        )
    if gold:
        corpus = source if len(marked) == len(source) else source.subset(marked)
    elif segmentation is None:
        raise ComparabilityError("no document has boundaries; give a segmentation of them to degrade")
    else:
        given = {"segmentation": read_source(segmentation, "segmentation", format=format, strict=strict)}
        corpus = _with_boundaries(source, on_units(given, source)[0]["segmentation"].corpus)
    usable = [key for key, size in zip(corpus.ids, np.diff(corpus.flat.ptr), strict=True) if size]
    if not usable:
        raise ComparabilityError("no document has a boundary inside, so nothing can be degraded")
    kept = corpus if len(usable) == len(corpus) else corpus.subset(usable)
    return kept, gold, len(source) - len(kept)


def _with_boundaries(source: Corpus, given: Corpus) -> Corpus:
    """Return the documents with the boundaries of a segmentation."""
    lacking = [key for key in source.ids if key not in given]
    if lacking:
        raise ComparabilityError(
            f"document {lacking[0]!r}{and_more(len(lacking))} is missing from the segmentation; add it"
        )
    documents = []
    for document in source:
        segmentation = given[document.id].segmentation
        if segmentation is None:
            raise ComparabilityError(f"document {document.id!r} of the segmentation has no boundaries")
        if segmentation.n_units != document.n_units:
            raise ComparabilityError(
                f"document {document.id!r} has {document.n_units} units, its segmentation {segmentation.n_units}; "
                "both must be of the same units"
            )
        documents.append(dataclasses.replace(document, segmentation=segmentation))
    return Corpus(documents, name=source.name, ids_are_given=source.ids_are_given)


def _references(names: Iterable[str]) -> dict[str, PairwiseMetric]:
    found: dict[str, PairwiseMetric] = {}
    names = list(names)
    for name, metric in asked_metrics(names, "caesura").items() if names else ():
        if not isinstance(metric, PairwiseMetric):
            raise MetricError(
                f"{name}: takes no reference and hypothesis, so nothing can be correlated with it"
            )
        found[name] = metric
    return found


def _scores(metrics: Mapping[str, CohesionMetric], batch: Embedded) -> dict[str, Floats]:
    tables = count_in_one_pass(list(metrics.values()), batch)
    return {name: metric.score(table) for (name, metric), table in zip(metrics.items(), tables, strict=True)}


def _reference_losses(
    metric: PairwiseMetric, corpus: Corpus, damages: Sequence[Sequence[Damage]]
) -> list[list[Floats]]:
    """Return how much worse than perfect a reference metric finds each damaged document, by trial and draw."""

    def scores(flat: Flat) -> Floats:
        gold = corpus.flat
        pairs = Pairs(gold.n_units, gold.ptr, gold.pos, flat.ptr, flat.pos, corpus.unit)
        request = metric.request(corpus.unit)
        return metric.score(
            kernel(request.kernel).count(pairs, request.parameters)[:, metric.places(request)]
        )

    perfect = scores(corpus.flat)
    return [[metric.facts().gain(perfect, scores(damage.flat)) for damage in runs] for runs in damages]


def _trust(
    encoder: str,
    name: str,
    metric: CohesionMetric,
    planned: Sequence[Trial],
    before: Floats,
    after: Sequence[Sequence[Floats]],
    damages: Sequence[Sequence[Damage]],
    losses: Mapping[str, Sequence[Sequence[Floats]]],
    facts: Any,
    limits: Limits,
) -> Trust:
    results = [
        noticed(trial, metric, before, scores, [damage.changed for damage in runs])
        for trial, scores, runs in zip(planned, after, damages, strict=True)
    ]
    monotonicity: dict[str, tuple[float, float]] = {
        kind: _follows([r for r in results if r.trial.kind == kind]) for kind in GRADED
    }
    removals = [r for r in results if r.trial.kind == "removal"]
    at = next(r for r in removals if math.isclose(r.trial.level, limits.removal))
    random = next(r for r in results if r.trial.kind == "random")
    strongest = (_strong_enough(removals) or removals)[-1]
    known = [value[0] for value in monotonicity.values() if not math.isnan(value[0])]
    verdict = judge(
        removal=at.share,
        random=random.share,
        strongest=strongest.share,
        correlation=float(np.mean(known)) if known else math.nan,
        documents=min(at.documents, random.documents, strongest.documents),
        facts=facts,
        limits=limits,
    )
    correlations = {
        reference: _correlation(metric, before, after, by_trial) for reference, by_trial in losses.items()
    }
    return Trust(encoder, name, tuple(results), monotonicity, correlations, verdict)


def _strong_enough(results: Sequence[Noticed]) -> list[Noticed]:
    """Return the levels that can be judged in at least half as many documents as the best of them.

    Near 100 % hardly a document keeps a boundary, and 10 % of four boundaries is none: such a level says nothing.
    """
    most = max(r.documents for r in results)
    return [r for r in results if r.documents and r.documents >= most / 2]


def _follows(results: Sequence[Noticed]) -> tuple[float, float]:
    """Return the rank correlation of level and loss: of the corpus, and the mean over documents.

    The loss of the corpus is the median over the documents that are judged at every level, so that all levels speak of the
    same ones and an infinite loss counts as the largest. Level 0, no damage and no loss, is a point of every curve.
    """
    if not results:
        return math.nan, math.nan
    kept = _strong_enough(results)
    if not kept:
        return math.nan, math.nan
    levels = np.array([0.0, *(r.trial.level for r in kept)])
    table = np.stack([r.per_document for r in kept])
    common = ~np.isnan(table).any(axis=0)
    curve = (
        np.array([0.0, *np.median(table[:, common], axis=1)])
        if common.any()
        else np.full(len(levels), np.nan)
    )
    own = [
        _rank_correlation(levels, np.array([0.0, *column]))
        for column in table.T
        if (~np.isnan(column)).sum() >= _FEWEST - 1
    ]
    own = [value for value in own if not math.isnan(value)]
    return _rank_correlation(levels, curve), float(np.mean(own)) if own else math.nan


def _rank_correlation(first: Floats, second: Floats) -> float:
    kept = ~np.isnan(first) & ~np.isnan(second)
    if kept.sum() < _FEWEST or len(set(first[kept])) == 1 or len(set(second[kept])) == 1:
        return math.nan
    from scipy.stats import spearmanr  # type: ignore[import-untyped]

    return float(spearmanr(first[kept], second[kept]).statistic)


def _correlation(
    metric: Metric,
    before: Floats,
    after: Sequence[Sequence[Floats]],
    losses: Sequence[Sequence[Floats]],
) -> Correlation:
    """Correlate the loss of the metric with the loss of a reference metric, over documents, trials and draws."""
    ours = np.concatenate([metric.facts().gain(before, scores) for runs in after for scores in runs])
    theirs = np.concatenate([loss for runs in losses for loss in runs])
    kept = np.isfinite(ours) & np.isfinite(theirs)
    if kept.sum() < _FEWEST or np.ptp(ours[kept]) == 0 or np.ptp(theirs[kept]) == 0:
        return Correlation(math.nan, math.nan, math.nan, int(kept.sum()))
    from scipy.stats import kendalltau, pearsonr, spearmanr

    x, y = ours[kept], theirs[kept]
    return Correlation(
        float(pearsonr(x, y).statistic),
        float(spearmanr(x, y).statistic),
        float(kendalltau(x, y).statistic),
        len(x),
    )
