"""Profile `superdialseg` against what SuperDialseg's released evaluation printed, over corpora of dialogues.

Its F1 averaged over both labels is not offered: nobody prints it, and the score does not use it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from caesura.evaluation.evaluate import evaluate
from caesura.segmentation import Segmentation
from tests.golden.cells import Cell, cases, compare

NAMES = {"pk": "Pk", "windowdiff": "WindowDiff", "f1(binary)": "F1", "mae": "MAE", "total_score": "Score"}


def cells() -> Iterator[Cell]:
    for case in cases("superdialseg"):
        sides = [
            {str(place): Segmentation.from_masses(each[side]) for place, each in enumerate(case["input"]["documents"])}
            for side in ("reference", "hypothesis")
        ]  # fmt: skip
        scores = evaluate(sides[0], {"h": sides[1]}, profile="superdialseg").scores["h"]
        assert set(scores) == set(NAMES.values())
        for key, name in NAMES.items():
            yield Cell(f"{case['id']} {name}", scores[name], case["expected"].get(key))


def test_superdialseg() -> None:
    # One unit: the program divides by zero windows.
    crashed = {"fixed-1-vs-1 F1": 0.0, "fixed-1-vs-1 MAE": 0.0}
    crashed |= {f"fixed-1-vs-1 {name}": math.nan for name in ("Pk", "WindowDiff", "Score")}
    compare(cells(), crashed, count=52 * 5)


def test_the_score_is_that_of_the_means() -> None:
    for case in cases("superdialseg"):
        printed = case["expected"]
        if "peer_error" not in printed:
            parts = printed["f1(binary)"] / 2 + (1 - printed["pk"]) / 4 + (1 - printed["windowdiff"]) / 4
            assert printed["total_score"] == pytest.approx(parts, abs=1e-12)
