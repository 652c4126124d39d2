# SPDX-License-Identifier: Apache-2.0
"""The figure of a sweep: each metric against BOR, one curve with its band per scorer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from caesura.reports.figures.base import VEGA_LITE
from caesura.table import one_line
from caesura.tuning.policy import Policy
from caesura.tuning.sweep import AREA, Point, Sweep

__all__ = ["COLOURS", "CONFIG", "DASHES", "names_apart", "plain_name", "sweep_figure"]

Spec = dict[str, Any]

# Okabe and Ito's colours without black and yellow, which is too pale for a line; then the same ones dashed.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_TICKS = tuple(digit * 10.0**power for power in range(-3, 4) for digit in (1, 2, 5))
_DENSEST = 20.0  # beyond, the middle would be squeezed and nothing is to be learned
_WIDTH, _HEIGHT, _PANELS_A_ROW = 300, 210, 3


def sweep_figure(result: Sweep, policy: Policy | None = None) -> Spec:
    """Return the curves of a sweep as a Vega-Lite specification.

    One panel per metric; BOR on a logarithmic axis over the range of the area, and on to what the curves reach above it, up
    to 20; bands are the intervals of the metric. Points without a boundary have no place on such an axis.

    Parameters
    ----------
    result : Sweep
        The curves.
    policy : Policy, optional
        An operating point chosen on them; it is marked.
    """
    names = {name: plain_name(name) for name in result.scores}
    shown = names_apart(list(names.values()))
    labels = dict(zip(names, shown, strict=True))
    domain = _domain(result)
    metrics = [metric for metric in result.metrics if metric != "BOR"]
    chosen = _chosen(result, policy)
    panels = [_panel(result, metric, labels, domain, chosen) for metric in metrics]
    return {
        "$schema": VEGA_LITE,
        "title": {
            "text": "Density and quality",
            "subtitle": _subtitle(result, labels, policy, chosen),
            "anchor": "start",
            "offset": 14,
        },
        "columns": min(len(panels), _PANELS_A_ROW),
        "spacing": 26,
        "concat": panels,
        "config": CONFIG,
    }


CONFIG: Spec = {
    "background": "white",
    "font": "sans-serif",
    "title": {"fontSize": 16, "subtitleFontSize": 12, "subtitleColor": "#444", "subtitlePadding": 6},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "gridColor": "#e4e4e4"},
    "legend": {"labelFontSize": 12, "labelLimit": 260, "symbolStrokeWidth": 3, "symbolSize": 250},
    "view": {"stroke": "#bbb"},
}


def _panel(
    result: Sweep,
    metric: str,
    labels: Mapping[str, str],
    domain: tuple[float, float],
    chosen: tuple[str, Point] | None,
) -> Spec:
    rows: list[Spec] = []
    for name, label in labels.items():
        rows += _reaching([_row(label, point, metric) for point in result.points[name]], domain)
    order = list(labels.values())
    # The symbols would take the pale opacity of the bands.
    legend = {"title": None, "orient": "top", "symbolType": "stroke", "symbolOpacity": 1, "columns": 4}
    places = range(len(order))
    color = {
        "field": "scorer",
        "type": "nominal",
        "sort": order,
        "scale": {"domain": order, "range": [COLOURS[n % len(COLOURS)] for n in places]},
        "legend": legend,
    }
    dash = {
        "field": "scorer",
        "type": "nominal",
        "scale": {"domain": order, "range": [DASHES[n // len(COLOURS) % len(DASHES)] for n in places]},
        "legend": legend,
    }
    direction = result.metrics[metric].card.direction
    better = {"higher": " (higher is better)", "lower": " (lower is better)"}.get(direction, "")
    x = {
        "field": "bor",
        "type": "quantitative",
        "scale": {"type": "log", "domain": list(domain), "nice": False},
        "axis": {
            "title": "BOR: boundaries per boundary of the reference",
            "values": [tick for tick in _TICKS if domain[0] <= tick <= domain[1]],
            "format": "~g",
            "labelOverlap": False,
        },
    }
    y = {
        "field": "score",
        "type": "quantitative",
        "scale": {"zero": False, "nice": True, **_heights(rows, domain, result.metrics[metric].card.bounds)},
        "axis": {"title": None, "tickCount": 5},
    }
    layers: list[Spec] = [
        {"data": {"values": [{"bor": 1.0}]}, "mark": {"type": "rule", "color": "#999", "strokeDash": [3, 3]},
         "encoding": {"x": {"field": "bor", "type": "quantitative"}}},
        {"mark": {"type": "area", "opacity": 0.16, "clip": True, "tooltip": False},
         "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": color}},
        {"mark": {"type": "line", "strokeWidth": 2, "clip": True},
         "encoding": {"x": x, "y": y, "color": color, "strokeDash": dash}},
        {"mark": {"type": "point", "size": 40, "opacity": 0, "clip": True},
         "encoding": {"x": x, "y": y, "color": color, "tooltip": _TOOLTIP}},
    ]  # fmt: skip
    if chosen is not None:
        row = _row(labels[chosen[0]], chosen[1], metric)
        if row is not None and domain[0] <= row["bor"] <= domain[1]:
            layers.append(
                {
                    "data": {"values": [row]},
                    "mark": {
                        "type": "point",
                        "shape": "diamond",
                        "size": 130,
                        "filled": True,
                        "stroke": "black",
                        "strokeWidth": 1.5,
                        "opacity": 1,
                    },
                    "encoding": {"x": x, "y": y, "color": color, "tooltip": _TOOLTIP},
                }
            )
    return {
        "title": {
            "text": plain_name(metric) + better,
            "anchor": "start",
            "fontSize": 13,
            "fontWeight": "bold",
        },
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": rows},
        "layer": layers,
    }


_TOOLTIP: list[Spec] = [
    {"field": "scorer", "type": "nominal", "title": "scorer"},
    {"field": "threshold", "type": "quantitative", "title": "threshold", "format": ".4~g"},
    {"field": "bor", "type": "quantitative", "title": "BOR", "format": ".3f"},
    {"field": "score", "type": "quantitative", "title": "score", "format": ".3f"},
    {"field": "low", "type": "quantitative", "title": "95 % from", "format": ".3f"},
    {"field": "high", "type": "quantitative", "title": "95 % to", "format": ".3f"},
]


def _row(label: str, point: Point, metric: str) -> Spec | None:
    """Return a point as the figure needs it; None where it has no place on the axes."""
    bor, score, interval = point.scores["BOR"], point.scores[metric], point.intervals[metric]
    if not (0 < bor < math.inf) or not math.isfinite(score):
        return None
    # Without an interval the band has no width.
    low, high = (edge if math.isfinite(edge) else score for edge in (interval.low, interval.high))
    return {
        "scorer": label,
        "threshold": point.threshold,
        "bor": bor,
        "score": score,
        "low": low,
        "high": high,
    }


def _reaching(rows: Sequence[Spec | None], domain: tuple[float, float]) -> list[Spec]:
    """Return the points inside the axis, and on each side the next one outside, towards which a curve leaves it."""
    there = [row for row in rows if row is not None]
    below = [row for row in there if row["bor"] < domain[0]]
    above = [row for row in there if row["bor"] > domain[1]]
    inside = [row for row in there if domain[0] <= row["bor"] <= domain[1]]
    inside += [max(below, key=lambda row: float(row["bor"]))] if below else []
    inside += [min(above, key=lambda row: float(row["bor"]))] if above else []
    return sorted(inside, key=lambda row: float(row["bor"]))


def _heights(rows: Sequence[Spec], domain: tuple[float, float], bounds: tuple[float, float]) -> Spec:
    """Return the range of the vertical axis: what is inside the horizontal one, and a little room."""
    inside = [row for row in rows if domain[0] <= row["bor"] <= domain[1]]
    low, high = min((r["low"] for r in inside), default=0.0), max((r["high"] for r in inside), default=1.0)
    room = 0.04 * (high - low) or 0.05
    return {"domain": [max(low - room, bounds[0]), min(high + room, bounds[1])]}


def _domain(result: Sweep) -> tuple[float, float]:
    """Return the range of the axis: that of the area, and on to what the curves reach above it."""
    reached = [p.scores["BOR"] for points in result.points.values() for p in points]
    return AREA[0], min(max([AREA[1], *(bor for bor in reached if bor < math.inf)]), _DENSEST)


def _chosen(result: Sweep, policy: Policy | None) -> tuple[str, Point] | None:
    if policy is None or policy.scorer not in result.points:
        return None
    threshold = policy.make().options().get("threshold")
    found = [point for point in result.points[policy.scorer] if point.threshold == threshold]
    return (policy.scorer, found[0]) if found else None


def _subtitle(
    result: Sweep, labels: Mapping[str, str], policy: Policy | None, chosen: tuple[str, Point] | None
) -> list[str]:
    b = result.bootstrap
    lines = [
        f"{len(result.reference)} documents, min_gap {result.min_gap}; grey line: as many boundaries as the reference",
        f"bands: 95 %, documents resampled {b.resamples} times (seed {b.seed})",
    ]
    if result.profile != "caesura":
        lines[1] += f"; profile {result.profile}"
    if policy is not None and chosen is not None:
        lines.append(
            f"Diamond: chosen for {labels[chosen[0]]}: threshold {chosen[1].threshold:g} ({policy.why})"
        )
    return lines


def plain_name(text: str) -> str:
    """Return a name in one line, a space for signs that cannot be shown."""
    return one_line(text).strip() or "(no name)"


def names_apart(names: Sequence[str]) -> list[str]:
    """Return the names, those numbered that look alike once they are plain: no two curves may become one."""
    found: list[str] = []
    for name in names:
        label, number = name, 2
        while label in found:
            label, number = f"{name} ({number})", number + 1
        found.append(label)
    return found
