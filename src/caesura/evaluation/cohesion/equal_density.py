# SPDX-License-Identifier: Apache-2.0
"""Two systems compared without a reference, as they are and at equal density.

More boundaries change every cohesion score, wherever they are. Each pair is therefore also compared with density removed:
where the denser system of a document gives scores of its gaps, it keeps its best-scored boundaries, as many as the other
has. Otherwise each score is taken relative to what as many boundaries give at random places in the same document.

Both differences are means over the same documents, those where all four numbers are finite. The others are counted.
"""

from __future__ import annotations

import itertools
import operator
from typing import TYPE_CHECKING

import numpy as np

from caesura.batches.flat import Flat, Ints, starts_of
from caesura.evaluation.aggregate import mean_defined
from caesura.evaluation.compare.paired import corrected
from caesura.evaluation.intervals import ends_of
from caesura.evaluation.measurement import Bools
from caesura.evaluation.validate.judging import check_metrics
from caesura.metrics.base import Floats
from caesura.results import AtEqualDensity, Comparison, Ends, Number, Resampling, as_float, number
from caesura.results.compare.facts import How
from caesura.results.validate.facts import BLIND, MetricCheck, may_be_used
from caesura.statistics import Bootstrap, Permutation, Statistic, holm
from caesura.statistics.moments import Joint

if TYPE_CHECKING:
    from caesura.evaluation.cohesion.report import Cohesion

__all__ = ["Checks", "check_systems", "compare_at_equal_density"]

Checks = dict[str, dict[str, MetricCheck]]
"""System to metric; the blind metric is among them."""
_ALPHA = 0.05


def compare_at_equal_density(cohesion: Cohesion, resampling: Resampling) -> list[Comparison]:
    """Compare all pairs of systems on every metric, as means over documents.

    ``better`` is the better system at equal density, if its corrected p-value is below 0.05 and the metric may name one
    (`caesura.evaluation.cohesion.equal_density`).
    """
    pairs = list(itertools.combinations(cohesion.systems, 2))
    comparisons: list[Comparison] = []
    for name, metric in cohesion.metrics.items():
        lower = metric.facts().direction == "lower"
        family = corrected([_compare(cohesion, name, pair, resampling) for pair in pairs])
        levels = [item.equal for item in family if item.equal is not None]
        for item, equal, p in zip(family, levels, holm([as_float(each.p_corrected) for each in levels]), strict=True):
            equal.p_corrected = number(p)
            if p < _ALPHA and _may_name(cohesion, name, item.first, item.second):
                item.better = item.first if (as_float(equal.difference) > 0) != lower else item.second
        comparisons += family
    return comparisons


def _compare(cohesion: Cohesion, name: str, pair: tuple[str, str], resampling: Resampling) -> Comparison:
    """Return the comparison as the systems are, and at equal density; p-values are not corrected yet."""
    own = [cohesion.per_document(system, name) for system in pair]
    how, level = _without_density(cohesion, name, pair, own)
    used = np.isfinite(own[0]) & np.isfinite(own[1])
    if how != "none":
        used &= np.isfinite(level[0]) & np.isfinite(level[1])
    order = cohesion.drawn_in
    own, level, used = [each[order] for each in own], [each[order] for each in level], used[order]
    difference, interval, p, exact = _paired(own, used, resampling)
    equal_difference, equal_interval, equal_p, _ = _paired(level, used & (how != "none"), resampling)
    return Comparison(
        metric=name,
        first=pair[0],
        second=pair[1],
        scores=(number(mean_defined(own[0][used])), number(mean_defined(own[1][used]))),
        difference=difference,
        interval=interval,
        p=p,
        p_corrected=None,
        exact=exact,
        better=None,
        documents=int(used.sum()),
        dropped=int(len(used) - used.sum()),
        equal=AtEqualDensity(difference=equal_difference, interval=equal_interval, p_corrected=equal_p, how=how),
    )


