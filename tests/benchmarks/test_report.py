# SPDX-License-Identifier: Apache-2.0
"""Numbers, verdicts, and the page made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.__main__ import PARTS
from benchmarks.page import render
from benchmarks.parts.growth import slope
from benchmarks.results import Part, Ratio, Report, ratio_of
from benchmarks.timing import interleave

ROOT = Path(__file__).parents[2]
RESULTS, PAGE = ROOT / "benchmarks" / "results.json", ROOT / "docs" / "benchmarks.md"


def example():
    part = Part("one", "One", rounds={"a": [1.0, 2.0, 3.0]}, numbers={"bytes": 12.0})
    part.goal(4, "at most", "<=", 2.0, Ratio(1.5, 1.0, 2.5))
    part.goal(1, "at least", ">=", 100, Ratio(99.0, 98.0, 120.0))
    part.goal(9, "nothing", "<=", 1.0, None, "no compiler")
    return Report(quick=False, seed=7, versions={"Python": "3"}, parts=[part])


def test_ratio_is_taken_round_by_round():
    assert ratio_of([2.0, 9.0, 4.0], [1.0, 3.0, 1.0], 10.0) == Ratio(30.0, 20.0, 40.0)


def test_verdicts_follow_the_median():
    assert [goal.met for goal in example().parts[0].goals] == [True, False, None]


def test_saved_run_reads_back(tmp_path):
    report = example()
    report.save(tmp_path / "results.json")
    assert Report.load(tmp_path / "results.json") == report


def test_parts_that_were_measured_again_replace_those_of_an_earlier_run():
    again = Report(quick=False, seed=7, versions={"Python": "3", "nltk": "4"}, parts=[Part("two", "Two")])
    joined = again.joined(example())
    assert [part.name for part in joined.parts] == ["one", "two"]
    assert joined.versions == {"Python": "3", "nltk": "4"}
    other = Report(quick=False, seed=7, versions={}, parts=[Part("one", "New")])
    assert [part.title for part in other.joined(joined).parts] == ["New", "Two"]


def test_page_says_met_and_not_met():
    page = render(example())
    assert "1 lines met, 1 not met, 1 not measured." in page
    assert "| 1 | at least | ≥ 100x | 99x (98x .. 120x) | **not met** |" in page
    assert "| 9 | nothing | ≤ 1x | not measured | no compiler |" in page
    assert page.index("| 1 | at least") < page.index("| 4 | at most") < page.index("| 9 | nothing")


def test_docs_page_is_what_its_numbers_give():
    if not RESULTS.exists():
        pytest.skip("the benchmark was not run in this checkout")
    assert PAGE.read_text(encoding="utf-8") == render(Report.load(RESULTS), PARTS)


def test_rounds_are_interleaved():
    order = []
    times = interleave({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3, 0.0)
    assert order[-6:] == ["a", "b"] * 3
    assert [len(seconds) for seconds in times.values()] == [3, 3]


def test_slope_of_a_square_is_two():
    assert slope((10, 100, 1_000, 10_000), [1.0, 100.0, 1e4, 1e6]) == pytest.approx(2.0)
