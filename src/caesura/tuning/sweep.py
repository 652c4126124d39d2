# SPDX-License-Identifier: Apache-2.0
"""The function that sweeps the thresholds of scorers, against a reference or without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING

import numpy as np

from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.against import EACH, chosen_source, one_choice
from caesura.evaluation.inputs import CorpusLike, SystemsLike, read_source, read_systems, requested_metrics
from caesura.evaluation.intervals import check_resampling
from caesura.evaluation.matching import Match, matched
from caesura.metrics import metric as find_metric
from caesura.metrics.base import Floats, Metric, PairwiseMetric
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.profiles import profile as find_profile
from caesura.results.sweep.facts import LengthLimits
from caesura.selectors.scores import FlatScores
from caesura.statistics import Bootstrap
from caesura.tuning.curves import Sweep
from caesura.tuning.points import measure_pairs, points
from caesura.tuning.select import scores_beside

if TYPE_CHECKING:
    from caesura.encoders import Cache, Encoder, Precomputed

__all__ = ["DEFAULT_SWEEP", "sweep"]

DEFAULT_SWEEP = ("F1", "W-F1", "W-F1(matching='one_to_one')", "Purity", "Coverage")
_INSTEAD = ("CovN", "CovD")  # for units on which W-F1 would need an explicit tolerance

Metrics = Iterable[str | Metric] | str | Metric | None


def sweep(
    documents: CorpusLike | None = None,
    scorers: SystemsLike = (),
    metrics: Metrics = None,
    *,
    reference: CorpusLike | EllipsisType | None = ...,
    thresholds: Sequence[float] | None = None,
    quantiles: int | None = None,
    min_gap: int = 1,
    resamples: int = 1000,
    seed: int = 0,
    profile: str = "caesura",
    against: str = "boundaries",
    encoder: str | Encoder | Precomputed | None = None,
    max_units: int | None = None,
    max_tokens: int | None = None,
    over: float | None = None,
    draws: int | None = None,
    cache: Cache | bool | None = None,
    allow_download: bool = False,
    format: str | None = None,  # noqa: A002  (the word of the command line)
    columns: str | None = None,
    marks: str | None = None,
    strict: bool = False,
    match: Match = "id",
    progress: Callable[[int, int], None] | None = None,
) -> Sweep:
    """Score every threshold of every scorer, against a reference or without one.

    Parameters
    ----------
    documents : path, Corpus, or mapping of id to Segmentation
        The documents; their boundaries are the reference. With ``reference=None`` their texts are read instead.
    scorers : mapping of name to path or Corpus, or paths
        The same documents with one score per gap.
    metrics : iterable of str or metric, optional
        Against a reference, the metrics in addition to BOR: F1, W-F1 by both matchings, purity and coverage if not given.
        Without one, cohesion metrics: Support, Placement, ARPpair and Silhouette if not given, and ``Placement(of='words')`` if a
        scorer was made with the encoder, as its file says.
    reference : path, Corpus, mapping or None, optional
        None sweeps cohesion, without a reference. A reference may also be given here instead of ``documents``.
    thresholds : sequence of float, optional
        The thresholds; 0.05, 0.10, ... 0.95 if neither these nor quantiles are given.
    quantiles : int, optional
        Take this many thresholds at equal steps of each scorer's own distribution instead.
    min_gap : int
        Minimum distance between two boundaries.
    resamples, seed : int
        Bootstrap resamples of the documents, and the random seed.
    profile : str
        The conventions that the metrics follow; only against a reference.
    against : str
        Which boundaries of the reference count as true: ``"boundaries"``, ``"annotators"`` (the mean over them), ``"best"``,
        ``"consensus=0.5"`` or ``"annotator=NAME"``, as in `caesura.evaluate`.
    encoder : str, Encoder or Precomputed, optional
        The encoder of the texts [``default``]; this and the following only without a reference.
    max_units, max_tokens : int, optional
        Maximum length of a segment in units, and in words.
    over : float, optional
        The share of segments that may be longer than the limits [0.05].
    draws : int, optional
        Random segmentations per threshold [30].
    cache, allow_download
        As in `caesura.cohesion`.
    format, columns, marks, strict, match
        As in `caesura.evaluate`.
    progress : callable, optional
        Called with the number of thresholds done and the total.

    Examples
    --------
    >>> from caesura.corpus import Corpus, Document
    >>> from caesura.segmentation import Segmentation
    >>> scored = Corpus([Document(id="d", n_units=5, scores=(0.1, 0.9, 0.3, 0.6))])
    >>> s = sweep({"d": Segmentation(5, (2, 4))}, {"m": scored}, metrics=["F1"], thresholds=[0.2, 0.5, 0.8])
    >>> [(point.threshold, round(point.scores["BOR"], 2), point.scores["F1"]) for point in s.points["m"]]
    [(0.2, 1.5, 0.8), (0.5, 1.0, 1.0), (0.8, 0.5, 0.6666666666666666)]
    """
    check_resampling(resamples=resamples, seed=seed)
    free, profile = reference is None, find_profile(profile).name
    given = _one_of(documents, reference)
    if not free:
        _refuse_without_reference(encoder=encoder, max_units=max_units, max_tokens=max_tokens, over=over, draws=draws)
    elif profile != "caesura":
        raise ComparabilityError(f"profile {profile!r} is for metrics of a reference; leave out reference=None")
    source = read_source(
        given, "documents" if free else "reference", format=format, columns=columns, marks=marks, strict=strict
    )
    if not free:
        # The union stands for the annotators wherever one segmentation of each document is needed, as for its length.
        source = chosen_source(source, "consensus=0" if one_choice(against) in EACH else against)
    elif against != "boundaries":
        raise ComparabilityError(f"against {against!r} is for a reference; leave out reference=None (--no-reference)")
    systems = matched(
        read_systems(scorers, format=format, columns=columns, marks=marks, strict=strict), source.corpus, match
    )
    scores = {
        name: scores_beside(source.corpus, system.corpus, name, min_gap, reference=not free)
        for name, system in systems.items()
    }
    grid = {name: _grid(thresholds, quantiles, flat) for name, flat in scores.items()}
    flats = [flat for name, each in scores.items() for flat in each.at_thresholds(grid[name])]
    bootstrap = Bootstrap(len(source.corpus), resamples, seed)
    requested: Mapping[str, Metric]
    if free:
        from caesura.tuning.without_reference import cohesion_points

        limits = LengthLimits(units=max_units, tokens=max_tokens, over=0.05 if over is None else over)
        requested, measured, facts, judge = cohesion_points(
            source.corpus, systems, metrics, flats, encoder=encoder or "default", limits=limits,
            draws=30 if draws is None else draws, seed=seed, min_gap=min_gap, cache=cache,
            allow_download=allow_download, progress=progress,
        )  # fmt: skip
    else:
        requested = pairwise = _pairwise_metrics(metrics, source.corpus.unit, profile)
        measured, facts, judge = measure_pairs(source.corpus, pairwise, flats, against), None, None
    every = iter(points(np.concatenate(list(grid.values())).tolist(), flats, measured, bootstrap))
    curves = {name: [next(every) for _ in each] for name, each in grid.items()}
    return Sweep(source, systems, scores, requested, curves, min_gap, bootstrap, profile, against, facts, judge)


def _one_of(documents: CorpusLike | None, reference: CorpusLike | EllipsisType | None) -> CorpusLike:
    """Return the documents, or the reference that was given instead."""
    if documents is None:
        if reference is None or isinstance(reference, EllipsisType):
            raise ComparabilityError("no documents given; give a path, a Corpus or a mapping first")
        return reference
    if reference is not None and not isinstance(reference, EllipsisType):
        raise ComparabilityError("the reference is given twice; give it first, or as reference=, not both")
    return documents


def _refuse_without_reference(**options: object) -> None:
    """Raise if an option was given that a sweep against a reference does not use."""
    for name, value in options.items():
        if value is not None:
            raise ComparabilityError(f"{name} is for a sweep without a reference; add reference=None")


def _pairwise_metrics(metrics: Metrics, unit: str, profile: str) -> dict[str, PairwiseMetric]:
    """Return BOR and the metrics of a sweep against a reference."""
    if find_profile(profile).swap:
        raise ComparabilityError(
            f"profile {profile!r} exchanges reference and hypothesis, which inverts BOR; choose another"
        )
    usable = [name for name in DEFAULT_SWEEP if not find_metric(name).needs_distance(unit)]
    default = usable if len(usable) == len(DEFAULT_SWEEP) else [*usable, *_INSTEAD]
    pairwise: dict[str, PairwiseMetric] = {"BOR": BOR()}
    for name, metric in requested_metrics(default if metrics is None else metrics, profile).items():
        if not isinstance(metric, PairwiseMetric):
            raise MetricError(
                f"{name}: is not a pairwise metric, which a sweep against a reference needs; use one such as W-F1"
            )
        pairwise[name] = metric
    return pairwise


def _grid(given: Sequence[float] | None, quantiles: int | None, flat: FlatScores) -> Floats:
    """Return the thresholds of a scorer: those given, quantiles of its scores, or 0.05, 0.10, ... 0.95."""
    if given is not None and quantiles is not None:
        raise ComparabilityError("thresholds and quantiles exclude each other; give one, not both")
    if quantiles is not None and quantiles < 2:
        raise ComparabilityError(f"quantiles is {quantiles}; it must be at least 2 to make a curve")
    if given is not None:
        values = np.asarray(given, dtype=np.float64)
        if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
            raise ComparabilityError("thresholds must be finite numbers, at least one")
        return np.unique(values)
    if quantiles is None:
        return np.round(np.arange(0.05, 0.951, 0.05), 10)
    if not len(flat.scores):
        return np.zeros(1)
    return np.unique(np.percentile(flat.scores, np.linspace(0, 100, quantiles)))
