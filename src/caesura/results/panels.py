# SPDX-License-Identifier: Apache-2.0
"""Panels shared by figures: curves with bands, one colour per name, points with tooltips, diamonds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from caesura.errors import ComparabilityError
from caesura.results import Results
from caesura.table import one_line

__all__ = [
    "COLOURS", "CONFIG", "VEGA_LITE", "Panel", "Spec", "axis", "beside", "concatenated", "frame", "head", "metric_title",
    "names_apart", "needed", "plain_name", "read_off",
]  # fmt: skip

VEGA_LITE = "https://vega.github.io/schema/vega-lite/v5.json"
"""The schema of every specification."""

Spec = dict[str, Any]
T = TypeVar("T")

_PANELS_A_ROW = 3
_WIDTH, _HEIGHT = 300, 210
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
"""Okabe and Ito's colours, without black, and without yellow, which is too pale for a line."""
_DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
CONFIG: Spec = {
    "background": "white",
    "font": "sans-serif",
    "title": {"fontSize": 16, "subtitleFontSize": 12, "subtitleColor": "#444", "subtitlePadding": 6},
    "axis": {"labelFontSize": 11, "titleFontSize": 12, "titleFontWeight": "normal", "gridColor": "#e4e4e4"},
    "legend": {"labelFontSize": 12, "labelLimit": 260, "symbolStrokeWidth": 3, "symbolSize": 250},
    "view": {"stroke": "#bbb"},
}
"""The style of every figure."""
_DIAMOND: Spec = {
    "type": "point", "shape": "diamond", "size": 130, "filled": True, "stroke": "black", "strokeWidth": 1.5, "opacity": 1,
}  # fmt: skip

_BLIND = {"clock": [6, 3], "chance": [1.5, 2.5]}  # dashes of the blind baselines


@dataclasses.dataclass(frozen=True)
class Panel:
    """The content of a panel: points, marked points, axes, a reference line, tooltips, annotators."""

    title: str
    rows: list[Spec]
    marked: list[Spec]
    x: Spec
    y: Spec
    line: Spec
    tooltip: list[Spec]
    clip: Spec
    people: list[Spec] = dataclasses.field(default_factory=list)
    blind: list[Spec] = dataclasses.field(default_factory=list)


def concatenated(panels: Sequence[Panel], order: Sequence[str], title: str, subtitle: list[str]) -> Spec:
    """Return panels as one figure; ``order`` are the names of the curves."""
    return beside([_drawn(panel, order) for panel in panels], _PANELS_A_ROW, title, subtitle)


def needed(facts: T | None, results: Results, what: str, question: str) -> T:
    """Return the part of results that a figure is made from; raise if these are results of another question."""
    if facts is None:
        raise ComparabilityError(
            f"these are results of {results.question!r}; a figure of {what} needs those of {question!r}"
        )
    return facts


def frame(title: str, subtitle: Sequence[str], **body: object) -> Spec:
    """Return a whole figure with its title and subtitle, in the common style."""
    heading = {"text": title, "subtitle": list(subtitle), "anchor": "start", "offset": 14}
    return {"$schema": VEGA_LITE, "title": heading, **body, "config": CONFIG}


def beside(panels: Sequence[Spec], a_row: int, title: str, subtitle: Sequence[str], **body: object) -> Spec:
    """Return a figure of panels with a maximum number per row."""
    return frame(title, subtitle, columns=min(len(panels), a_row), spacing=26, concat=list(panels), **body)


def head(title: str) -> Spec:
    """Return the title of a panel."""
    return {"text": title, "anchor": "start", "fontSize": 13, "fontWeight": "bold"}


def _drawn(panel: Panel, order: Sequence[str]) -> Spec:
    """Return one panel: reference line, bands, curves, invisible points with tooltips, diamonds."""
    # The symbols would take the pale opacity of the bands.
    legend = {"title": None, "orient": "top", "symbolType": "stroke", "symbolOpacity": 1, "columns": 4}
    looks = range(len(order))
    scorer: Spec = {"field": "scorer", "type": "nominal", "legend": legend}
    colours = [COLOURS[n % len(COLOURS)] for n in looks]
    strokes = [_DASHES[n // len(COLOURS) % len(_DASHES)] for n in looks]
    color = {**scorer, "sort": list(order), "scale": {"domain": list(order), "range": colours}}
    dash = {**scorer, "scale": {"domain": list(order), "range": strokes}}
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
    for name, dashes in _BLIND.items():
        rows = [row for row in panel.blind if row["name"] == name]
        thin = {"type": "line", "strokeWidth": 1.2, "strokeDash": dashes, "color": "#666", **clip}
        layers += [{"data": {"values": rows}, "mark": thin, "encoding": {"x": x, "y": y}}] if rows else []
    if panel.marked:
        layers.append({"data": {"values": panel.marked}, "mark": _DIAMOND, "encoding": layers[-1]["encoding"]})
    if panel.people:
        place, named = {"x": x, "y": y}, {"field": "name", "type": "nominal"}
        dot = {"type": "point", "size": 36, "filled": True, "color": "black", "opacity": 1}
        label = {"type": "text", "align": "left", "dx": 5, "dy": -5, "fontSize": 9, "color": "#333"}
        layers += [
            {"data": {"values": panel.people}, "mark": dot, "encoding": {**place, "tooltip": [named]}},
            {"data": {"values": panel.people}, "mark": label, "encoding": {**place, "text": named}},
        ]
    size = {"width": _WIDTH, "height": _HEIGHT}
    return {"title": head(panel.title), **size, "data": {"values": panel.rows}, "layer": layers}


def axis(field: str, title: str | None, scale: Spec, **options: object) -> Spec:
    """Return the encoding of a number on an axis, with options such as the ticks."""
    return {"field": field, "type": "quantitative", "scale": scale, "axis": {"title": title, **options}}


def read_off(**titles: tuple[str, str]) -> list[Spec]:
    """Return the tooltip of a point: scorer, threshold, and each field by title and number format."""
    numbers = {"threshold": ("threshold", ".4~g"), **titles}
    return [{"field": "scorer", "type": "nominal", "title": "scorer"}] + [
        {"field": field, "type": "quantitative", "title": title, "format": form}
        for field, (title, form) in numbers.items()
    ]


def plain_name(text: str) -> str:
    """Return a name in one line, with unprintable characters replaced by spaces."""
    return one_line(text).strip() or "(no name)"


def names_apart(names: Iterable[str]) -> dict[str, str]:
    """Return the plain name of each, numbered if they collide, so that no two curves merge."""
    labels: dict[str, str] = {}
    for name in names:
        plain, number = plain_name(name), 2
        label = plain
        while label in labels.values():
            label, number = f"{plain} ({number})", number + 1
        labels[name] = label
    return labels


def metric_title(results: Results, metric: str) -> str:
    """Return a metric with the direction in which it is better."""
    direction = results.metrics[metric].direction
    return plain_name(metric) + ("" if direction == "target" else f" ({direction} is better)")
