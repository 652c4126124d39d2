"""The figure of a reproduction: curves, boxes, or ours against print."""

from __future__ import annotations

import pytest

from caesura.errors import ComparabilityError
from caesura.reports.figures import draw, specification_of
from caesura.results import Results
from caesura.results.reproduce.figure import has_figure
from caesura_reproductions.base import Item, Value, drawn
from caesura_reproductions.cells import cells_of, series_of
from caesura_reproductions.printed import Entry
from caesura_reproductions.report import Reproduction
from caesura_reproductions.run import reproduce


def test_boxes_are_those_of_the_annotators(monkeypatch):
    monkeypatch.delenv("CAESURA_DATA", raising=False)  # the chapters of the package
    figure = specification_of(reproduce("004", "Fig1").results())
    (panel,) = figure["concat"]
    boxes = {row["row"]: row for row in panel["data"]["values"]}
    assert len(boxes) == 8
    # Chapter 1 was cut into 2, 5, 2 and 4 segments.
    assert (boxes["ch1"]["least"], boxes["ch1"]["median"], boxes["ch1"]["most"]) == (2, 3, 5)


def test_a_paper_without_curves_shows_ours_against_print():
    made = reproduce("000", "T2")
    (panel,) = specification_of(made.results())["concat"]
    values = panel["data"]["values"]
    assert len(values) == 40
    (wrong,) = [value for value in values if value["status"] == "different"]
    assert (wrong["printed"], wrong["cell"]) == (0.56, "SegReFree, WD mean")


def test_columns_that_are_numbers_make_curves():
    item = Item("Fig2", "Removal", lambda printed, data: ())
    printed = {("Pk", "1"): Entry("0.50", "shape", "paper", None)}
    values = [Value(row, str(level), level / 4, holds=True) for row in ("Pk", "WD") for level in range(3)]
    made = Reproduction("9", "a", "t", [item], cells_of(item, printed, values))
    (panel,) = specification_of(made.results())["concat"]
    points = {(v["row"], v["level"]): (v["ours"], v["printed"]) for v in panel["data"]["values"]}
    assert points["Pk", 1.0] == (0.25, 0.5)
    assert points["WD", 2.0] == (0.5, None)
    assert draw(made.results(), "curves.json").startswith(b"{")


def test_nothing_to_draw():
    item = Item("T1", "Nothing", lambda printed, data: ())
    made = Reproduction("9", "a", "t", [item], cells_of(item, {}, []))
    for results in (made.results(), Results(question="reproduce")):
        with pytest.raises(ComparabilityError):
            specification_of(results)


def test_a_corpus_has_its_panel_and_a_large_scale_its_axis():
    item = Item("Fig2", "Removal", lambda printed, data: ())
    tops = {"a | Pk": 1.0, "a | WD": 0.8, "a | SegReFree": 9.0, "b | Pk": 1.0}
    values = [Value(row, str(n), top * n / 2, holds=True) for row, top in tops.items() for n in range(3)]
    made = Reproduction("9", "a", "t", [item], cells_of(item, {}, values))
    first, second = specification_of(made.results())["concat"]
    assert [panel["title"]["subtitle"][-1] for panel in (first, second)] == ["a", "b"]
    small, large = first["layer"]
    assert {value["row"] for value in small["data"]["values"]} == {"Pk", "WD"}
    assert {value["row"] for value in large["data"]["values"]} == {"SegReFree"}
    assert large["layer"][0]["encoding"]["y"]["axis"] == {"title": "SegReFree", "orient": "right"}
    assert {value["row"] for value in second["data"]["values"]} == {"Pk"}


def test_series_share_colours_and_scales_over_panels():
    """Two panels of lines: a name has one colour in both, and what both measure one scale."""
    item = Item("Fig1", "Curves", lambda printed, data: ())
    axes = ("BOR", "W-F1")
    parts = [
        drawn("theirs", "neural", (0.5, 1.0), (0.2, 0.4), axes=axes),
        drawn("theirs", "tiling", (0.5, 1.0), (0.1, 0.3), (0.0, 0.2), (0.2, 0.9), axes=axes),
        drawn("ours", "tiling", (0.5, 1.0), (0.1, 0.3), axes=axes),
    ]
    made = Reproduction("9", "a", "t", [item], [], series=series_of(item, parts))
    theirs, ours = specification_of(made.results())["concat"]
    assert [panel["title"]["subtitle"][-1] for panel in (theirs, ours)] == ["theirs", "ours"]
    band, *lines = theirs["layer"]
    assert (band["mark"]["type"], len(lines)) == ("area", 2)
    assert [value["high"] for value in band["data"]["values"]] == [0.2, 0.9]
    colours = {
        (panel, name): colour
        for panel, whole in (("theirs", theirs), ("ours", ours))
        for name, colour in zip(*whole["layer"][-1]["encoding"]["color"]["scale"].values(), strict=True)
    }
    assert colours["theirs", "tiling"] == colours["ours", "tiling"] != colours["theirs", "neural"]
    assert {layer["encoding"]["y"]["scale"]["domain"][1] for layer in (*theirs["layer"], *ours["layer"])} == {0.9}
    assert has_figure(made.results())


def test_bars_rules_and_ticks():
    item = Item("Fig3", "Bars", lambda printed, data: ())
    parts = [
        drawn("a", "share", (1, 2, 3), (0.5, 0.6, 0.7), kind="bars", axes=("gap", "share")),
        drawn("a", "target", (), (0.2,), kind="rule", axes=("gap", "share")),
        drawn("b", "an1", (2, 5), (7,), kind="ticks", axes=("unit", "annotator")),
    ]
    made = Reproduction("9", "a", "t", [item], [], series=series_of(item, parts))
    shares, ticks = specification_of(made.results())["concat"]
    assert [layer["mark"]["type"] for layer in shares["layer"]] == ["bar", "rule"]
    (layer,) = ticks["layer"]
    assert layer["encoding"]["x"]["scale"]["domain"] == [0, 7]
    assert [value["x"] for value in layer["data"]["values"]] == [2, 5]
    assert draw(made.results(), "bars.svg").count(b"<svg") == 1
