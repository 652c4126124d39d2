# SPDX-License-Identifier: Apache-2.0
"""The figure of an explanation: the score of one pair under every convention, metric by metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from caesura.reports.figures._panel import Spec, beside, head, plain_name

if TYPE_CHECKING:
    from caesura.evaluation.explain.report import Explanation

__all__ = ["explain_figure"]

_WIDTH, _ROW, _COLUMNS = 300, 20, 2


def explain_figure(explanation: Explanation) -> Spec:
    """Return the scores under every convention as a Vega-Lite specification; the line is Caesura's own score."""
    metrics = dict.fromkeys(row.metric for row in explanation.rows)
    panels = []
    for metric in metrics:
        rows: list[Spec] = [
            {"convention": plain_name(row.convention), "score": row.outcome.score, "why": plain_name(row.why)}
            for row in explanation.rows
            if row.metric == metric and row.outcome.score == row.outcome.score
        ]
        order = [row["convention"] for row in rows]
        y: Spec = {
            "field": "convention",
            "type": "nominal",
            "sort": order,
            "axis": {"title": None, "labelLimit": 220},
        }
        x: Spec = {"field": "score", "type": "quantitative", "scale": {"zero": False, "nice": True}, "axis": {"title": None, "tickCount": 5}}  # fmt: skip
        tooltip = [{"field": "convention", "type": "nominal"}, {"field": "score", "type": "quantitative", "format": ".4f"}, {"field": "why", "type": "nominal"}]  # fmt: skip
        panels.append(
            {
                "title": head(plain_name(metric)),
                "width": _WIDTH,
                "height": max(_ROW * len(rows), 3 * _ROW),
                "layer": [
                    {"data": {"values": rows[:1]}, "mark": {"type": "rule", "color": "#999", "strokeDash": [3, 3]}, "encoding": {"x": x}},
                    {"data": {"values": rows}, "mark": {"type": "point", "filled": True, "size": 70, "color": "#0072B2", "opacity": 1},
                     "encoding": {"x": x, "y": y, "tooltip": tooltip}},
                ],
            }
        )  # fmt: skip
    documents = len(explanation.documents)
    subtitle = [f"{documents} document{'' if documents == 1 else 's'}; dashed: Caesura's own"]
    return beside(panels, _COLUMNS, "The same pair under every convention", subtitle)
