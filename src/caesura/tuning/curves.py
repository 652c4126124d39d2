# SPDX-License-Identifier: Apache-2.0
"""Density-quality curves: scorers at every threshold instead of one, with intervals and operating points."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from caesura._version import __version__
from caesura.corpus import Corpus, drawing_order, drawing_places
from caesura.declare import nearest
from caesura.errors import ComparabilityError
from caesura.evaluation.against import EACH
from caesura.evaluation.chance.clock import nearest_period
from caesura.evaluation.evaluate.run import evaluate
from caesura.evaluation.inputs import Source
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Corpora, Outcome, metric_facts
from caesura.metrics import spelled
from caesura.metrics.base import Metric, PairwiseMetric
from caesura.placements.even import every_of_each
from caesura.placements.random import RandomPlacements
from caesura.results import Ends, Number, Resampling, Results, as_float, number
from caesura.results.sweep import facts as schema
from caesura.results.sweep.facts import Choice, EqualDensity, Point, WithoutReference
from caesura.results.validate.facts import may_be_used
from caesura.results.validate.usable import NOT_BY_WORDS, not_recommended, same_vectors
from caesura.selectors import StaticSelector
from caesura.selectors.scores import FlatScores
from caesura.statistics import Bootstrap
from caesura.tuning import policy as choice
from caesura.tuning.points import equal_density, measure_pairs, range_note, trap_notes
from caesura.tuning.policy import Policy
from caesura.tuning.without_reference import Judge

__all__ = ["AREA", "Sweep"]

_DRAWS = 200
"""The minimum number of random documents for each density; few documents are drawn several times."""
_DENSITIES = 12
AREA = (0.2, 5.0)
"""The range of BOR over which the area under a curve is taken."""


@dataclasses.dataclass(frozen=True)
class Sweep(Outcome):
    """Curves of several scorers on the same documents, whose boundaries are the reference, if there is one.

    ``points`` has the curve of each scorer, by ascending threshold, and ``scores`` the scores of its gaps. ``metrics`` are
    named as they were requested, BOR first if there is a reference; ``without_reference`` and ``judge``, who says whether a
    metric may be used, are None if there is one.
    ``choices`` are the operating points chosen so far, by scorer; they become part of the results.
    """

    documents: Source
    scorers: Mapping[str, Source]
    scores: Mapping[str, FlatScores]
    metrics: Mapping[str, Metric]
    points: Mapping[str, list[Point]]
    min_gap: int
    bootstrap: Bootstrap
    profile: str = "caesura"
    against: str = "boundaries"
    without_reference: WithoutReference | None = None
    judge: Judge | None = None
    choices: dict[str, Choice] = dataclasses.field(default_factory=dict)

    def corpora(self) -> Corpora:
        """Return the documents, and the scorers."""
        return Corpora(self.documents.corpus, {name: source.corpus for name, source in self.scorers.items()})

    def curve(self, name: str) -> list[dict[str, Number | Ends]]:
        """Return the curve of a scorer as flat rows, for a data frame: threshold, density, and each metric."""
        rows = []
        for p in self.points[name]:
            row: dict[str, Number | Ends] = {
                key: getattr(p, key) for key in ("threshold", "boundaries", "units_per_segment")
            }
            for metric in self.metrics:
                row |= {metric: p.scores[metric], f"{metric}_ci": p.intervals[metric]}
                if p.gains is not None and p.gain_intervals is not None:
                    row |= {f"{metric}_gain": p.gains[metric], f"{metric}_gain_ci": p.gain_intervals[metric]}
            rows.append(row)
        return rows

    def covered(self, name: str) -> tuple[float, float]:
        """Return the minimum and maximum BOR of a scorer's points within the range of the area; NaN if there are none."""
        bors = [bor for bor, _ in self._within(name, "BOR")]
        return (min(bors), max(bors)) if bors else (math.nan, math.nan)

    def area(self, name: str, metric: str) -> float:
        """Return the area under a metric over the logarithm of BOR between 0.2 and 5, divided by its width.

        Points outside that range are left out, and the range is not filled up: a curve that ends at BOR 2 has no area
        beyond. NaN with fewer than two points inside, or if all have the same BOR. Areas of scorers that cover different
        ranges cannot be compared (`covered`).
        """
        inside = sorted(self._within(name, metric), key=lambda pair: pair[0])
        if len(inside) < 2 or inside[0][0] == inside[-1][0]:
            return math.nan
        x, y = np.log([bor for bor, _ in inside]), np.array([score for _, score in inside])
        return float(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum() / math.log(AREA[1] / AREA[0]))

    def _within(self, name: str, metric: str) -> list[tuple[float, float]]:
        """Return BOR and a metric of the points within the range of the area."""
        self._need_reference("areas are")
        pairs = [(as_float(p.scores["BOR"]), as_float(p.scores[metric])) for p in self.points[name]]
        return [(bor, score) for bor, score in pairs if AREA[0] <= bor <= AREA[1] and not math.isnan(score)]

    def matched(self) -> list[EqualDensity]:
        """Compare scorers, each with as many boundaries in each document as the reference.

        Every document is reselected with that number (or as many as ``min_gap`` allows), so that density is the same and
        only placement differs. The interval is of the difference, with paired resampling of documents.
        """
        self._need_reference("equal density is")
        metrics = cast(Mapping[str, PairwiseMetric], self.metrics)
        return equal_density(self.documents.corpus, metrics, self.scores, self.bootstrap, self.against)

    def _need_reference(self, what: str) -> None:
        if self.without_reference is not None:
            raise ComparabilityError(f"{what} relative to a reference; sweep without reference=None")

    def policy(
        self,
        name: str | None = None,
        *,
        target_bor: float | None = None,
        best: str | None = None,
        purity_floor: float | None = None,
        max_units: float | None = None,
    ) -> Policy:
        """Choose an operating point, by one criterion; without a reference see `recommended`.

        Parameters
        ----------
        name : str, optional
            The scorer; may be left out if there is only one.
        target_bor : float, optional
            The threshold whose BOR is nearest, by ratio.
        best : str, optional
            The threshold with the best value of this metric, by its direction.
        purity_floor : float, optional
            The best coverage among thresholds whose purity is at least this.
        max_units : float, optional
            The highest threshold at which segments are at most this long on average.
        """
        criteria = (target_bor, purity_floor, max_units)
        best = None if best is None else spelled(best)
        if self.without_reference is not None:
            if any(value is not None for value in criteria):
                self._need_reference("target_bor, purity_floor and max_units are")
            return self.recommended(name, best)
        if sum(value is not None for value in (*criteria, best)) != 1:
            raise ComparabilityError("give one criterion: target_bor, best, purity_floor or max_units")
        name = self._scorer(name)
        points = self.points[name]
        if target_bor is not None:
            point, why = choice.nearest_bor(points, target_bor, name, self.min_gap)
        elif best is not None:
            choice.require(self.metrics, best)
            point, why = choice.best_point(points, best, self.metrics[best]), f"best {best}"
        elif purity_floor is not None:
            point, why = choice.best_above_purity(points, purity_floor, name, self.metrics)
        else:
            point, why = choice.at_most_units(points, max_units or 0.0, name)
        return self._chosen(name, point, why, point.scores)

    def recommended(self, name: str | None = None, metric: str | None = None) -> Policy:
        """Return the operating point recommended without a reference.

        It is the one with the fewest boundaries whose gain above chance lies within the interval of the highest gain. Nothing is
        recommended, and a `ComparabilityError` raised, if the metric may not be used here by the test of `caesura validate`.

        Parameters
        ----------
        name : str, optional
            The scorer; may be left out if there is only one.
        metric : str, optional
            The metric; by default Support if it was swept and may be used here, else Placement, else the silhouette, else the first.
            A scorer that was made with the judging vectors is judged by words.
        """
        facts = self.without_reference
        if facts is None or self.judge is None:
            raise ComparabilityError("there is a reference; choose by it with policy()")
        name, metric = self._scorer(name), None if metric is None else spelled(metric)
        metrics = self.judge.metrics
        if name in facts.same_vectors:
            metrics = {key: each for key, each in metrics.items() if not each.reads_vectors}
            if not metrics or (metric in self.metrics and metric not in metrics):
                raise ComparabilityError(f"{same_vectors([name])}; {NOT_BY_WORDS}")
        if metric is not None:
            choice.require(self.metrics, metric)
        judging = _judging(metrics)
        for used in [metric] if metric is not None else judging:
            point, why = choice.recommended_point(self.points[name], used, name, facts.limits)
            (given,) = self.scores[name].at_thresholds(np.array([point.threshold]))
            check = self.judge.check(used, given)
            if may_be_used(check.verdict):
                break
        facts.checks.setdefault(name, {})[used] = check
        if not may_be_used(check.verdict):
            raise ComparabilityError(not_recommended(name, used, check))
        for other in (each for each in judging if each != used):
            theirs, _ = choice.recommended_point(self.points[name], other, name, facts.limits)
            if theirs.threshold != point.threshold:
                why += f"; {other} would recommend {theirs.threshold:g}"
        gains = {f"{key} above chance": value for key, value in (point.gains or {}).items()}
        return self._chosen(name, point, why, {**point.scores, **gains})

    def _scorer(self, name: str | None) -> str:
        """Return the named scorer, or the only one."""
        if name is None and len(self.scores) != 1:
            raise ComparabilityError(f"there are several scorers; name one of {', '.join(self.scores)}")
        if name is None:
            return next(iter(self.scores))
        if name not in self.scores:
            raise ComparabilityError(f"there is no scorer {name!r}; {nearest(name, self.scores)}")
        return name

    def _chosen(self, name: str, point: Point, why: str, scores: Mapping[str, Number]) -> Policy:
        """Keep a point as the choice for a scorer, and return it as a policy."""
        selector = str(StaticSelector(threshold=point.threshold, min_gap=self.min_gap))
        reached = {"units_per_segment": point.units_per_segment, **scores}
        self.choices[name] = Choice(point.threshold, selector, why, dict(reached))
        return Policy(selector=selector, why=why, scorer=name, reached=reached)

    @functools.cached_property
    def _blind(self) -> dict[str, list[dict[str, Number]]]:
        """The scores of a clock and of chance at the densities of the curves, drawn once."""
        pairwise = {name: m for name, m in self.metrics.items() if isinstance(m, PairwiseMetric)}
        return _blind_curves(
            self.documents.corpus, pairwise, list(self.points.values()), self.bootstrap.seed, self.against
        )

    def results(self) -> Results:
        """Return the curves, and the operating points chosen so far, as typed data."""
        free = self.without_reference is not None
        b = self.bootstrap
        section = schema.Sweep(
            min_gap=self.min_gap,
            curves=dict(self.points),
            choices={name: self.choices[name] for name in self.scores if name in self.choices} or None,
            without_reference=self.without_reference,
        )
        if not free:
            section.area_range = AREA
            section.covered = {name: Ends(*map(number, self.covered(name))) for name in self.scores}
            section.areas = {
                name: {metric: number(self.area(name, metric)) for metric in self.metrics if metric != "BOR"}
                for name in self.scores
            }
            section.equal_density = self.matched() if len(self.scores) > 1 else None
            section.annotators = _people_on(self.documents.corpus, self.metrics, self.against) or None
            section.blind = self._blind or None
        return Results(
            question="sweep",
            caesura=__version__,
            profile=self.profile,
            against="nothing" if free else self.against,
            unit=self.documents.corpus.unit,
            seed=b.seed,
            environment=environment(),
            inputs=[
                self.documents.as_input("documents" if free else "reference"),
                *(source.as_input("scorer") for source in self.scorers.values()),
            ],
            metrics={name: metric_facts(metric) for name, metric in self.metrics.items()},
            resampling=Resampling(resamples=b.resamples, seed=b.seed, level=b.level),
            sweep=section,
            notes=[
                note
                for name, flat in self.scores.items()
                for note in (
                    *range_note(name, flat.scores, self.points[name]),
                    *(trap_notes(name, self.points[name]) if free else ()),
                )
            ],
        )


