# SPDX-License-Identifier: Apache-2.0
"""The figure of a sweep without a reference: each metric above chance against segments per 100 units."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from caesura.reports.figures.base import VEGA_LITE
from caesura.reports.figures.sweep import COLOURS, CONFIG, DASHES, names_apart, plain_name
from caesura.tuning.free_sweep import FreePoint, FreeSweep
from caesura.tuning.policy import Policy

__all__ = ["free_sweep_figure"]

Spec = dict[str, Any]
_WIDTH, _HEIGHT, _PANELS_A_ROW = 300, 210, 3
_TICKS = [1, 2, 5, 10, 20, 50, 100]


def free_sweep_figure(result: FreeSweep, policies: Mapping[str, Policy] | None = None) -> Spec:
    """Return the curves of a sweep without a reference as a Vega-Lite specification.

    Parameters
    ----------
    result : FreeSweep
        The curves.
    policies : mapping of scorer to Policy, optional
        The recommended points; they are marked.
    """
    labels = dict(zip(result.scores, names_apart([plain_name(name) for name in result.scores]), strict=True))
    chosen = {name: policy.make().options().get("threshold") for name, policy in (policies or {}).items()}
    lines = [
        f"{len(result.corpus)} documents, no reference, vectors of {plain_name(result.vectors.name)}; above 0 is better than "
        "as many random boundaries",
        f"bands: 95 %, documents resampled {result.bootstrap.resamples} times (seed {result.bootstrap.seed})"
        + ("; diamonds: recommended" if chosen else ""),
    ]
    return {
        "$schema": VEGA_LITE,
        "title": {"text": "Density and cohesion", "subtitle": lines, "anchor": "start", "offset": 14},
        "columns": min(len(result.metrics), _PANELS_A_ROW),
        "spacing": 26,
        "concat": [_panel(result, metric, labels, chosen) for metric in result.metrics],
        "config": CONFIG,
    }


def _panel(result: FreeSweep, metric: str, labels: Mapping[str, str], chosen: Mapping[str, Any]) -> Spec:
    rows = [_row(label, point, metric) for name, label in labels.items() for point in result.points[name]]
    marked = [
        _row(labels[name], point, metric)
        for name, threshold in chosen.items()
        for point in result.points[name]
        if point.threshold == threshold
    ]
    order = list(labels.values())
    places = range(len(order))
    legend = {"title": None, "orient": "top", "symbolType": "stroke", "symbolOpacity": 1, "columns": 4}
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
    least = min(row["per_100"] for row in rows)
    x = {
        "field": "per_100",
        "type": "quantitative",
        "scale": {"type": "log", "nice": False},
        "axis": {
            "title": "segments per 100 units",
            "values": [tick for tick in _TICKS if tick >= least / 2],
            "format": "~g",
        },
    }
    y = {
        "field": "gain",
        "type": "quantitative",
        "scale": {"zero": True},
        "axis": {"title": None, "tickCount": 5},
    }
    tooltip = [
        {"field": "scorer", "type": "nominal"},
        {"field": "threshold", "type": "quantitative", "format": ".4~g"},
        {"field": "per_100", "type": "quantitative", "title": "segments per 100", "format": ".1f"},
        {"field": "score", "type": "quantitative", "format": ".3f"},
        {"field": "gain", "type": "quantitative", "title": "above chance", "format": ".3f"},
    ]
    layers: list[Spec] = [
        {"data": {"values": [{"gain": 0}]}, "mark": {"type": "rule", "color": "#999", "strokeDash": [3, 3]},
         "encoding": {"y": {"field": "gain", "type": "quantitative"}}},
        {"mark": {"type": "area", "opacity": 0.16, "tooltip": False},
         "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": color}},
        {"mark": {"type": "line", "strokeWidth": 2},
         "encoding": {"x": x, "y": y, "color": color, "strokeDash": dash}},
        {"mark": {"type": "point", "size": 40, "opacity": 0},
         "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip}},
    ]  # fmt: skip
    if marked:
        mark = {"type": "point", "shape": "diamond", "size": 130, "filled": True, "opacity": 1}
        mark |= {"stroke": "black", "strokeWidth": 1.5}
        layers.append(
            {
                "data": {"values": marked},
                "mark": mark,
                "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip},
            }
        )
    return {
        "title": {
            "text": f"{plain_name(metric)} above chance",
            "anchor": "start",
            "fontSize": 13,
            "fontWeight": "bold",
        },
        "width": _WIDTH,
        "height": _HEIGHT,
        "data": {"values": rows},
        "layer": layers,
    }


def _row(label: str, point: FreePoint, metric: str) -> Spec:
    interval, score = point.gain_intervals[metric], point.scores[metric]
    gain = point.gains[metric]
    # Without an interval the band has no width.
    low, high = (edge if math.isfinite(edge) else gain for edge in (interval.low, interval.high))
    return {
        "scorer": label,
        "threshold": point.threshold,
        "per_100": point.per_100,
        "score": score if math.isfinite(score) else None,
        "gain": gain,
        "low": low,
        "high": high,
    }
