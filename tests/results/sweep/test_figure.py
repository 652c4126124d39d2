"""The figure of a sweep: what it holds, that it is drawn, and that names in it stay names."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

import msgspec
import numpy as np
import pytest

import caesura as cz
from caesura.errors import ComparabilityError, FormatError, MissingExtraError
from caesura.reports.figures import KINDS, figure_kind, render_figure
from caesura.results.sweep.figure import figure as sweep_figure

S = cz.Segmentation
HOSTILE = [
    "a.b[0]",
    "</script><script>alert(1)</script>",
    'datum["score"] + 1',
    '{"expr": "alert(1)"}',
    "two\nlines",
    "two\rlines",
    "<img src=x onerror=alert(1)>",
    " ",
    "__proto__",
]


def made(names, metrics=("W-F1", "Pk"), resamples=40):
    rng = np.random.default_rng(0)
    reference = {str(i): S(20, np.flatnonzero(rng.random(19) < 0.2) + 1) for i in range(12)}
    scorers = {
        name: cz.Corpus([cz.Document(id=key, n_units=20, scores=tuple(rng.random(19))) for key in reference])
        for name in names
    }
    return cz.sweep(reference, scorers, metrics=list(metrics), quantiles=12, resamples=resamples)


SVG = "{http://www.w3.org/2000/svg}"


def shown(svg):
    return {"".join(node.itertext()) for node in svg.iter(f"{SVG}text")}


def layer(panel, kind):
    return next(item for item in panel["layer"] if item["mark"]["type"] == kind)


def test_a_panel_per_metric_with_curves_and_bands():
    result = made(["first", "second"])
    figure = sweep_figure(result.results())
    assert [panel["title"]["text"] for panel in figure["concat"]] == ["W-F1 (higher is better)", "Pk (lower is better)"]
    for panel, metric in zip(figure["concat"], ("W-F1", "Pk"), strict=True):
        for name in ("first", "second"):
            rows = [row for row in panel["data"]["values"] if row["scorer"] == name]
            points = {p.threshold: p for p in result.points[name]}
            assert len(rows) > 5
            assert [row["bor"] for row in rows] == sorted(row["bor"] for row in rows)
            for row in rows:
                point = points[row["threshold"]]
                assert (row["bor"], row["score"]) == (point.scores["BOR"], point.scores[metric])
                assert (row["low"], row["high"]) == point.intervals[metric]
        band, line = layer(panel, "area"), layer(panel, "line")
        assert (band["encoding"]["y"]["field"], band["encoding"]["y2"]["field"]) == ("low", "high")
        assert line["encoding"]["x"]["scale"]["type"] == "log"
        assert {0.2, 0.5, 1.0, 2.0, 5.0} <= set(line["encoding"]["x"]["axis"]["values"])
        colours = line["encoding"]["color"]["scale"]
        assert len(set(colours["range"])) == len(colours["domain"]) == 2


def test_the_chosen_point_is_marked():
    result = made(["first", "second"])
    unmarked = sweep_figure(result.results())
    policy = result.policy("second", target_bor=1.0)
    figure = sweep_figure(result.results())
    for panel, metric in zip(figure["concat"], ("W-F1", "Pk"), strict=True):
        (row,) = panel["layer"][-1]["data"]["values"]
        assert panel["layer"][-1]["mark"]["shape"] == "diamond"
        assert (row["scorer"], row["bor"], row["score"]) == ("second", policy.reached["BOR"], policy.reached[metric])
    assert any("chosen for second" in line for line in figure["title"]["subtitle"])
    assert all("chosen" not in line for line in unmarked["title"]["subtitle"])


def test_more_scorers_than_colours_are_told_apart_by_dashes():
    figure = sweep_figure(made([f"s{n}" for n in range(14)], ["W-F1"], 5).results())
    encoding = layer(figure["concat"][0], "line")["encoding"]
    looks = zip(encoding["color"]["scale"]["range"], map(str, encoding["strokeDash"]["scale"]["range"]), strict=True)
    assert len(set(looks)) == 14


def test_nothing_to_draw():
    """A reference without boundaries has no BOR, and one unit no gap: the figure is empty, and is drawn."""
    scored = cz.Corpus([cz.Document(id="d", n_units=4, scores=(0.1, 0.9, 0.4))])
    result = cz.sweep({"d": S(4)}, {"m": scored}, metrics=["W-F1"], resamples=5)
    figure = sweep_figure(result.results())
    assert [row for row in figure["concat"][0]["data"]["values"] if row["bor"] != 1.0] == []
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    assert render_figure(figure, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(kind):
    if kind != "json":
        pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    result = made(["first", "second"])
    result.policy("first", best="W-F1")
    data = render_figure(sweep_figure(result.results()), kind)
    if kind == "png":
        assert data.startswith(b"\x89PNG\r\n")
        width = int.from_bytes(data[16:20], "big")
        assert width > 800
    elif kind == "pdf":
        assert data.startswith(b"%PDF-")
    elif kind == "json":
        assert json.loads(data)["$schema"].endswith("v5.json")
    else:
        text = data.decode()
        assert "BOR: boundaries per boundary of the reference" in text


def test_an_svg_says_what_it_shows():
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    result = made(["first", "second"])
    texts = shown(ElementTree.fromstring(render_figure(sweep_figure(result.results()), "svg")))
    assert {"first", "second", "W-F1 (higher is better)", "0.2", "0.5", "1", "2", "5"} <= texts


def test_names_stay_names():
    """Whatever a system is called, it is drawn as text, and nothing of it is run, looked up, or read as markup."""
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    result = made(HOSTILE, ["W-F1"], 5)
    result.policy(HOSTILE[1], target_bor=1.0)
    figure = sweep_figure(result.results())
    labels = layer(figure["concat"][0], "line")["encoding"]["color"]["scale"]["domain"]
    assert len(set(labels)) == len(HOSTILE)
    assert all("\n" not in label and label for label in labels)
    svg = ElementTree.fromstring(render_figure(figure, "svg"))
    assert set(labels) <= shown(svg)
    assert not list(svg.iter(f"{SVG}script"))
    page = render_figure(figure, "html", title=HOSTILE[1]).decode()
    assert "<script>alert" not in page
    assert page.count("</script") == 2
    held = re.search(r'id="specification">(.*?)</script>', page, flags=re.DOTALL)
    assert held is not None
    assert json.loads(held[1]) == json.loads(msgspec.json.encode(figure))


def test_a_page_needs_no_network():
    pytest.importorskip("vl_convert", reason="the extra 'report' is not installed")
    page = render_figure(sweep_figure(made(["m"], ["W-F1"], 5).results()), "html").decode()
    head = page[: page.index("<script")]
    assert "default-src 'none'" in head
    assert not re.search(r"<(?:script|link)[^>]*\s(?:src|href)=", page)


def test_other_results_have_no_such_figure():
    with pytest.raises(ComparabilityError, match="results of 'evaluate'"):
        sweep_figure(cz.evaluate(S(4, (2,)), {"a": S(4, (1,))}, ["F1"]).results())


def test_figure_kinds(monkeypatch):
    assert figure_kind("x/curves.JSON") == "json"
    with pytest.raises(
        FormatError, match=r"curves\.gif: is not a figure; end its name in \.svg, \.png, \.pdf, \.html, \.json"
    ):
        figure_kind("curves.gif")
    with pytest.raises(FormatError, match="not a kind of figure"):
        render_figure({}, "gif")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"caesura-eval\[report\]"):
        figure_kind("curves.svg")
    assert figure_kind("curves.json") == "json"
