# SPDX-License-Identifier: Apache-2.0
"""The figure of a sweep: one panel per metric, one curve with its band per scorer.

Against a reference a metric is drawn over BOR, without one its gain above chance over segments per 100 units.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from caesura.results import Number, Results, as_float
from caesura.results.panels import (
    Panel,
    Spec,
    axis,
    concatenated,
    metric_title,
    names_apart,
    needed,
    plain_name,
    read_off,
)
from caesura.results.sweep.facts import Point, Sweep

__all__ = ["figure"]

_TICKS = tuple(digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5))
_SEGMENT_TICKS = [1, 2, 5, 10, 20, 50, 100]
_DENSEST = 20.0  # a longer axis would compress the middle without showing more


def figure(results: Results) -> Spec:
    """Return the curves of a sweep as a Vega-Lite specification.

    Against a reference the axis is the logarithm of BOR over the range of the area, extended to the maximum of the curves,
    up to 20; points without a boundary are not shown. Bands are the intervals, diamonds the operating
    points.
    """
    sweep = needed(results.sweep, results, "curves", "sweep")
    names = names_apart(sweep.curves)
    if sweep.without_reference is None:
        panels = [_over_bor(results, sweep, metric, names) for metric in results.metrics if metric != "BOR"]
    else:
        panels = [_above_chance(sweep, metric, names) for metric in results.metrics]
    title = f"Density and {'quality' if sweep.without_reference is None else 'cohesion'}"
    return concatenated(panels, list(names.values()), title, _subtitle(results, sweep, names))


def _marked(sweep: Sweep) -> list[tuple[str, Point]]:
    return [
        (name, point)
        for name, choice in (sweep.choices or {}).items()
        for point in sweep.curves[name]
        if point.threshold == choice.threshold
    ]


# ---------------------------------------------------------------------- against a reference


def _over_bor(results: Results, sweep: Sweep, metric: str, names: Mapping[str, str]) -> Panel:
    facts = results.metrics[metric]
    domain = _domain(sweep)
    rows: list[Spec] = []
    for name, label in names.items():
        rows += _reaching([_bor_row(label, point, metric) for point in sweep.curves[name]], domain)
    people = _points(((plain_name(name), scores) for name, scores in (sweep.annotators or {}).items()), metric, domain)
    lines = ((name, scores) for name, curve in (sweep.blind or {}).items() for scores in curve)
    blind = _points(lines, metric, domain)
    marked = [_bor_row(names[name], point, metric) for name, point in _marked(sweep)]
    bounds = (as_float(facts.bounds[0]), as_float(facts.bounds[1]))
    heights = _heights([*rows, *people, *blind], domain, bounds)
    ticks = [tick for tick in _TICKS if domain[0] <= tick <= domain[1]]
    scale = {"type": "log", "domain": list(domain), "nice": False}
    options: Spec = {"values": ticks, "format": "~g", "labelOverlap": False}
    return Panel(
        title=metric_title(results, metric),
        rows=rows,
        marked=[row for row in marked if row is not None and domain[0] <= row["bor"] <= domain[1]],
        x=axis("bor", "BOR: boundaries per boundary of the reference", scale, **options),
        y=axis("score", None, {"zero": False, "nice": True, **heights}, tickCount=5),
        line={"bor": 1.0},
        tooltip=read_off(bor=("BOR", ".3f"), score=("score", ".3f"), low=("95 % from", ".3f"), high=("95 % to", ".3f")),
        clip={"clip": True},
        people=people,
        blind=blind,
    )


def _points(named: Iterable[tuple[str, Mapping[str, Number]]], metric: str, domain: tuple[float, float]) -> list[Spec]:
    """Return named scores within the axis as points."""
    rows: list[Spec] = []
    for name, scores in named:
        bor, score = as_float(scores["BOR"]), as_float(scores[metric])
        if domain[0] <= bor <= domain[1] and math.isfinite(score):
            rows.append({"name": name, "bor": bor, "score": score, "low": score, "high": score})
    return rows


def _bor_row(label: str, point: Point, metric: str) -> Spec | None:
    """Return a point as data of the figure; None if it is outside the axes."""
    bor, score = as_float(point.scores["BOR"]), as_float(point.scores[metric])
    if not (0 < bor < math.inf) or not math.isfinite(score):
        return None
    low, high = _band(point.intervals[metric], score)
    return {
        "scorer": label, "threshold": point.threshold, "bor": bor, "score": score, "low": low, "high": high,
    }  # fmt: skip


def _band(interval: tuple[float | None, float | None], middle: float) -> tuple[float, float]:
    """Return the ends of a band; without an interval it has no width."""
    low, high = (end if end is not None and math.isfinite(end) else middle for end in interval)
    return low, high


def _reaching(rows: Sequence[Spec | None], domain: tuple[float, float]) -> list[Spec]:
    """Return the points inside the axis, and the next one outside on each side, so that curves reach the edge."""
    placed = sorted((row for row in rows if row is not None), key=lambda row: float(row["bor"]))
    below = sum(row["bor"] < domain[0] for row in placed)
    inside = sum(row["bor"] <= domain[1] for row in placed)
    return placed[max(below - 1, 0) : inside + 1]


def _heights(rows: Sequence[Spec], domain: tuple[float, float], bounds: tuple[float, float]) -> Spec:
    """Return the range of the vertical axis: that of the visible points, with a margin."""
    inside = [row for row in rows if domain[0] <= row["bor"] <= domain[1]]
    low, high = min((r["low"] for r in inside), default=0.0), max((r["high"] for r in inside), default=1.0)
    room = 0.04 * (high - low) or 0.05
    return {"domain": [max(low - room, bounds[0]), min(high + room, bounds[1])]}


def _domain(sweep: Sweep) -> tuple[float, float]:
    low, high = sweep.area_range or (1.0, 1.0)
    reached = [as_float(scores["BOR"]) for scores in (sweep.annotators or {}).values()]
    reached += [as_float(p.scores["BOR"]) for points in sweep.curves.values() for p in points]
    return low, min(max([high, *(bor for bor in reached if bor < math.inf)]), _DENSEST)


# ---------------------------------------------------------------------- without a reference


def _above_chance(sweep: Sweep, metric: str, names: Mapping[str, str]) -> Panel:
    rows = [_gain_row(label, point, metric) for name, label in names.items() for point in sweep.curves[name]]
    least = min(row["per_100"] for row in rows)
    ticks = [tick for tick in _SEGMENT_TICKS if tick >= least / 2]
    return Panel(
        title=f"{plain_name(metric)} above chance",
        rows=rows,
        marked=[_gain_row(names[name], point, metric) for name, point in _marked(sweep)],
        x=axis("per_100", "segments per 100 units", {"type": "log", "nice": False}, values=ticks, format="~g"),
        y=axis("gain", None, {"zero": True}, tickCount=5),
        line={"gain": 0},
        tooltip=read_off(per_100=("segments per 100", ".1f"), score=("score", ".3f"), gain=("above chance", ".3f")),
        clip={},
    )


def _gain_row(label: str, point: Point, metric: str) -> Spec:
    score, gain = point.scores[metric], as_float((point.gains or {})[metric])
    low, high = _band((point.gain_intervals or {})[metric], gain)
    return {
        "scorer": label, "threshold": point.threshold, "per_100": 100 / point.units_per_segment,
        "score": score if score is not None and math.isfinite(score) else None, "gain": gain, "low": low, "high": high,
    }  # fmt: skip


# ---------------------------------------------------------------------- words


def _subtitle(results: Results, sweep: Sweep, names: Mapping[str, str]) -> list[str]:
    r, bands = results.resampling, ""
    documents = results.inputs[0].documents if results.inputs else 0
    if r is not None:
        bands = f"bands: {100 * r.level:g} %, documents resampled {r.resamples} times (seed {r.seed})"
    if results.profile != "caesura":
        bands += f"; profile {results.profile}"
    if sweep.without_reference is not None:
        encoder = plain_name(sweep.without_reference.encoder.name)
        diamonds = "; diamonds: recommended" if sweep.choices else ""
        return [
            f"{documents} documents, no reference, vectors of {encoder}; above 0 is better than as many random boundaries",
            bands + diamonds,
        ]
    return [
        f"{documents} documents, min_gap {sweep.min_gap}; grey line: as many boundaries as the reference",
        bands + ("; dots: annotators" if sweep.annotators else ""),
        *(["as dense without reading the text: a clock (dashed) and chance (dotted)"] if sweep.blind else []),
        *(
            f"Diamond: chosen for {names[name]}: threshold {choice.threshold:g} ({choice.why})"
            for name, choice in (sweep.choices or {}).items()
        ),
    ]
