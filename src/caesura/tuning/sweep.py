# SPDX-License-Identifier: Apache-2.0
"""Density-quality curves: a scorer at every threshold instead of one, with intervals."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from caesura._version import __version__
from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.corpus import Corpus
from caesura.declare import nearest
from caesura.errors import ComparabilityError, MetricError
from caesura.evaluation.inputs import CorpusLike, SystemsLike, asked_metrics, read_source, read_systems
from caesura.metrics import metric as find_metric
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.metrics.pairwise.bor import BOR
from caesura.metrics.profiles import profile as find_profile
from caesura.results import as_number
from caesura.selectors import StaticSelector
from caesura.selectors.scores import FlatScores
from caesura.statistics import Bootstrap, Interval
from caesura.table import Column, Table, Value
from caesura.tuning.policy import Policy
from caesura.tuning.resampled import resample
from caesura.tuning.selection import scores_beside

__all__ = ["AREA", "Point", "Sweep", "sweep", "threshold_grid"]

AREA = (0.2, 5.0)
"""The range of BOR over which the area under a curve is taken."""

DEFAULT_SWEEP = ("F1", "W-F1", "W-F1(matching='one_to_one')", "Purity", "Coverage")
_INSTEAD = ("CovN", "CovD")  # where a tolerance must be given first


@dataclasses.dataclass(frozen=True)
class Point:
    """One threshold of one scorer: BOR and every metric, each with its interval."""

    threshold: float
    boundaries: int
    units_per_segment: float
    scores: dict[str, float]
    intervals: dict[str, Interval]


def sweep(
    reference: CorpusLike,
    scorers: SystemsLike,
    metrics: Iterable[str] | str | None = None,
    *,
    thresholds: Sequence[float] | None = None,
    quantiles: int | None = None,
    min_gap: int = 1,
    resamples: int = 1000,
    seed: int = 0,
    profile: str = "caesura",
    format: str | None = None,  # noqa: A002  (the word of the command line)
    strict: bool = False,
) -> Sweep:
    """Score every threshold of every scorer against a reference.

    Parameters
    ----------
    reference : path, Corpus, or mapping of id to Segmentation
        What is right.
    scorers : mapping of name to path or Corpus, or paths
        Documents with one score per gap.
    metrics : iterable of str, optional
        Metrics beside BOR; F1, W-F1 by both matchings, purity and coverage if not given.
    thresholds : sequence of float, optional
        The thresholds; 0.05, 0.10, ... 0.95 if neither these nor quantiles are given.
    quantiles : int, optional
        Take this many thresholds at equal steps of the scorer's own distribution instead.
    min_gap : int
        Least distance of two boundaries.
    resamples, seed : int
        Of the bootstrap over documents.
    profile : str
        Whose conventions the metrics follow.
    format : str, optional
        The format of the files; detected if not given.
    strict : bool
        Refuse unknown keys in files.

    Examples
    --------
    >>> from caesura.corpus import Document
    >>> from caesura.segmentation import Segmentation
    >>> scored = Corpus([Document(id="d", n_units=5, scores=(0.1, 0.9, 0.3, 0.6))])
    >>> s = sweep({"d": Segmentation(5, (2, 4))}, {"m": scored}, metrics=["F1"], thresholds=[0.2, 0.5, 0.8])
    >>> [(point.threshold, round(point.scores["BOR"], 2), point.scores["F1"]) for point in s.points["m"]]
    [(0.2, 1.5, 0.8), (0.5, 1.0, 1.0), (0.8, 0.5, 0.6666666666666666)]
    """
    if thresholds is not None and quantiles is not None:
        raise ComparabilityError("give thresholds or quantiles, not both")
    if quantiles is not None and quantiles < 2:
        raise ComparabilityError(f"quantiles is {quantiles}; two or more make a curve")
    if find_profile(profile).swap:
        raise ComparabilityError(
            f"profile {profile!r} exchanges reference and hypothesis, and so turns BOR over"
        )
    source = read_source(reference, "reference", format=format, strict=strict).corpus
    systems = {name: s.corpus for name, s in read_systems(scorers, format=format, strict=strict).items()}
    scores = {name: scores_beside(source, corpus, name, min_gap) for name, corpus in systems.items()}
    wanted = _default_metrics(source.unit) if metrics is None else metrics
    asked: dict[str, PairwiseMetric] = {"BOR": BOR()}
    for name, metric in asked_metrics(wanted, profile).items():
        if not isinstance(metric, PairwiseMetric):
            raise MetricError(f"{name}: a sweep takes metrics of a reference and a hypothesis")
        asked[name] = metric
    grid = {name: threshold_grid(thresholds, quantiles, flat) for name, flat in scores.items()}
    return Sweep(source, scores, asked, grid, min_gap, Bootstrap(len(source), resamples, seed), profile)


def _default_metrics(unit: str) -> list[str]:
    """Return the standard set; segments instead of boundaries where a tolerance would have to be given."""
    usable = [name for name in DEFAULT_SWEEP if not find_metric(name).needs_distance(unit)]
    return usable if len(usable) == len(DEFAULT_SWEEP) else [*usable, *_INSTEAD]


def threshold_grid(given: Sequence[float] | None, quantiles: int | None, flat: FlatScores) -> Floats:
    """Return the thresholds of a sweep: those given, quantiles of the scores, or 0.05, 0.10, ... 0.95."""
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


@dataclasses.dataclass(frozen=True)
class Sweep:
    """Curves of several scorers against one reference.

    Attributes
    ----------
    reference : Corpus
        What is right.
    scores : mapping of str to FlatScores
        The scorers.
    metrics : mapping of str to metric
        BOR and what was asked for.
    thresholds : mapping of str to float64[T]
        The thresholds of each scorer, ascending.
    min_gap : int
        Least distance of two boundaries.
    bootstrap : Bootstrap
        How documents are resampled.
    profile : str
        Whose conventions the metrics follow.
    """

    reference: Corpus
    scores: Mapping[str, FlatScores]
    metrics: Mapping[str, PairwiseMetric]
    thresholds: Mapping[str, Floats]
    min_gap: int
    bootstrap: Bootstrap
    profile: str = "caesura"

    @functools.cached_property
    def points(self) -> dict[str, list[Point]]:
        """The curve of each scorer, by ascending threshold."""
        flats = {
            name: list(scores.at_thresholds(self.thresholds[name])) for name, scores in self.scores.items()
        }
        batches = [self._pairs(flat) for each in flats.values() for flat in each]
        measured = resample(self.metrics, batches, self.bootstrap)
        units = int(self.reference.flat.n_units.sum())
        found: dict[str, list[Point]] = {}
        place = 0
        for name, each in flats.items():
            found[name] = []
            for threshold, flat in zip(self.thresholds[name], each, strict=True):
                here = {metric: resampled[place] for metric, resampled in measured.items()}
                place += 1
                found[name].append(
                    Point(
                        threshold=float(threshold),
                        boundaries=len(flat.pos),
                        units_per_segment=units / (len(flat.pos) + len(flat)),
                        scores={metric: r.score for metric, r in here.items()},
                        intervals={
                            metric: self.bootstrap.interval(r.draws, r.documents)
                            for metric, r in here.items()
                        },
                    )
                )
        return found

    def _pairs(self, hypothesis: Flat) -> Pairs:
        flat = self.reference.flat
        return Pairs(flat.n_units, flat.ptr, flat.pos, hypothesis.ptr, hypothesis.pos, self.reference.unit)

    def curve(self, name: str) -> list[dict[str, Any]]:
        """Return the curve of a scorer as rows: threshold, boundaries, BOR and each metric, each with its interval."""
        rows = []
        for point in self.points[name]:
            row: dict[str, Any] = {
                "threshold": point.threshold,
                "boundaries": point.boundaries,
                "units_per_segment": point.units_per_segment,
            }
            for metric, score in point.scores.items():
                row[metric] = as_number(score)
                interval = point.intervals[metric]
                row[f"{metric}_ci"] = [as_number(interval.low), as_number(interval.high)]
            rows.append(row)
        return rows

    def area(self, name: str, metric: str) -> float:
        """Return the area under a metric over the logarithm of BOR between 0.2 and 5, divided by its width.

        Points outside that range are left out, and the range is not filled up: a curve that ends at BOR 2 has no area
        beyond. NaN with fewer than two points inside, or where all have one BOR. Areas of scorers that cover different ranges
        cannot be compared (`covered`).
        """
        inside = [
            (p.scores["BOR"], p.scores[metric])
            for p in self.points[name]
            if AREA[0] <= p.scores["BOR"] <= AREA[1] and not math.isnan(p.scores[metric])
        ]
        if len(inside) < 2:
            return math.nan
        inside.sort(key=lambda pair: pair[0])
        x, y = np.log([bor for bor, _ in inside]), np.array([score for _, score in inside])
        if x[0] == x[-1]:
            return math.nan
        return float(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum() / math.log(AREA[1] / AREA[0]))

    def covered(self, name: str) -> tuple[float, float]:
        """Return the least and greatest BOR of a scorer's points within the range of the area; NaN if there is none."""
        inside = [p.scores["BOR"] for p in self.points[name] if AREA[0] <= p.scores["BOR"] <= AREA[1]]
        return (min(inside), max(inside)) if inside else (math.nan, math.nan)

    def matched(self) -> list[dict[str, Any]]:
        """Return the differences between scorers when each takes as many boundaries as the reference has.

        Every document is selected again to the reference's count (or as many as ``min_gap`` leaves room for), so that
        density is the same and only placement differs. The interval is of the difference, documents resampled together.
        """
        counts = np.diff(self.reference.flat.ptr)
        names = list(self.scores)
        pairs = [self._pairs(self.scores[name].at_counts(counts)) for name in names]
        found = []
        for metric_name, resampled in resample(self.metrics, pairs, self.bootstrap).items():
            scores = [r.score for r in resampled]
            table = np.column_stack([r.draws for r in resampled])
            for i in range(len(names)):
                for j in range(i + 1, len(names)):
                    interval = self.bootstrap.interval(table[:, i] - table[:, j], len(self.reference))
                    found.append(
                        {
                            "metric": metric_name,
                            "first": names[i],
                            "second": names[j],
                            "first_score": as_number(scores[i]),
                            "second_score": as_number(scores[j]),
                            "difference": as_number(scores[i] - scores[j]),
                            "ci": [as_number(interval.low), as_number(interval.high)],
                        }
                    )
        return found

    # ------------------------------------------------------------------ operating points

    def policy(
        self,
        name: str | None = None,
        *,
        target_bor: float | None = None,
        best: str | None = None,
        purity_floor: float | None = None,
        max_units: float | None = None,
    ) -> Policy:
        """Choose an operating point.

        Parameters
        ----------
        name : str, optional
            The scorer; the only one if there is one.
        target_bor : float, optional
            The threshold whose BOR is nearest, by ratio.
        best : str, optional
            The threshold with the best value of this metric, by its direction.
        purity_floor : float, optional
            The best coverage among thresholds whose purity is at least this.
        max_units : float, optional
            The highest threshold at which segments are at most this long on average.
        """
        asked = [x for x in (target_bor, best, purity_floor, max_units) if x is not None]
        if len(asked) != 1:
            raise ComparabilityError(
                "say one thing to choose by: target_bor, best, purity_floor or max_units"
            )
        if name is None:
            if len(self.scores) != 1:
                raise ComparabilityError(f"several scorers; say for which: {', '.join(self.scores)}")
            name = next(iter(self.scores))
        if name not in self.scores:
            raise ComparabilityError(f"there is no scorer {name!r}; {nearest(name, self.scores)}")
        point, why = self._choose(name, target_bor, best, purity_floor, max_units)
        return Policy(
            selector=str(StaticSelector(threshold=point.threshold, min_gap=self.min_gap)),
            why=why,
            scorer=name,
            reached={
                "units_per_segment": point.units_per_segment,
                **{m: as_number(v) for m, v in point.scores.items()},
            },
        )

    def _choose(
        self,
        name: str,
        target_bor: float | None,
        best: str | None,
        purity_floor: float | None,
        max_units: float | None,
    ) -> tuple[Point, str]:
        points = self.points[name]
        if target_bor is not None:
            if not target_bor > 0:
                raise ComparabilityError(f"target_bor is {target_bor}; it must be above 0")
            reachable = [p for p in points if p.scores["BOR"] > 0 and math.isfinite(p.scores["BOR"])]
            if not reachable:
                raise ComparabilityError(
                    f"{name!r} sets no boundary at any threshold; lower the thresholds"
                    if len(self.reference.flat.pos)
                    else "the reference has no boundary, so there is no BOR to choose by; say --max-units instead"
                )
            point = min(reachable, key=lambda p: abs(math.log(p.scores["BOR"] / target_bor)))
            return point, f"BOR nearest {target_bor:g}{self._short_of(target_bor, reachable)}"
        if best is not None:
            return self._best(points, best), f"best {best}"
        if purity_floor is not None:
            self._needs("Purity", "Coverage")
            enough = [p for p in points if p.scores["Purity"] >= purity_floor]
            if not enough:
                top = max(p.scores["Purity"] for p in points)
                raise ComparabilityError(
                    f"no threshold of {name!r} reaches purity {purity_floor:g}; the most is {top:.3f}"
                )
            return self._best(enough, "Coverage"), f"best coverage with purity at least {purity_floor:g}"
        short = [p for p in points if p.units_per_segment <= (max_units or 0)]
        if not short:
            least = min(p.units_per_segment for p in points)
            raise ComparabilityError(
                f"no threshold of {name!r} makes segments of {max_units:g} units; the shortest are {least:.1f}"
            )
        return max(short, key=lambda p: p.threshold), f"at most {max_units:g} units per segment on average"

    def _short_of(self, target_bor: float, points: list[Point]) -> str:
        """Say that a density lies beyond what the thresholds reach, or nothing."""
        reached = [p.scores["BOR"] for p in points]
        if min(reached) <= target_bor <= max(reached):
            return ""
        end = f"at most {max(reached):.3g}" if target_bor > max(reached) else f"at least {min(reached):.3g}"
        return f", which is out of reach: these thresholds with min_gap={self.min_gap} give {end}"

    def _best(self, points: list[Point], metric: str) -> Point:
        self._needs(metric)
        card = self.metrics[metric].card
        known = [p for p in points if not math.isnan(p.scores[metric])]
        if not known:
            raise ComparabilityError(f"{metric} is not defined at any threshold")
        return min(known, key=lambda p: card.badness(p.scores[metric]))

    def _needs(self, *metrics: str) -> None:
        for metric in metrics:
            if metric not in self.metrics:
                raise MetricError(
                    f"{metric} was not swept; add it to the metrics ({', '.join(self.metrics)})"
                )

    # ------------------------------------------------------------------ showing

    def tables(self) -> list[Table]:
        """Return the curve of each scorer, the areas, and the differences at matched density."""
        found = [self._curve_table(name) for name in self.scores]
        others = [metric for metric in self.metrics if metric != "BOR"]
        rows: list[list[Value]] = [
            [name, *self.covered(name), *(self.area(name, metric) for metric in others)]
            for name in self.scores
        ]
        notes = [
            f"area under each metric over the logarithm of BOR, from the first to the last point within [{AREA[0]:g}, {AREA[1]:g}], "
            "divided by the width of that range"
        ]
        if len(self.scores) > 1:
            notes.append(
                "no best is marked: scorers that cover different ranges of BOR cannot be compared by area; see equal density"
            )
        columns = [
            Column("scorer"),
            Column("from BOR", digits=2),
            Column("to BOR", digits=2),
            *map(Column, others),
        ]
        found.append(Table(columns, rows, notes=notes, title="Area under the curve"))
        if len(self.scores) > 1:
            found.append(self._matched_table())
        return found

    def _curve_table(self, name: str) -> Table:
        rows: list[list[Value]] = []
        for point in self.points[name]:
            row: list[Value] = [point.threshold, point.boundaries]
            for label, score in point.scores.items():
                interval = point.intervals[label]
                row += [score, "" if math.isnan(interval.low) else f"{interval.low:.3f}..{interval.high:.3f}"]
            rows.append(row)
        columns = [Column("threshold"), Column("boundaries")]
        for label, metric in self.metrics.items():
            direction = None if label == "BOR" else metric.card.direction
            columns += [Column(label, direction, metric.card.perfect), Column("95 %")]
        b = self.bootstrap
        note = f"min_gap {self.min_gap}; intervals: documents resampled {b.resamples} times, seed {b.seed}"
        if self.profile != "caesura":
            note = f"profile {self.profile}; {note}"
        return Table(columns, rows, notes=[note], title=name)

    def _matched_table(self) -> Table:
        rows: list[list[Value]] = [
            [d["metric"], d["first"], d["second"], _value(d["first_score"]), _value(d["second_score"]), _value(d["difference"]),
             f"{_value(d['ci'][0]):.3f}..{_value(d['ci'][1]):.3f}"]
            for d in self.matched()
            if d["metric"] != "BOR"
        ]  # fmt: skip
        titles = ("metric", "first", "second", "first score", "second score", "difference", "95 %")
        note = "every document selected again to the reference's number of boundaries: same density, other places"
        return Table([Column(t) for t in titles], rows, notes=[note], title="At equal density")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "schema": "caesura.sweep/1",
            "caesura": __version__,
            "documents": len(self.reference),
            "unit": self.reference.unit,
            "min_gap": self.min_gap,
            "profile": self.profile,
            "resamples": self.bootstrap.resamples,
            "seed": self.bootstrap.seed,
            "curves": {name: self.curve(name) for name in self.scores},
            "covered": {name: [as_number(end) for end in self.covered(name)] for name in self.scores},
            "areas": {
                name: {m: as_number(self.area(name, m)) for m in self.metrics if m != "BOR"}
                for name in self.scores
            },
            "matched_density": self.matched() if len(self.scores) > 1 else [],
        }


def _value(number: float | str | None) -> float:
    return math.nan if number is None else float(number)
