# SPDX-License-Identifier: Apache-2.0
"""The figure of a calibration: how often a gap of each probability is a boundary, before and after the temperature."""

from __future__ import annotations

from caesura.reports.figures._panel import Spec, axis, frame, needed, plain_name
from caesura.results import Results
from caesura.table import format_number

__all__ = ["calibrate_figure"]


def calibrate_figure(results: Results) -> Spec:
    """Return the observed share of boundaries over the predicted probability; a calibrated scorer is on the diagonal.

    Parameters
    ----------
    results : Results
        The results of `calibrate`.
    """
    c = needed(results.calibration, results, "reliability", "calibrate")
    curves = {"before": c.before, f"after, temperature {c.temperature:.3g}": c.after}
    rows: list[Spec] = [
        {"scores": name, "predicted": each.confidence, "observed": each.accuracy, "gaps": each.count}
        for name, reliability in curves.items()
        for each in reliability.bins
        if each.count
    ]
    x, y = (
        axis(field, title, {"domain": [0, 1]}, tickCount=5)
        for field, title in (("predicted", "predicted probability"), ("observed", "share of boundaries"))
    )
    color = {
        "field": "scores",
        "type": "nominal",
        "sort": list(curves),
        "legend": {"title": None, "orient": "top"},
    }
    tooltip = [
        {"field": "scores", "type": "nominal"},
        *({"field": field, "type": "quantitative", "format": ".3f"} for field in ("predicted", "observed")),
        {"field": "gaps", "type": "quantitative"},
    ]
    diagonal: Spec = {
        "data": {"values": [{"predicted": end, "observed": end} for end in (0, 1)]},
        "mark": {"type": "line", "color": "#999", "strokeDash": [3, 3]},
        "encoding": {"x": x, "y": y},
    }
    curve: Spec = {
        "data": {"values": rows},
        "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 50}},
        "encoding": {"x": x, "y": y, "color": color, "tooltip": tooltip},
    }
    subtitle = [
        f"expected calibration error {format_number(c.before.ece)} before, {format_number(c.after.ece)} after",
        "dashed: as many boundaries as predicted",
    ]
    title = f"Calibration of {plain_name(c.scorer)}"
    return frame(title, subtitle, width=300, height=300, layer=[diagonal, curve])
