# SPDX-License-Identifier: Apache-2.0
"""The figure of a sweep: one panel per metric, one curve with its band per scorer.

Against a reference a metric is drawn over BOR, without one its gain above chance over segments per 100 units.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from caesura.errors import ComparabilityError
from caesura.reports.figures.base import VEGA_LITE
from caesura.results import Results, as_float
from caesura.results.sweep import Point, Sweep
from caesura.table import one_line

__all__ = ["sweep_figure"]

Spec = dict[str, Any]

# Okabe and Ito's colours without black and yellow, which is too pale for a line; then the same ones dashed.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_TICKS = tuple(digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5))
_SEGMENT_TICKS = [1, 2, 5, 10, 20, 50, 100]
_DENSEST = 20.0  # beyond, the middle would be squeezed and nothing is to be learned
_WIDTH, _HEIGHT, _PANELS_A_ROW = 300, 210, 3
_CONFIG: Spec = {
    "background": "white",
    "font": "sans-serif",
    "title": {"fontSize": 16, "subtitleFontSize": 12, "subtitleColor": "#444", "subtitlePadding": 6},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "gridColor": "#e4e4e4"},
    "legend": {"labelFontSize": 12, "labelLimit": 260, "symbolStrokeWidth": 3, "symbolSize": 250},
    "view": {"stroke": "#bbb"},
}
_DIAMOND: Spec = {
    "type": "point", "shape": "diamond", "size": 130, "filled": True, "stroke": "black", "strokeWidth": 1.5, "opacity": 1,
}  # fmt: skip


def sweep_figure(results: Results) -> Spec:
    """Return the curves of a sweep as a Vega-Lite specification.

    Against a reference the axis is the logarithm of BOR over the range of the area, and on to what the curves reach
    above it, up to 20; points without a boundary have no place on it. Bands are the intervals, diamonds the operating
    points.

    Parameters
    ----------
    results : Results
        The results of a sweep; `caesura.sweep` gives them by ``results()``.
    """
    sweep = results.sweep
    if sweep is None:
        raise ComparabilityError(
            f"these are results of {results.question!r}; a figure needs those of a sweep"
        )
    names = dict(zip(sweep.curves, _names_apart([_plain_name(name) for name in sweep.curves]), strict=True))
    if sweep.without_reference is None:
        panels = [_over_bor(results, sweep, metric, names) for metric in results.metrics if metric != "BOR"]
    else:
        panels = [_above_chance(sweep, metric, names) for metric in results.metrics]
    quality = "quality" if sweep.without_reference is None else "cohesion"
    return {
        "$schema": VEGA_LITE,
        "title": {
            "text": f"Density and {quality}",
            "subtitle": _subtitle(results, sweep, names),
            "anchor": "start",
            "offset": 14,
        },
        "columns": min(len(panels), _PANELS_A_ROW),
        "spacing": 26,
        "concat": [_panel(panel, list(names.values())) for panel in panels],
        "config": _CONFIG,
    }


@dataclasses.dataclass(frozen=True)
class _Panel:
    """What a panel shows: rows of points, those to mark, the axes, a line to compare with, and what to read off."""

    title: str
    rows: list[Spec]
    marked: list[Spec]
    x: Spec
    y: Spec
    line: Spec
    tooltip: list[Spec]
    clip: Spec


def _panel(panel: _Panel, order: Sequence[str]) -> Spec:
    """Return one panel: the line to compare with, bands, curves, invisible points to read off, diamonds."""
    # The symbols would take the pale opacity of the bands.
    legend = {"title": None, "orient": "top", "symbolType": "stroke", "symbolOpacity": 1, "columns": 4}
    looks = range(len(order))
    scorer: Spec = {"field": "scorer", "type": "nominal", "legend": legend}
    colours = [_COLOURS[n % len(_COLOURS)] for n in looks]
    dashes = [_DASHES[n // len(_COLOURS) % len(_DASHES)] for n in looks]
    color = {**scorer, "sort": list(order), "scale": {"domain": list(order), "range": colours}}
    dash = {**scorer, "scale": {"domain": list(order), "range": dashes}}
    x, y, clip = panel.x, panel.y, panel.clip
    ((field, value),) = panel.line.items()
    direction = "x" if field == x["field"] else "y"
    layers: list[Spec] = [
        {"data": {"values": [{field: value}]}, "mark": {"type": "rule", "color": "#999", "strokeDash": [3, 3]},
         "encoding": {direction: {"field": field, "type": "quantitative"}}},
        {"mark": {"type": "area", "opacity": 0.16, **clip, "tooltip": False},
         "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": color}},
        {"mark": {"type": "line", "strokeWidth": 2, **clip},
         "encoding": {"x": x, "y": y, "color": color, "strokeDash": dash}},
        {"mark": {"type": "point", "size": 40, "opacity": 0, **clip},
         "encoding": {"x": x, "y": y, "color": color, "tooltip": panel.tooltip}},
    ]  # fmt: skip
    if panel.marked:
        encoding = {"x": x, "y": y, "color": color, "tooltip": panel.tooltip}
        layers.append({"data": {"values": panel.marked}, "mark": _DIAMOND, "encoding": encoding})
    return {
        "title": {"text": panel.title, "anchor": "start", "fontSize": 13, "fontWeight": "bold"},
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": panel.rows},
        "layer": layers,
    }


def _axis(field: str, title: str | None, scale: Spec, **axis: Any) -> Spec:
    return {"field": field, "type": "quantitative", "scale": scale, "axis": {"title": title, **axis}}


def _read_off(**titles: tuple[str, str]) -> list[Spec]:
    """Return what a point tells when it is pointed at: field to title and number format."""
    scorer = {"field": "scorer", "type": "nominal", "title": "scorer"}
    return [scorer] + [
        {"field": field, "type": "quantitative", "title": title, "format": form}
        for field, (title, form) in titles.items()
    ]


def _marked(sweep: Sweep) -> list[tuple[str, Point]]:
    """Return the points that were chosen, with their scorers."""
    return [
        (name, point)
        for name, choice in (sweep.choices or {}).items()
        for point in sweep.curves[name]
        if point.threshold == choice.threshold
    ]


# ---------------------------------------------------------------------- against a reference


def _over_bor(results: Results, sweep: Sweep, metric: str, names: Mapping[str, str]) -> _Panel:
    facts = results.metrics[metric]
    domain = _domain(sweep)
    rows: list[Spec] = []
    for name, label in names.items():
        rows += _reaching([_bor_row(label, point, metric) for point in sweep.curves[name]], domain)
    marked = [_bor_row(names[name], point, metric) for name, point in _marked(sweep)]
    bounds = (as_float(facts.bounds[0]), as_float(facts.bounds[1]))
    better = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(facts.direction, "")
    ticks = [tick for tick in _TICKS if domain[0] <= tick <= domain[1]]
    return _Panel(
        title=_plain_name(metric) + better,
        rows=rows,
        marked=[row for row in marked if row is not None and domain[0] <= row["bor"] <= domain[1]],
        x=_axis(
            "bor",
            "BOR: boundaries per boundary of the reference",
            {"type": "log", "domain": list(domain), "nice": False},
            values=ticks,
            format="~g",
            labelOverlap=False,
        ),
        y=_axis("score", None, {"zero": False, "nice": True, **_heights(rows, domain, bounds)}, tickCount=5),
        line={"bor": 1.0},
        tooltip=_read_off(
            threshold=("threshold", ".4~g"),
            bor=("BOR", ".3f"),
            score=("score", ".3f"),
            low=("95 % from", ".3f"),
            high=("95 % to", ".3f"),
        ),
        clip={"clip": True},
    )


def _bor_row(label: str, point: Point, metric: str) -> Spec | None:
    """Return a point as the figure needs it; None where it has no place on the axes."""
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
    """Return the points inside the axis, and on each side the next one outside, towards which a curve leaves it."""
    placed = [row for row in rows if row is not None]
    below = [row for row in placed if row["bor"] < domain[0]]
    above = [row for row in placed if row["bor"] > domain[1]]
    inside = [row for row in placed if domain[0] <= row["bor"] <= domain[1]]
    inside += [max(below, key=lambda row: float(row["bor"]))] if below else []
    inside += [min(above, key=lambda row: float(row["bor"]))] if above else []
    return sorted(inside, key=lambda row: float(row["bor"]))


def _heights(rows: Sequence[Spec], domain: tuple[float, float], bounds: tuple[float, float]) -> Spec:
    """Return the range of the vertical axis: what is inside the horizontal one, and a little room."""
    inside = [row for row in rows if domain[0] <= row["bor"] <= domain[1]]
    low, high = min((r["low"] for r in inside), default=0.0), max((r["high"] for r in inside), default=1.0)
    room = 0.04 * (high - low) or 0.05
    return {"domain": [max(low - room, bounds[0]), min(high + room, bounds[1])]}


def _domain(sweep: Sweep) -> tuple[float, float]:
    """Return the range of the axis: that of the area, and on to what the curves reach above it."""
    low, high = sweep.area_range or (1.0, 1.0)
    reached = [as_float(p.scores["BOR"]) for points in sweep.curves.values() for p in points]
    return low, min(max([high, *(bor for bor in reached if bor < math.inf)]), _DENSEST)


# ---------------------------------------------------------------------- without a reference


def _above_chance(sweep: Sweep, metric: str, names: Mapping[str, str]) -> _Panel:
    rows = [_gain_row(label, point, metric) for name, label in names.items() for point in sweep.curves[name]]
    least = min(row["per_100"] for row in rows)
    ticks = [tick for tick in _SEGMENT_TICKS if tick >= least / 2]
    return _Panel(
        title=f"{_plain_name(metric)} above chance",
        rows=rows,
        marked=[_gain_row(names[name], point, metric) for name, point in _marked(sweep)],
        x=_axis(
            "per_100", "segments per 100 units", {"type": "log", "nice": False}, values=ticks, format="~g"
        ),
        y=_axis("gain", None, {"zero": True}, tickCount=5),
        line={"gain": 0},
        tooltip=_read_off(
            threshold=("threshold", ".4~g"),
            per_100=("segments per 100", ".1f"),
            score=("score", ".3f"),
            gain=("above chance", ".3f"),
        ),
        clip={},
    )


def _gain_row(label: str, point: Point, metric: str) -> Spec:
    score, gain = point.scores[metric], as_float((point.gains or {})[metric])
    low, high = _band((point.gain_intervals or {})[metric], gain)
    return {
        "scorer": label,
        "threshold": point.threshold,
        "per_100": 100 / point.units_per_segment,
        "score": score if score is not None and math.isfinite(score) else None,
        "gain": gain,
        "low": low,
        "high": high,
    }


# ---------------------------------------------------------------------- words


def _subtitle(results: Results, sweep: Sweep, names: Mapping[str, str]) -> list[str]:
    r = results.resampling
    documents = results.inputs[0].documents if results.inputs else 0
    bands = (
        ""
        if r is None
        else f"bands: {100 * r.level:g} %, documents resampled {r.resamples} times (seed {r.seed})"
    )
    if results.profile != "caesura":
        bands += f"; profile {results.profile}"
    if sweep.without_reference is not None:
        encoder = _plain_name(sweep.without_reference.encoder.name)
        diamonds = "; diamonds: recommended" if sweep.choices else ""
        return [
            f"{documents} documents, no reference, vectors of {encoder}; above 0 is better than as many random boundaries",
            bands + diamonds,
        ]
    lines = [
        f"{documents} documents, min_gap {sweep.min_gap}; grey line: as many boundaries as the reference",
        bands,
    ]
    lines += [
        f"Diamond: chosen for {names[name]}: threshold {choice.threshold:g} ({choice.why})"
        for name, choice in (sweep.choices or {}).items()
    ]
    return lines


def _plain_name(text: str) -> str:
    """Return a name in one line, a space for characters that cannot be shown."""
    return one_line(text).strip() or "(no name)"


def _names_apart(names: Sequence[str]) -> list[str]:
    """Return the names, numbered where they look alike once they are plain: no two curves may become one."""
    labels: list[str] = []
    for name in names:
        label, number = name, 2
        while label in labels:
            label, number = f"{name} ({number})", number + 1
        labels.append(label)
    return labels
