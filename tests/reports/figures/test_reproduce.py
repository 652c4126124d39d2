"""The figure of a reproduction: curves, boxes, or ours against print."""

from __future__ import annotations

import pytest

from caesura.errors import ComparabilityError
from caesura.experiments.reproductions import reproduce
from caesura.experiments.reproductions.base import Item, Value
from caesura.experiments.reproductions.cells import cells_of
from caesura.experiments.reproductions.printed import Entry
from caesura.experiments.reproductions.report import Reproduction
from caesura.reports.figures import draw, specification_of
from caesura.results import Results


def test_boxes_are_those_of_the_annotators():
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
