# SPDX-License-Identifier: Apache-2.0
"""Systems compared pair by pair: how large a difference is, whether it can be believed, and what it is made of."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from caesura.errors import ComparabilityError
from caesura.evaluation.evaluation import Evaluation
from caesura.evaluation.intervals import check_resampling, statistics_of
from caesura.evaluation.skill import DRAWS, Expectation, expectations, system_pairs
from caesura.evaluation.verdict import Regime, Thresholds
from caesura.metrics.base import Floats, Metric
from caesura.results import Number, as_number
from caesura.statistics import Bootstrap, Exchanged, Interval, Permutation, Statistic, holm, paired_effect
from caesura.table import Column, Table, Value

__all__ = ["Comparison", "Comparisons", "compare", "gain"]

PERMUTATIONS = 9_999
_EQUAL = 1e-12  # below this two scores differ by rounding only
_MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two systems on one metric.

    Attributes
    ----------
    metric, first, second : str
        The difference is that of the first less the second.
    aggregation : {"macro", "micro"}
        How documents were put together.
    scores : (float, float)
        Of the first and of the second.
    difference : float
        Score of the first less score of the second.
    interval : Interval
        Of the difference, documents resampled for both alike.
    p : float
        By the paired permutation test, two-sided. For a metric with a target it is of the distances to the target.
    exact : bool
        Whether every permutation was tried.
    p_bootstrap : float
        The same by the paired bootstrap.
    p_corrected : float
        ``p`` after Holm's correction over all comparisons of this metric.
    family : int
        How many these are.
    effect : float
        The mean paired difference over its standard deviation; NaN for a micro score.
    documents, dropped : int
        Documents that were compared, and those left out because the metric is not defined on them for some system.
    better : str or None
        The better system by the direction of the metric; None if neither is.
    bors : (float, float)
        Boundaries per boundary of the reference, pooled.
    regimes : (str, str)
        Conservative, balanced or aggressive.
    density, placement : float or None
        What the densities give, and what the placement gives; the two add up to the difference. None if not asked for.
    """

    metric: str
    first: str
    second: str
    aggregation: str
    scores: tuple[float, float]
    difference: float
    interval: Interval
    p: float
    exact: bool
    p_bootstrap: float
    p_corrected: float
    family: int
    effect: float
    documents: int
    dropped: int
    better: str | None
    bors: tuple[float, float]
    regimes: tuple[Regime, Regime]
    density: float | None = None
    placement: float | None = None

    @property
    def delta_bor(self) -> float:
        """BOR of the first less BOR of the second."""
        return self.bors[0] - self.bors[1]

    @property
    def shifts(self) -> bool:
        """Whether the two are of different regimes, so that the difference may be one of density."""
        return self.regimes[0] != self.regimes[1]

    @property
    def mark(self) -> str:
        """Stars for the corrected p-value: * below 0.05, ** below 0.01, *** below 0.001; none where nobody is better."""
        if self.better is None:
            return ""
        return next((stars for level, stars in _MARKS if self.p_corrected < level), "")

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data; what is not defined is None."""
        return {
            "metric": self.metric,
            "first": self.first,
            "second": self.second,
            "aggregation": self.aggregation,
            "scores": [as_number(score) for score in self.scores],
            "difference": as_number(self.difference),
            "ci": [as_number(self.interval.low), as_number(self.interval.high)],
            "p": as_number(self.p),
            "p_bootstrap": as_number(self.p_bootstrap),
            "p_corrected": as_number(self.p_corrected),
            "exact": self.exact,
            "family": self.family,
            "effect": as_number(self.effect),
            "documents": self.documents,
            "dropped": self.dropped,
            "better": self.better,
            "mark": self.mark,
            "bor": [as_number(bor) for bor in self.bors],
            "delta_bor": as_number(self.delta_bor),
            "regimes": list(self.regimes),
            "regime_shift": self.shifts,
            "density": _number(self.density),
            "placement": _number(self.placement),
        }


@dataclasses.dataclass(frozen=True)
class Comparisons:
    """Every comparison of an evaluation.

    Attributes
    ----------
    items : tuple of Comparison
        Metric by metric.
    resamples, permutations, seed : int
        Of the draws.
    level : float
        Of the intervals.
    targets : mapping of str to float
        The metrics that are best near a value, and that value.
    """

    items: tuple[Comparison, ...]
    resamples: int
    permutations: int
    seed: int
    level: float
    targets: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Comparison:
        """Return a comparison by its place."""
        return self.items[place]

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.items)

    def to_list(self) -> list[dict[str, Any]]:
        """Return them as plain data."""
        return [item.as_dict() for item in self.items]

    def table(self) -> Table:
        """Return one row per comparison; the better system carries the stars."""
        titles = ["metric", "first - second", "difference", f"{100 * self.level:g} % interval", "p", "p Holm"]
        titles += ["better", "ΔBOR", "density", "placement", "regimes"]
        rows: list[list[Value]] = [
            [
                c.metric,
                f"{c.first} - {c.second}",
                c.difference,
                _interval(c.interval),
                _p(c.p),
                _p(c.p_corrected),
                f"{c.better or '-'} {c.mark}".strip(),
                c.delta_bor,
                c.density,
                c.placement,
                f"{c.regimes[0]} / {c.regimes[1]}" if c.shifts else c.regimes[0],
            ]
            for c in self.items
        ]
        return Table([Column(title) for title in titles], rows, notes=self.notes(), title="Comparison")

    def notes(self) -> list[str]:
        """Return what must be said below the numbers."""
        lines = [
            "* p < 0.05, ** p < 0.01, *** p < 0.001 after Holm's correction over the comparisons of one metric; "
            "better by the metric's direction",
            f"p: paired permutation test, {self.permutations} permutations or all of them; intervals: paired "
            f"bootstrap over documents, {self.resamples} resamples, seed {self.seed}",
        ]
        lines += [f"{name}: p is of the distance to {target:g}" for name, target in self.targets.items()]
        if any(c.density is not None for c in self.items):
            lines.append(
                "density + placement = difference: what as many boundaries give by chance, and the rest"
            )
        dropped = {
            f"{c.metric}: {c.dropped} of {c.documents + c.dropped} documents dropped, undefined for a system": None
            for c in self.items
            if c.dropped
        }
        return lines + list(dropped)


def compare(
    evaluation: Evaluation,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    baseline: str | None = None,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    chance: Mapping[str, Mapping[str, Expectation]] | None = None,
    thresholds: Thresholds | None = None,
) -> Comparisons:
    """Compare the systems of an evaluation on each of its metrics.

    Parameters
    ----------
    evaluation : Evaluation
        At least two systems against a reference.
    resamples : int
        Of the documents, for the intervals.
    permutations : int
        For the tests; where all ways to exchange two systems are not more, each is tried once.
    seed : int
        Of all draws.
    baseline : str, optional
        Compare every other system with this one, instead of all pairs.
    level : float
        Of the intervals.
    draws : int
        Random placements for the density and placement parts; 0 leaves them out.
    chance : mapping, optional
        What `caesura.evaluation.skill.expectations` returned, if it is at hand.
    thresholds : Thresholds, optional
        Where the regimes begin and end; BOR 0.8 and 1.2 if not given.

    Returns
    -------
    Comparisons
        Metric by metric; all from the same draws.

    Examples
    --------
    >>> from caesura.evaluation import evaluate
    >>> from caesura.segmentation import Segmentation
    >>> reference = {str(n): Segmentation(9, (4,)) for n in range(6)}
    >>> wrong = {key: Segmentation(9, (7,)) for key in reference}
    >>> found = compare(evaluate(reference, {"a": reference, "b": wrong}, ["F1"]))[0]
    >>> found.difference, found.p, found.better  # 2 of the 2**6 ways to exchange them
    (1.0, 0.03125, 'a')
    """
    check_resampling(resamples=resamples, permutations=permutations, level=level)
    pairs = _pairs(list(evaluation.systems), baseline)
    thresholds = thresholds or Thresholds()
    made = statistics_of(evaluation)
    n = len(evaluation.documents)
    bootstrap = Bootstrap(n, resamples, seed, level)
    every = [statistic for row in made.values() for statistic in row.values()]
    replicates = dict(zip(map(id, every), bootstrap.replicates(every), strict=True))
    couples = [(row[first], row[second]) for row in made.values() for first, second in pairs]
    exchanged = iter(Permutation(n, permutations, seed).exchanged(couples))
    if chance is None and draws:
        chance = expectations(evaluation, draws, seed)
    bors = {system: _pooled_bor(evaluation, system) for system in evaluation.systems}
    items: list[Comparison] = []
    for name, row in made.items():
        family = [
            _Pair(evaluation, name, pair, bootstrap, thresholds).compared(
                (row[pair[0]], row[pair[1]]),
                (replicates[id(row[pair[0]])], replicates[id(row[pair[1]])]),
                next(exchanged),
                (bors[pair[0]], bors[pair[1]]),
                chance,
            )
            for pair in pairs
        ]
        corrected = holm([item.p for item in family])
        size = sum(not math.isnan(p) for p in corrected)
        items += [
            dataclasses.replace(item, p_corrected=p, family=size)
            for item, p in zip(family, corrected, strict=True)
        ]
    facts = {name: metric.facts() for name, metric in evaluation.metrics.items()}
    targets = {name: fact.perfect for name, fact in facts.items() if fact.direction == "target"}
    return Comparisons(tuple(items), resamples, permutations, seed, level, targets)


@dataclasses.dataclass(frozen=True)
class _Pair:
    """Two systems on one metric, before they are compared."""

    evaluation: Evaluation
    name: str
    systems: tuple[str, str]
    bootstrap: Bootstrap
    thresholds: Thresholds

    def compared(
        self,
        statistics: tuple[Statistic, Statistic],
        replicates: tuple[Floats, Floats],
        exchanged: Exchanged,
        bors: tuple[float, float],
        chance: Mapping[str, Mapping[str, Expectation]] | None,
    ) -> Comparison:
        """Put together all that is known of the pair; the correction of p comes later."""
        first, second = self.systems
        metric = self.evaluation.metrics[self.name]
        ours, theirs = (self.evaluation.aggregates[system][self.name] for system in self.systems)
        difference, documents = ours.score - theirs.score, statistics[0].documents
        density = None
        if chance is not None:
            density = chance[first][self.name].expected - chance[second][self.name].expected
        with np.errstate(invalid="ignore"):  # infinity less infinity
            differences, gains = replicates[0] - replicates[1], gain(metric, *replicates)
        return Comparison(
            metric=self.name,
            first=first,
            second=second,
            aggregation=ours.aggregation,
            scores=(ours.score, theirs.score),
            difference=difference,
            interval=self.bootstrap.interval(differences, documents),
            p=exchanged.p_value(functools.partial(gain, metric)),
            exact=exchanged.exact,
            p_bootstrap=self.bootstrap.p_value(gains, documents),
            p_corrected=math.nan,
            family=1,
            effect=_effect(*statistics) if ours.aggregation == "macro" else math.nan,
            documents=documents,
            dropped=len(self.evaluation.documents) - documents,
            better=self._better(ours.score, theirs.score),
            bors=bors,
            regimes=(self.thresholds.regime(bors[0]), self.thresholds.regime(bors[1])),
            density=density,
            # (score_a - E_a) - (score_b - E_b), written so that the two parts add up
            placement=None if density is None else difference - density,
        )

    def _better(self, ours: float, theirs: float) -> str | None:
        more = float(gain(self.evaluation.metrics[self.name], np.array(ours), np.array(theirs)))
        if math.isnan(more) or abs(more) <= _EQUAL:
            return None
        return self.systems[0] if more > 0 else self.systems[1]


def gain(metric: Metric, first: Floats, second: Floats) -> Floats:
    """Return by how much the first scores are better than the second, by the metric's direction.

    >>> from caesura.metrics import metric
    >>> [float(gain(metric(name), np.array(0.9), np.array(1.3)).round(3)) for name in ("F1", "Pk", "BOR")]
    [-0.4, 0.4, 0.2]
    """
    facts = metric.facts()
    with np.errstate(invalid="ignore"):  # infinity less infinity
        if facts.direction == "target":
            return np.asarray(np.abs(second - facts.perfect) - np.abs(first - facts.perfect))
        return np.asarray(second - first if facts.direction == "lower" else first - second)


def _pairs(systems: list[str], baseline: str | None) -> list[tuple[str, str]]:
    if len(systems) < 2:
        raise ComparabilityError(f"{systems[0]!r} is the only system; a comparison needs at least two")
    if baseline is None:
        return list(itertools.combinations(systems, 2))
    if baseline not in systems:
        raise ComparabilityError(f"the baseline {baseline!r} is no system; there are {', '.join(systems)}")
    return [(system, baseline) for system in systems if system != baseline]


def _pooled_bor(evaluation: Evaluation, system: str) -> float:
    pairs = system_pairs(evaluation, system)
    ref, hyp = int(np.diff(pairs.ref_ptr).sum()), int(np.diff(pairs.hyp_ptr).sum())
    if ref == 0:
        return 1.0 if hyp == 0 else math.inf
    return hyp / ref


def _effect(first: Statistic, second: Statistic) -> float:
    """Return the paired effect of two means over the documents that were compared."""
    # The columns of a mean: score, and whether the document counts.
    kept = first.columns[:, 1] > 0
    return paired_effect(first.columns[kept, 0] - second.columns[kept, 0])


def _number(value: float | None) -> Number:
    return None if value is None else as_number(value)


def _interval(interval: Interval) -> Value:
    return None if math.isnan(interval.low) else f"[{interval.low:.3f}, {interval.high:.3f}]"


def _p(value: float) -> Value:
    return "< 0.001" if value < 0.001 else value
