# SPDX-License-Identifier: Apache-2.0
"""The figure of a reproduction: the paper's curves or box plots, and ours against printed numbers for its tables."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from caesura.errors import ComparabilityError
from caesura.results import Results
from caesura.results.base import required
from caesura.results.panels import COLOURS, Spec, axis, beside, needed
from caesura.results.reproduce.facts import Cell, ItemFacts, Series, Status, digits_of

__all__ = ["figure", "has_figure"]

_WIDTH, _HEIGHT, _A_ROW = 300, 220, 2
_LARGER = 3
"""The factor above the usual size from which the values of a row get their own axis."""
_FURTHER = "#000000"
_BOX = ("lower quartile", "median", "upper quartile")
_WHISKERS = ("least", "most")
_COLOURS: dict[Status, str] = {
    "exact": "#0072B2",
    "within sampling": "#009E73",
    "shape": "#56B4E9",
    "different": "#D55E00",
}


def figure(results: Results) -> Spec:
    """Return the figures of a paper with our numbers as a Vega-Lite specification.

    An item whose columns are numbers is drawn as curves over them, one per row, with printed values as crosses; rows named
    "corpus | metric" have a panel for each corpus, and rows on a much larger scale their own axis. An item with quartiles is
    drawn as box plots, and one with series as these. Otherwise each item shows ours against the printed numbers, coloured by
    status.
    """
    facts = needed(results.reproduction, results, "a paper", "reproduce")
    panels = _figures(results)
    panels = panels or [p for item in facts.items for p in _against_print(item, _numbers(results, item))]
    if not panels:
        raise ComparabilityError(f"paper {facts.paper}: no number could be computed, so there is nothing to draw")
    apart = {"scale": {"color": "independent"}}
    return beside(panels, _A_ROW, f"Paper {facts.paper}, reproduced", [facts.title], resolve=apart)


def has_figure(results: Results) -> bool:
    """Return whether the figures of the paper could be drawn, not only its tables."""
    return bool(_figures(results))


def _figures(results: Results) -> list[Spec]:
    panels: list[Spec] = []
    facts = required(results.reproduction)
    for item in facts.items:
        numbers = _numbers(results, item)
        series = [one for one in facts.series if one.item == item.name]
        panels += _series_panels(item, series) or _curves(item, numbers) or _boxes(item, numbers)
    return panels


def _numbers(results: Results, item: ItemFacts) -> list[Cell]:
    return [cell for cell in results.cells or [] if cell.item == item.name and isinstance(cell.ours, float)]


def _series_panels(item: ItemFacts, series: list[Series]) -> list[Spec]:
    panels: dict[str, list[Series]] = {}
    for one in series:
        panels.setdefault(one.panel, []).append(one)
    made = []
    for name, parts in panels.items():
        panel = _panel(item, [], _series_layers(parts, series))
        panel["title"]["subtitle"] = [*panel["title"]["subtitle"], name.replace(" | ", ": ")]
        made.append(panel)
    return made


def _panel(item: ItemFacts, values: list[Spec], layers: list[Spec]) -> Spec:
    head = {"text": item.name, "subtitle": textwrap.wrap(item.title, 48), "anchor": "start", "fontSize": 13}
    return {"title": head, "width": _WIDTH, "height": _HEIGHT, "data": {"values": values}, "layer": layers}


def _curves(item: ItemFacts, cells: list[Cell]) -> list[Spec]:
    points = [cell for cell in cells if _level(cell.column) is not None]
    if len(points) < 3 or len(points) < len(cells) / 2:
        return []
    panels: dict[str, list[Spec]] = {}
    for cell in points:
        corpus, _, name = cell.row.rpartition(" | ")
        point = {"row": name, "level": _level(cell.column), "ours": cell.ours, "printed": _printed(cell)}
        panels.setdefault(corpus, []).append(point)
    return [_curve_panel(item, corpus, values) for corpus, values in panels.items()]


def _curve_panel(item: ItemFacts, corpus: str, values: list[Spec]) -> Spec:
    """Return the curves of one corpus; those on a much larger scale are dashed and use the right axis.

    Curves beyond the number of colours are black and dotted, so that a curve that they hide shows through.
    """
    tops = {row: max(v["ours"] for v in values if v["row"] == row) for row in dict.fromkeys(v["row"] for v in values)}
    usual = sorted(tops.values())[len(tops) // 2]
    large = [row for row, top in tops.items() if top > _LARGER * usual > 0]
    color: Spec = {
        "field": "row", "type": "nominal", "sort": None, "scale": {"domain": list(tops), "range": [*COLOURS, _FURTHER]},
        "legend": {"title": None, "orient": "top", "columns": 3, "symbolSize": 60},
    }  # fmt: skip
    small = [row for row in tops if row not in large]
    levels = sorted({v["level"] for v in values})
    if large:
        sides = [
            {"data": {"values": [v for v in values if v["row"] in rows]}, "layer": _lines(color, title, levels)}
            for rows, title in ((small, None), (large, ", ".join(large)))
        ]
        panel = {**_panel(item, [], sides), "resolve": {"scale": {"y": "independent"}}}
    else:
        panel = _panel(item, values, _lines(color, None, levels, list(tops)[len(COLOURS) :]))
    if corpus:
        panel["title"]["subtitle"] = [*panel["title"]["subtitle"], corpus]
    return panel


def _lines(color: Spec, right: str | None, levels: list[float], dotted: Sequence[str] = ()) -> list[Spec]:
    """Return curves with printed values as crosses, some dotted; on a right axis of this title, if one is given."""
    x: Spec = {"field": "level", "type": "quantitative", "axis": {"title": "level", "values": levels}}
    y = axis("ours", right, {"zero": not right}, orient="right" if right else "left")
    line = {"type": "line", "point": True, **({"strokeDash": [6, 3]} if right else {})}
    cross = {"type": "point", "shape": "cross", "size": 40}
    layers: list[Spec] = [
        {"mark": line, "encoding": {"x": x, "y": y, "color": color}},
        {"mark": cross, "encoding": {"x": x, "y": {**y, "field": "printed"}, "color": color}},
    ]
    if dotted:
        named = {"field": "row", "oneOf": list(dotted)}
        layers[0]["transform"] = [{"filter": {"not": named}}]
        dots = {"type": "line", "strokeDash": [2, 4], "strokeWidth": 3}
        layers.append({"mark": dots, "transform": [{"filter": named}], "encoding": layers[0]["encoding"]})
    return layers


def _boxes(item: ItemFacts, cells: list[Cell]) -> list[Spec]:
    rows: dict[str, Spec] = {}
    for cell in cells:
        if cell.column in (*_BOX, *_WHISKERS):
            rows.setdefault(cell.row, {"row": cell.row})[cell.column] = cell.ours
    values = [row for row in rows.values() if all(name in row for name in _BOX)]
    if not values:
        return []
    x: Spec = {"field": "row", "type": "nominal", "sort": None, "axis": {"title": None, "labelAngle": -30}}
    low, middle, high = ({"field": name, "type": "quantitative", "axis": {"title": None}} for name in _BOX)
    layers: list[Spec] = [
        {"mark": {"type": "bar", "size": 22, "color": "#56B4E9"}, "encoding": {"x": x, "y": low, "y2": {"field": _BOX[2]}}},
        {"mark": {"type": "tick", "size": 22, "thickness": 2, "color": "black"}, "encoding": {"x": x, "y": middle}},
    ]  # fmt: skip
    if all(name in row for row in values for name in _WHISKERS):
        ends = {"x": x, "y": {**high, "field": _WHISKERS[0]}, "y2": {"field": _WHISKERS[1]}}
        layers.insert(0, {"mark": {"type": "rule", "color": "#555"}, "encoding": ends})
    return [_panel(item, values, layers)]


def _against_print(item: ItemFacts, cells: list[Cell]) -> list[Spec]:
    values = [
        {"printed": _printed(cell), "ours": cell.ours, "status": cell.status, "cell": f"{cell.row}, {cell.column}"}
        for cell in cells
        if _printed(cell) is not None
    ]
    if not values:
        return []
    axes = {way: axis(field, field, {"zero": False}) for way, field in (("x", "printed"), ("y", "ours"))}
    colours = {status: colour for status, colour in _COLOURS.items() if any(v["status"] == status for v in values)}
    scale = {"domain": list(colours), "range": list(colours.values())}
    legend = {"title": None, "orient": "top", "symbolSize": 60}
    color = {"field": "status", "type": "nominal", "scale": scale, "legend": legend}
    tooltip = [
        {"field": "cell", "type": "nominal"},
        *({"field": f, "type": "quantitative"} for f in ("printed", "ours")),
    ]
    same = {**axes, "y": {**axes["y"], "field": "printed"}}
    layers: list[Spec] = [
        {"mark": {"type": "line", "color": "#bbb", "strokeDash": [3, 3]}, "encoding": same},
        {
            "mark": {"type": "point", "filled": True, "size": 36},
            "encoding": {**axes, "color": color, "tooltip": tooltip},
        },
    ]
    return [_panel(item, values, layers)]


def _level(column: str) -> float | None:
    try:
        return float(column)
    except ValueError:
        return None


def _printed(cell: Cell) -> float | None:
    if cell.printed is None or digits_of(cell.printed) is None:
        return None
    return float(cell.printed.rstrip(".%"))


def _series_layers(series: Sequence[Series], whole: Sequence[Series]) -> list[Spec]:
    """Return the layers of one panel; all panels of ``whole`` share the colours of names and the scale."""
    order = list(dict.fromkeys(one.name for one in whole))
    names = [name for name in order if any(one.name == name for one in series)]
    legend = {"title": None, "orient": "top", "columns": 4, "symbolType": "stroke", "symbolOpacity": 1}
    scale = {"domain": names, "range": [COLOURS[order.index(name) % len(COLOURS)] for name in names]}
    color: Spec = {"field": "name", "type": "nominal", "legend": legend if len(names) > 1 else None, "scale": scale}
    up = {one.axes[1] for one in series}
    top = max(value for one in whole if one.axes[1] in up for value in (*one.y, *one.high))
    # Bands below all lines.
    bands = [_layer(one, color, top, band=True) for one in series if one.low]
    return [*bands, *(_layer(one, color, top) for one in series)]


def _layer(one: Series, color: Spec, top: float, *, band: bool = False) -> Spec:
    """Return a part of a figure, or its band; all layers have the same titles of axes, so that each is drawn once."""
    encoding: Spec = {"color": color}
    x = axis("x", one.axes[0], {"domain": [0, top]} if one.kind == "ticks" else {"zero": False})
    y = axis("low" if band else "y", one.axes[1], {"domain": [0, top], "nice": True})
    if band:
        columns, mark = {"x": one.x, "low": one.low, "high": one.high}, {"type": "area", "opacity": 0.2}
        encoding |= {"x": x, "y": y, "y2": {"field": "high"}}
    elif one.kind == "rule":
        columns, mark = {"y": one.y}, {"type": "rule", "strokeDash": [6, 3], "strokeWidth": 2}
        encoding["y"] = y
    elif one.kind == "ticks":
        columns, mark = {"x": one.x}, {"type": "tick", "thickness": 3}
        row = {"field": "name", "type": "nominal", "sort": None, "axis": {"title": one.axes[1]}}
        encoding |= {"color": {**color, "legend": None}, "x": x, "y": row}
    else:
        bar = {"type": "bar", "size": 0.85 * _WIDTH / len(one.x)}
        columns, mark = {"x": one.x, "y": one.y}, bar if one.kind == "bars" else {"type": "line"}
        encoding |= {"x": x, "y": y}
    rows = [
        {"name": one.name, **dict(zip(columns, values, strict=True))} for values in zip(*columns.values(), strict=True)
    ]
    return {"data": {"values": rows}, "mark": mark, "encoding": encoding}