def _without_density(
    cohesion: Cohesion, name: str, pair: tuple[str, str], own: list[Floats]
) -> tuple[How, list[Floats]]:
    """Return how density was removed, and the scores of both systems without it."""
    both = [np.diff(cohesion.batches[system].segmentations.ptr) for system in pair]
    if (both[0] == both[1]).all():
        return "equal", own
    if cohesion.metrics[name].neutral:
        return "neutral", own
    fewer = np.minimum(*both)
    thinned = [_thinned(cohesion, system, fewer) for system in pair]
    if all(flat is not None for flat in thinned):
        metric = cohesion.metrics[name]
        return "scores", [
            metric.score(metric.count(cohesion.batches[system].with_segmentations(flat)))
            for system, flat in zip(pair, thinned, strict=True)
            if flat is not None
        ]
    if "count" in cohesion.sampling.kinds:
        nulls = cohesion.chance()
        return "chance", [score - nulls[system][name]["count"].mean for system, score in zip(pair, own, strict=True)]
    return "none", [np.full(len(score), np.nan) for score in own]


def _thinned(cohesion: Cohesion, system: str, counts: Ints) -> Flat | None:
    """Return the best-scored boundaries of a system, ``counts`` per document; None if a document lacks scores.

    A document that has no more boundaries stays as it is and needs no scores. Only the system's own boundaries are kept,
    and with them the spacing that its selector respected.
    """
    flat = cohesion.batches[system].segmentations
    corpus = cohesion.systems[system].corpus
    parts = []
    for row, key in enumerate(cohesion.documents):
        own = flat.pos[flat.ptr[row] : flat.ptr[row + 1]]
        if len(own) > counts[row]:
            document = corpus[key]
            if document.scores is None or len(document.scores) != flat.n_units[row] - 1:
                return None
            values = np.array([document.scores[gap - 1] for gap in own.tolist()])
            own = np.sort(own[np.argsort(-values, kind="stable")[: counts[row]]])
        parts.append(own)
    return Flat(flat.n_units, starts_of([len(part) for part in parts]), np.concatenate(parts))


def _paired(scores: list[Floats], used: Bools, resampling: Resampling) -> tuple[Number, Ends, Number, bool]:
    """Return the mean difference over the documents used, its interval, p, and whether p is exact."""
    n, seed = len(used), resampling.seed
    if not used.any():
        return None, Ends(None, None), None, False
    first, second = (Statistic.mean(np.where(used, score, 0.0), used) for score in scores)
    if not resampling.resamples:
        found = Joint.of({"first": first, "second": second}).between("first", "second", operator.sub)
        return number(found.value), ends_of(found.interval(resampling.level)), number(found.p_value), False
    bootstrap = Bootstrap(n, resampling.resamples, seed, resampling.level)
    drawn = bootstrap.replicates([first, second])
    interval = ends_of(bootstrap.interval(drawn[0] - drawn[1], first.documents))
    difference = number(first.value - second.value)
    if used.sum() < 2:
        return difference, interval, None, False
    exchanged = Permutation(n, seed=seed).exchanged([(first, second)])[0]
    return difference, interval, number(exchanged.p_value()), exchanged.exact


def check_systems(cohesion: Cohesion, seed: int) -> Checks:
    """Damage the boundaries of the documents, or else those of each system, and say which metrics may be used."""
    corpus = cohesion.source.corpus
    if len(corpus.flat.pos):
        batch = next(iter(cohesion.batches.values())).with_segmentations(corpus.flat)
        found = check_metrics(cohesion.metrics, corpus, batch, gold=True, seed=seed)
        return dict.fromkeys(cohesion.systems, found)
    return {
        system: check_metrics(cohesion.metrics, corpus, batch, gold=False, seed=seed)
        for system, batch in cohesion.batches.items()
    }


def _may_name(cohesion: Cohesion, metric: str, *systems: str) -> bool:
    """Say whether a metric may name the better of these systems."""
    checks = cohesion.checks
    if metric == BLIND:
        return False
    if cohesion.metrics[metric].reads_vectors and not set(systems).isdisjoint(cohesion.same_vectors):
        return False
    return checks is None or any(may_be_used(checks[system][metric].verdict) for system in systems)
