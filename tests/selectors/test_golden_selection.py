"""Selection against recorded values: static (the authors' code) and adaptive (an independent script)."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from caesura.selectors import AdaptiveSelector, StaticSelector

DATA = Path(__file__).resolve().parents[1] / "golden" / "data"
STATIC = json.loads((DATA / "selection_static.json").read_text())["cases"]
ADAPTIVE = json.loads((DATA / "selection_adaptive.json").read_text())["cases"]


@pytest.mark.parametrize("case", STATIC, ids=[case["id"] for case in STATIC])
def test_static(case):
    compared = 0
    for key, expected in case["expected"]["selected"].items():
        threshold, gap = (part.partition("=")[2] for part in key.split(","))
        chosen = StaticSelector(threshold=float(threshold), min_gap=int(gap)).select(case["input"]["scores"])
        assert list(chosen.boundaries) == expected, key
        assert chosen.n_units == len(case["input"]["scores"]) + 1
        compared += 1
    assert compared >= 1


def adaptive(case) -> AdaptiveSelector:
    given = case["input"]
    return AdaptiveSelector(
        rate=given["rho"],
        min_gap=given["g"],
        window=given["W"],
        step=given["eta"],
        threshold=given["tau0"],
        horizon=given["horizon"],
        count=given["count"],
    )


@pytest.mark.parametrize("case", ADAPTIVE, ids=[case["id"] for case in ADAPTIVE])
def test_adaptive(case):
    selector, expected = adaptive(case), case["expected"]
    assert [[c.gap, c.step] for c in selector.run(case["input"]["scores"])] == expected["commits"]
    assert list(selector.select(case["input"]["scores"]).boundaries) == expected["boundaries"]
    # Online a horizon is required; one longer than the document never drops a candidate, as none does offline.
    selector = dataclasses.replace(selector, horizon=selector.horizon or len(case["input"]["scores"]) + 1)
    trace = []
    for score in case["input"]["scores"]:
        selector.push(score)
        trace.append(selector.state()["threshold"])
    assert trace == pytest.approx(expected["tau_trace"], abs=1e-9)
    assert selector.state()["evaluations"] == expected["evaluations"]
