# SPDX-License-Identifier: Apache-2.0
"""The figure of annotators: the gaps each marked in the documents of lowest agreement, and the pairwise agreement."""

from __future__ import annotations

from caesura.results import Results, as_float
from caesura.results.agree.facts import AgreementFacts, Support
from caesura.results.panels import Spec, frame, names_apart, needed, plain_name
from caesura.table import format_number

__all__ = ["figure"]

_MOST_DOCUMENTS = 6
_MOST_IN_MATRIX = 20
_WIDTH, _ROW, _TALLEST = 640, 18, 420
_COLOURS = {"unanimous": "#0072B2", "majority": "#56B4E9", "minority": "#D55E00"}


def figure(results: Results) -> Spec:
    """Return the disagreements of annotators as a Vega-Lite specification.

    One strip per document, up to six, lowest kappa first: a row per annotator, a mark per boundary, coloured by how many
    annotators have a boundary within half a window. Below, the pairwise metric between every two annotators.
    """
    facts = needed(results.agreement, results, "annotators", "agree")
    known = names_apart(facts.names)
    first = next(iter(facts.coefficients.values()), None)
    kappas = {} if first is None else dict(zip(results.documents or [], first.per_document, strict=True))
    keys = sorted(facts.coded_by, key=lambda key: (kappas.get(key) is None, as_float(kappas.get(key))))
    keys = [key for key in keys if len(facts.coded_by[key]) > 1][:_MOST_DOCUMENTS]
    marked: dict[str, list[Support]] = {key: [] for key in keys}
    for item in facts.support:
        if item.document in marked:
            marked[item.document].append(item)
    strips = [_strip(results, facts, key, kappas.get(key), marked[key], known) for key in keys]
    parts: list[Spec] = [{"vconcat": strips, "spacing": 14}]
    if len(known) <= _MOST_IN_MATRIX and facts.pairwise:
        parts.append(_matrix(results, facts, list(known.values())))
    which = "all documents" if len(keys) == len(facts.coded_by) else f"the {len(keys)} documents with the lowest kappa"
    subtitle = f"{which}; a mark is a boundary, its colour the share of annotators with one within half a window"
    apart = {"scale": {"color": "independent"}}
    return frame("Where annotators part", [subtitle], vconcat=parts, spacing=26, resolve=apart)


def _strip(
    results: Results, facts: AgreementFacts, key: str, kappa: float | None, items: list[Support], known: dict[str, str]
) -> Spec:
    """Return the gaps of one document that each annotator marked."""
    in_seconds = results.unit == "ms"
    size = 0.001 if in_seconds else 1
    people = [known[facts.names[place]] for place in facts.coded_by[key]]
    rows = [
        {"annotator": known[name], "gap": item.gap * size, "support": item.half, "class": item.prominence}
        for item in items
        for name in item.marked_by
    ]
    coefficient = plain_name(next(iter(facts.coefficients), "kappa"))
    height = min(_ROW * len(people), _TALLEST)
    labels = {"labelOverlap": True, "domain": False, "ticks": False, "title": None, "grid": True}
    title = "seconds" if in_seconds else f"after {results.unit}"
    x_scale = {"domain": [0, facts.units[key] * size], "nice": False}
    return {
        "title": {"text": f"{plain_name(key)}: {coefficient} {format_number(kappa)}", "anchor": "start", "fontSize": 13},
        "width": _WIDTH,
        "height": height,
        "data": {"values": rows},
        "mark": {"type": "tick", "thickness": 3, "bandSize": max(height / len(people) - 4, 1), "opacity": 1},
        "encoding": {
            "x": {"field": "gap", "type": "quantitative", "scale": x_scale, "axis": {"title": title, "grid": False}},
            "y": {"field": "annotator", "type": "nominal", "scale": {"domain": people}, "axis": labels},
            "color": {
                "field": "class",
                "type": "nominal",
                "scale": {"domain": list(_COLOURS), "range": list(_COLOURS.values())},
                "legend": {"title": None, "orient": "top", "symbolType": "square", "symbolSize": 130, "symbolStrokeWidth": 0, "columns": 3},
            },
            "tooltip": [
                {"field": "annotator", "type": "nominal"},
                {"field": "gap", "type": "quantitative"},
                {"field": "support", "type": "quantitative", "format": ".2f"},
            ],
        },
    }  # fmt: skip


def _matrix(results: Results, facts: AgreementFacts, labels: list[str]) -> Spec:
    name = facts.by if facts.by in facts.pairwise else next(iter(facts.pairwise))
    matrix = facts.pairwise[name]["pooled"].matrix
    rows = [
        {"reference": one, "hypothesis": other, "score": score}
        for one, row in zip(labels, matrix, strict=True)
        for other, score in zip(labels, row, strict=True)
        if score is not None
    ]
    scores = [score for row in matrix for score in row if score is not None]
    middle = (min(scores) + max(scores)) / 2 if scores else 0.0
    scale = {"domain": labels}
    place = {
        "x": {"field": "hypothesis", "type": "nominal", "scale": scale, "axis": {"title": None, "orient": "top", "labelAngle": -45}},
        "y": {"field": "reference", "type": "nominal", "scale": scale, "axis": {"title": None}},
    }  # fmt: skip
    # Dark cells have light digits.
    ink = {"condition": {"test": {"field": "score", "gt": middle}, "value": "white"}, "value": "black"}
    side = 34 * len(labels)
    better = f" ({results.metrics[name].direction} is better)" if name in results.metrics else ""
    return {
        "title": {"text": f"{plain_name(name)} between every two annotators{better}", "anchor": "start", "fontSize": 13},
        "width": side,
        "height": side * 2 // 3,
        "data": {"values": rows},
        "encoding": place,
        "layer": [
            {"mark": "rect",
             "encoding": {"color": {"field": "score", "type": "quantitative", "scale": {"scheme": "blues"}, "legend": None}}},
            {"mark": {"type": "text", "fontSize": 10},
             "encoding": {"text": {"field": "score", "type": "quantitative", "format": ".2f"}, "color": ink}},
        ],
    }  # fmt: skip
