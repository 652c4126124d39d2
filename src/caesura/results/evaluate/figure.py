# SPDX-License-Identifier: Apache-2.0
"""The figure of an evaluation: density and quality of every system, with a clock and chance, and every score."""

from __future__ import annotations

import math

from caesura.errors import ComparabilityError
from caesura.results import Results
from caesura.results.evaluate.facts import Axis
from caesura.results.panels import Spec, axis, frame, head, metric_title, names_apart

__all__ = ["figure"]

_WIDTH, _HEIGHT, _ROW = 300, 230, 24
_BLIND = {"a clock, as dense": "#555555", "chance, as dense": "#999999"}
_KINDS = {"system": "#0072B2", "annotator": "#D55E00", "consensus": "#009E73"}
_QUALITY = "W-F1"


def figure(results: Results) -> Spec:
    """Return the scores of an evaluation as a Vega-Lite specification.

    The first panel has a point per system over BOR, with the clock and chance at the same density if the verdicts have
    them; then one panel per metric, with intervals if requested.
    """
    if not results.systems or results.levels is not None:
        raise ComparabilityError(
            f"these are results of {results.question!r} without scores of systems; a figure needs them"
        )
    names = names_apart(results.systems)
    panels = [_scores(results, metric, names) for metric in results.metrics]
    parts: list[Spec] = [{"concat": panels, "columns": 3, "spacing": 26}]
    if results.axis is not None:
        drawn = [name for name, facts in results.metrics.items() if name != "BOR" and facts.direction != "target"]
        parts.insert(0, {"concat": [_axis(results, results.axis, name) for name in drawn], "columns": 1, "spacing": 26})
    elif {"BOR", _QUALITY} <= set(results.metrics):
        parts.insert(0, _density(results, names))
    bars = any(score.interval is not None for row in results.systems.values() for score in row.values())
    subtitle = ["bars are 95 % intervals"] if bars else []
    apart = {"legend": {"color": "independent", "shape": "independent"}}
    title = "Scores without a reference" if results.question == "cohesion" else "Scores of systems"
    return frame(title, subtitle, spacing=30, vconcat=parts, resolve=apart)


def _titled(title: str, height: int, layers: list[Spec]) -> Spec:
    return {"title": head(title), "width": _WIDTH, "height": height, "layer": layers}


def _density(results: Results, names: dict[str, str]) -> Spec:
    """Return W-F1 over BOR: named systems, and the clock and chance at their density."""
    rows: list[Spec] = []
    blind: list[Spec] = []
    for system, label in names.items():
        bor, score = (results.systems[system][metric].score for metric in ("BOR", _QUALITY))
        if bor is None or score is None or not 0 < bor < float("inf"):
            continue
        rows.append({"system": label, "bor": bor, "score": score})
        verdict = (results.verdicts or {}).get(system)
        if verdict is not None:
            levels = (verdict.clock.score, verdict.findings[_QUALITY].chance)
            blind += [
                {"what": what, "bor": bor, "score": level}
                for what, level in zip(_BLIND, levels, strict=True)
                if level is not None
            ]
    scale = {"type": "log", "nice": False, "padding": 20}
    x = axis("bor", "BOR: boundaries per boundary of the reference", scale, format="~g", tickCount=5)
    y = axis("score", _QUALITY, {"domain": [0, 1]})
    colours = {"domain": list(_BLIND), "range": list(_BLIND.values())}
    legend = {"title": None, "orient": "right"}
    blind_encoding: Spec = {
        "x": x, "y": y,
        "color": {"field": "what", "type": "nominal", "scale": colours, "legend": legend},
        "shape": {"field": "what", "type": "nominal", "scale": {"domain": list(_BLIND), "range": ["square", "cross"]}, "legend": legend},
    }  # fmt: skip
    layers: list[Spec] = [
        {"data": {"values": [{"bor": 1.0}]}, "mark": {"type": "rule", "color": "#999", "strokeDash": [3, 3]}, "encoding": {"x": x}},
        {"data": {"values": rows}, "mark": {"type": "point", "filled": True, "size": 80, "color": "#0072B2", "opacity": 1}, "encoding": {"x": x, "y": y}},
        {"data": {"values": rows}, "mark": {"type": "text", "align": "left", "dx": 7, "dy": -5, "fontSize": 11},
         "encoding": {"x": x, "y": y, "text": {"field": "system", "type": "nominal"}}},
    ]  # fmt: skip
    if blind:
        layers.append({"data": {"values": blind}, "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1}, "encoding": blind_encoding})  # fmt: skip
    return {**_titled(f"Density and {_QUALITY}", _HEIGHT, layers), "width": 2 * _WIDTH}


def _axis(results: Results, found: Axis, metric: str) -> Spec:
    """Return a metric over density: systems, annotators, and levels of consensus, which a line joins."""
    rows: list[Spec] = []
    for point in found.points:
        score = point.scores.get(metric)
        if point.bor is not None and score is not None and 0 < point.bor < math.inf:
            rows.append({"name": point.name, "what": point.what, "bor": point.bor, "score": score})
    levels = [row for row in rows if row["what"] == "consensus"]
    x = axis(
        "bor",
        "BOR: boundaries per boundary of the mean annotator",
        {"type": "log", "nice": False, "padding": 20},
        format="~g",
        tickCount=5,
    )
    place = {"x": x, "y": axis("score", None, {"zero": False, "nice": True})}
    kinds = {"domain": list(_KINDS), "range": list(_KINDS.values())}
    colour: Spec = {"field": "what", "type": "nominal", "scale": kinds, "legend": {"title": None, "orient": "right"}}
    layers: list[Spec] = [
        {"data": {"values": levels}, "mark": {"type": "line", "color": _KINDS["consensus"]}, "encoding": place},
        {"data": {"values": rows}, "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1}, "encoding": {**place, "color": colour, "shape": {**colour, "scale": {"domain": list(_KINDS), "range": ["circle", "square", "triangle-up"]}}}},
        {"data": {"values": rows}, "mark": {"type": "text", "align": "left", "dx": 7, "dy": -5, "fontSize": 11},
         "encoding": {**place, "text": {"field": "name", "type": "nominal"}}},
    ]  # fmt: skip
    return {**_titled(f"People and systems: {metric_title(results, metric)}", _HEIGHT, layers), "width": 2 * _WIDTH}


def _scores(results: Results, metric: str, names: dict[str, str]) -> Spec:
    rows: list[Spec] = []
    for system, label in names.items():
        score = results.systems[system][metric]
        if score.score is None or abs(score.score) == float("inf"):
            continue
        low, high = score.interval if score.interval is not None else (None, None)
        ends = {"low": score.score if low is None else low, "high": score.score if high is None else high}
        rows.append({"system": label, "score": score.score, **ends})
    order = {"sort": list(names.values()), "axis": {"title": None, "labelLimit": 160}}
    y: Spec = {"field": "system", "type": "nominal", **order}
    x = axis("score", None, {"zero": False, "nice": True}, tickCount=5)
    layers: list[Spec] = [
        {"data": {"values": rows}, "mark": {"type": "rule", "strokeWidth": 2, "color": "#0072B2"},
         "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}}},
        {"data": {"values": rows}, "mark": {"type": "point", "filled": True, "size": 70, "color": "#0072B2", "opacity": 1},
         "encoding": {"y": y, "x": x}},
    ]  # fmt: skip
    return _titled(metric_title(results, metric), max(3 * _ROW, _ROW * len(names)), layers)
