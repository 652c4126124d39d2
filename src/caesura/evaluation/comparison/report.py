# SPDX-License-Identifier: Apache-2.0
"""What a comparison of systems says, as data and as a table."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from caesura.evaluation.chance.verdict import Regime
from caesura.results import Number, as_number
from caesura.statistics import Interval
from caesura.table import Column, Table, Value

__all__ = ["Comparison", "Comparisons", "PartsBy"]

PartsBy = Literal["equal density", "chance"]

_MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
_HOW: dict[PartsBy, str] = {
    "equal density": "both have scores; placement is what is left when every document is selected again to the "
    "reference's number of boundaries, density the rest",
    "chance": "boundaries only; density is what as many boundaries give by chance, placement the rest",
}


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
    parts_by : {"equal density", "chance"} or None
        How they were told apart: with the scores of both systems at hand, the placement part is the difference that is
        left when every document is selected again to the reference's number of boundaries; else it is what each has
        above its own chance level.
    placement_interval : Interval or None
        Of the difference at equal density.
    by_chance : (float, float) or None
        Density and placement by chance, where ``parts_by`` is "equal density" and chance was drawn too.
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
    parts_by: PartsBy | None = None
    placement_interval: Interval | None = None
    by_chance: tuple[float, float] | None = None

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
            "ci": _ends(self.interval),
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
            "parts_by": self.parts_by,
            "placement_ci": _ends(self.placement_interval),
            "by_chance": None
            if self.by_chance is None
            else {
                "density": as_number(self.by_chance[0]),
                "placement": as_number(self.by_chance[1]),
            },
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

    def _pairs_by(self) -> dict[PartsBy, list[str]]:
        """Return the pairs whose parts were told apart in one way, by that way."""
        found: dict[PartsBy, dict[str, None]] = {}
        for c in self.items:
            if c.parts_by is not None:
                found.setdefault(c.parts_by, {})[f"{c.first} - {c.second}"] = None
        return {how: list(pairs) for how, pairs in found.items()}

    def notes(self) -> list[str]:
        """Return what must be said below the numbers."""
        lines = [
            "* p < 0.05, ** p < 0.01, *** p < 0.001 after Holm's correction over the comparisons of one metric; "
            "better by the metric's direction",
            f"p: paired permutation test, {self.permutations} permutations or all of them; intervals: paired "
            f"bootstrap over documents, {self.resamples} resamples, seed {self.seed}",
        ]
        lines += [f"{name}: p is of the distance to {target:g}" for name, target in self.targets.items()]
        lines += [
            f"density + placement = difference, {', '.join(pairs)}: {_HOW[how]}"
            for how, pairs in self._pairs_by().items()
        ]
        dropped = {
            f"{c.metric}: {c.dropped} of {c.documents + c.dropped} documents dropped, undefined for a system": None
            for c in self.items
            if c.dropped
        }
        return lines + list(dropped)


def _number(value: float | None) -> Number:
    return None if value is None else as_number(value)


def _ends(interval: Interval | None) -> list[Number] | None:
    return None if interval is None else [as_number(interval.low), as_number(interval.high)]


def _interval(interval: Interval) -> Value:
    return None if math.isnan(interval.low) else f"[{interval.low:.3f}, {interval.high:.3f}]"


def _p(value: float) -> Value:
    return "< 0.001" if value < 0.001 else value