def _people_on(reference: Corpus, metrics: Mapping[str, Metric], against: str) -> dict[str, dict[str, Number]]:
    """Return the scores of each annotator on the documents that they coded: against the reference, or against the others."""
    names = dict.fromkeys(name for document in reference for name in document.annotations)
    found: dict[str, dict[str, Number]] = {}
    for name in names:
        coded = reference.annotator(name)
        others, how = reference.subset(coded.ids), "boundaries"
        if against in EACH:
            shared = [d.id for d in others.without_annotators([name]) if d.annotations]
            if not shared:
                continue
            others, coded, how = others.subset(shared).without_annotators([name]), coded.subset(shared), against
        scores = evaluate(others, {name: coded}, list(metrics.values()), against=how).scores[name]
        found[name] = {key: number(scores[str(metric)]) for key, metric in metrics.items()}
    return found


def _judging(metrics: Mapping[str, Metric]) -> list[str]:
    """Return the metrics that recommend a threshold, the first one first: those whose 0 is chance, else the silhouette, else any."""
    kinds = {metric.name(): name for name, metric in reversed(list(metrics.items()))}
    return [kinds[kind] for kind in ("Support", "Placement") if kind in kinds] or [
        kinds.get("Silhouette") or next(iter(metrics))
    ]


def _blind_curves(
    reference: Corpus,
    metrics: Mapping[str, PairwiseMetric],
    curves: Sequence[Sequence[Point]],
    seed: int,
    against: str = "boundaries",
) -> dict[str, list[dict[str, Number]]]:
    """Return the scores of clocks, and the mean scores of random boundaries, by ascending density.

    A clock has boundaries with one period in all documents; chance has as many boundaries in each document as the
    clock. The periods lie between those of the sparsest and the densest point of the curves, at equal ratios.
    """
    n_units = reference.flat.n_units
    totals = [point.boundaries for curve in curves for point in curve if point.boundaries]
    if not totals:
        return {}
    sparse, dense = (nearest_period(n_units, total) for total in (min(totals), max(totals)))
    periods = np.unique(np.geomspace(dense, sparse, _DENSITIES).round().astype(np.int64))[::-1].tolist()
    clocks = [every_of_each(n_units, period) for period in periods]
    clocks = [clock for clock in clocks if len(clock.pos)]
    draws = max(1, -(-_DRAWS // len(n_units)))
    order, as_given = drawing_order(reference.ids), drawing_places(reference.ids)
    random = [
        drawn.take(as_given)
        for place, clock in enumerate(clocks)
        for drawn in RandomPlacements(n_units[order], np.diff(clock.ptr)[order], seed=(seed, place)).draws(draws)
    ]
    scores = [
        {name: each.scores[name].score for name in metrics}
        for each in measure_pairs(reference, metrics, [*clocks, *random], against)
    ]
    chance = [scores[start : start + draws] for start in range(len(clocks), len(scores), draws)]
    return {
        "clock": [{name: number(row[name]) for name in metrics} for row in scores[: len(clocks)]],
        "chance": [
            {name: number(float(np.mean([row[name] for row in drawn]))) for name in metrics} for drawn in chance
        ],
    }
