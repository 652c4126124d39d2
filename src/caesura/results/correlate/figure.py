# SPDX-License-Identifier: Apache-2.0
"""The figure of correlations over systems: one heat map per reading, metrics without a reference by metrics with one."""

from __future__ import annotations

from caesura.results import Results
from caesura.results.correlate.facts import CorrelationRow
from caesura.results.panels import Spec, beside, head, needed, plain_name

__all__ = ["figure"]

_CELL, _ROW = 72, 30


def figure(results: Results) -> Spec:
    """Return Pearson's coefficients as a Vega-Lite specification, with several encoders one row of panels each."""
    facts = needed(results.correlation, results, "correlations", "correlate")
    readings = list(dict.fromkeys(row.reading for row in facts.rows))
    encoders = list(dict.fromkeys(row.encoder for row in facts.rows))
    panels = []
    for encoder in encoders:
        for reading in readings:
            chosen = [row for row in facts.rows if (row.encoder, row.reading) == (encoder, reading)]
            rows: list[Spec] = [
                {"metric": plain_name(row.metric), "reference": plain_name(row.reference), "value": row.pearson.value}
                for row in chosen
                if row.pearson.value is not None
            ]
            called = f"{reading} ({chosen[0].systems} systems)" if chosen else reading
            panels.append(_panel(f"{called}, {plain_name(encoder)}" if len(encoders) > 1 else called, rows, chosen))
    subtitle = "Pearson's correlation over systems; both metrics turned so that higher is better, so 1 is agreement"
    return beside(panels, len(readings), "Do metrics without a reference order systems rightly?", [subtitle])


def _panel(title: str, rows: list[Spec], chosen: list[CorrelationRow]) -> Spec:
    names = {
        side: list(dict.fromkeys(plain_name(getattr(row, side)) for row in chosen)) for side in ("metric", "reference")
    }  # fmt: skip
    place: Spec = {
        "x": {"field": "reference", "type": "nominal", "scale": {"domain": names["reference"]}, "axis": {"title": None, "orient": "top", "labelAngle": 0}},
        "y": {"field": "metric", "type": "nominal", "scale": {"domain": names["metric"]}, "axis": {"title": None, "labelLimit": 220}},
    }  # fmt: skip
    colour = {"scheme": "redblue", "domain": [-1, 1]}
    ink = {"condition": {"test": "abs(datum.value) > 0.6", "value": "white"}, "value": "black"}
    return {
        "title": head(title),
        "width": _CELL * max(len(names["reference"]), 1),
        "height": _ROW * max(len(names["metric"]), 1),
        "data": {"values": rows},
        "encoding": place,
        "layer": [
            {"mark": "rect",
             "encoding": {"color": {"field": "value", "type": "quantitative", "scale": colour, "legend": None}}},
            {"mark": {"type": "text", "fontSize": 11},
             "encoding": {"text": {"field": "value", "type": "quantitative", "format": ".2f"}, "color": ink}},
        ],
    }  # fmt: skip
