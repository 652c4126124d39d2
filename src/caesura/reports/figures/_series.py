# SPDX-License-Identifier: Apache-2.0
"""Panels of a reproduction that show series: lines with bands, bars, rules and ticks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from caesura.reports.figures._panel import COLOURS, Spec
from caesura.results.reproduction import Series, SeriesKind

__all__ = ["series_layers"]


class _Look(NamedTuple):
    """The colours of a panel, the top of its scale, and its width in points."""

    color: Spec
    top: float
    width: int

    def x(self, one: Series) -> Spec:
        """Return the horizontal axis; all layers have the same titles, so that each is drawn once."""
        return {
            "field": "x", "type": "quantitative", "axis": {"title": one.axes[0]},
            "scale": {"domain": [0, self.top]} if one.kind == "ticks" else {"zero": False},
        }  # fmt: skip

    def y(self, one: Series, field: str = "y") -> Spec:
        """Return the vertical axis."""
        scale = {"domain": [0, self.top], "nice": True}
        return {"field": field, "type": "quantitative", "axis": {"title": one.axes[1]}, "scale": scale}


def series_layers(series: Sequence[Series], whole: Sequence[Series], width: int) -> list[Spec]:
    """Return the layers of one panel; all panels of ``whole`` share the colours of names and the scale."""
    order = list(dict.fromkeys(one.name for one in whole))
    names = [name for name in order if any(one.name == name for one in series)]
    legend = {"title": None, "orient": "top", "columns": 4, "symbolType": "stroke", "symbolOpacity": 1}
    color: Spec = {
        "field": "name",
        "type": "nominal",
        "legend": legend if len(names) > 1 else None,
        "scale": {"domain": names, "range": [COLOURS[order.index(name) % len(COLOURS)] for name in names]},
    }
    up = {one.axes[1] for one in series}
    top = max(value for one in whole if one.axes[1] in up for value in (*one.y, *one.high))
    look = _Look(color, top, width)
    # Bands below all lines.
    bands = [_band(one, look) for one in series if one.low]
    return [*bands, *(_LAYERS[one.kind](one, look) for one in series)]


def _layer(values: list[Spec], mark: Spec, look: _Look, **encoding: Spec) -> Spec:
    return {"data": {"values": values}, "mark": mark, "encoding": {"color": look.color, **encoding}}


def _band(one: Series, look: _Look) -> Spec:
    values = [
        {"name": one.name, "x": x, "low": low, "high": high}
        for x, low, high in zip(one.x, one.low, one.high, strict=True)
    ]
    mark = {"type": "area", "opacity": 0.2}
    return _layer(values, mark, look, x=look.x(one), y=look.y(one, "low"), y2={"field": "high"})


def _line(one: Series, look: _Look) -> Spec:
    values = [{"name": one.name, "x": x, "y": y} for x, y in zip(one.x, one.y, strict=True)]
    return _layer(values, {"type": "line"}, look, x=look.x(one), y=look.y(one))


def _bars(one: Series, look: _Look) -> Spec:
    return {**_line(one, look), "mark": {"type": "bar", "size": 0.85 * look.width / len(one.x)}}


def _rule(one: Series, look: _Look) -> Spec:
    values = [{"name": one.name, "y": y} for y in one.y]
    return _layer(values, {"type": "rule", "strokeDash": [6, 3], "strokeWidth": 2}, look, y=look.y(one))


def _ticks(one: Series, look: _Look) -> Spec:
    values = [{"name": one.name, "x": x} for x in one.x]
    row = {"field": "name", "type": "nominal", "sort": None, "axis": {"title": one.axes[1]}}
    color = {**look.color, "legend": None}
    return _layer(values, {"type": "tick", "thickness": 3}, look, x=look.x(one), y=row, color=color)


_LAYERS: dict[SeriesKind, Callable[[Series, _Look], Spec]] = {
    "line": _line,
    "bars": _bars,
    "rule": _rule,
    "ticks": _ticks,
}
