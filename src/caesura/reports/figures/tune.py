# SPDX-License-Identifier: Apache-2.0
"""The figure of tuned parameters: every setting tried, and the score of the chosen one on other documents."""

from __future__ import annotations

from caesura.reports.figures._panel import Spec, frame, names_apart, needed, plain_name
from caesura.results import Results
from caesura.table import badness

__all__ = ["tune_figure"]

_MOST, _ROW, _WIDTH = 40, 18, 420


def tune_figure(results: Results) -> Spec:
    """Return the settings as a Vega-Lite specification: one point each, best first, the chosen one filled.

    Parameters
    ----------
    results : Results
        The results of `tune`.
    """
    facts = needed(results.tuning, results, "settings", "tune")
    about = results.metrics[facts.metric]
    target = 1.0 if about.perfect is None else about.perfect
    defined = [(one.method, one.score) for one in facts.tried if one.score is not None]
    ordered = sorted(defined, key=lambda one: badness(one[1], about.direction, target))[:_MOST]
    labels = names_apart([plain_name(method) for method, _ in ordered])
    rows: list[Spec] = [
        {"setting": label, "score": score, "chosen": method == facts.chosen}
        for label, (method, score) in zip(labels, ordered, strict=True)
    ]
    others = {"cross-validated": facts.cross_validated, "held out": facts.held_out}
    rules: list[Spec] = [
        {"what": what, "score": score} for what, score in others.items() if score is not None
    ]
    y: Spec = {
        "field": "setting",
        "type": "nominal",
        "sort": labels,
        "axis": {"title": None, "labelLimit": 320},
    }
    x: Spec = {"field": "score", "type": "quantitative", "scale": {"zero": False}, "axis": {"title": None}}
    point = {"type": "point", "size": 70, "color": "#0072B2", "opacity": 1, "filled": True}
    layers: list[Spec] = [
        {"data": {"values": rows}, "mark": point,
         "encoding": {"x": x, "y": y, "shape": {"field": "chosen", "type": "nominal", "scale": {"domain": [True, False], "range": ["diamond", "circle"]}, "legend": None}}},
    ]  # fmt: skip
    if rules:
        dash = {"field": "what", "type": "nominal", "scale": {"domain": [rule["what"] for rule in rules], "range": [[4, 3], [1, 0]]}, "legend": {"title": "the choice, elsewhere", "orient": "right"}}  # fmt: skip
        layers.append(
            {"data": {"values": rules}, "mark": {"type": "rule", "color": "#D55E00", "strokeWidth": 2}, "encoding": {"x": x, "strokeDash": dash}}
        )  # fmt: skip
    better = {"higher": ", higher is better", "lower": ", lower is better"}.get(about.direction, "")
    shown = "" if len(defined) <= _MOST else f"the best {_MOST} of {len(defined)} settings; "
    return frame(
        f"{plain_name(facts.metric)} of every setting{better}",
        [f"{shown}points: on the {facts.documents} documents that chose; diamond: chosen"],
        width=_WIDTH,
        height=max(_ROW * len(rows), 3 * _ROW),
        layer=layers,
    )
