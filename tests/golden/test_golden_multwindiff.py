"""MultiWindowDiff against an independent script in exact fractions, and against the authors' Java program."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from caesura.batches.panel import PanelPairs
from caesura.metrics import metric
from caesura.metrics.agreement import PanelMetric
from caesura.metrics.profiles import under_profile
from caesura.segmentation import Segmentation
from tests.golden.cells import Cell, cases, compare

READINGS = {
    "m_segeval_rule": "MultiWindowDiff",
    "m_half_up_no_floor": "MultiWindowDiff(rounding='half_up', min_m=0)",
    "m=1": "MultiWindowDiff(m=1)",
    "m=3": "MultiWindowDiff(m=3)",
}
NOTHING = {
    # null: no window in a document of two units, or the bounds meet because annotators are split evenly everywhere.
    **{f"two-units/h-{h} {reading} {part}": says
       for h in ("first", "union") for reading in ("m_segeval_rule", "m=3")
       for part, says in (("score", math.nan), ("raw", math.nan), ("best", math.nan), ("worst", math.nan), ("windows", 0), ("errors", 0))},
    **{f"one-all-boundaries/h-{h} {reading} score": math.nan
       for h in ("last", "majority") for reading in ("m_half_up_no_floor", "m=1")},
}  # fmt: skip


def sides(case: Mapping[str, Any]) -> tuple[list[Segmentation], Segmentation]:
    references = [Segmentation.from_masses(masses) for masses in case["input"]["references"]]
    return references, Segmentation.from_masses(case["input"]["hypothesis"])


def counts(ours: PanelMetric, case: Mapping[str, Any]) -> dict[str, float]:
    row = ours.count(PanelPairs.of(*sides(case)))[0]
    return dict(zip(ours.columns, row.tolist(), strict=True))


def cells() -> Iterator[Cell]:
    named = {"score": "multwindiff", "raw": "raw_eq7", "best": "best_case", "worst": "worst_case"}
    for case in cases("multwindiff"):
        for reading, text in READINGS.items():
            printed = case["expected"]["independent"][reading] or {}
            ours = metric(text)
            parts, counted = ours.parts(*sides(case)), counts(ours, case)
            for part, theirs in named.items():
                yield Cell(f"{case['id']} {reading} {part}", parts[part], printed.get(theirs))
            for part, theirs in (("windows", "windows"), ("errors", "total_errors")):
                yield Cell(f"{case['id']} {reading} {part}", counted[part], printed.get(theirs))
            if printed:
                yield Cell(f"{case['id']} {reading} m", parts["m"], printed["m"])


def test_multwindiff() -> None:
    compare(cells(), NOTHING, count=123 * 4 * 6 + 123 * 4 - 4)


def java_cells() -> Iterator[Cell]:
    ours = under_profile("MultiWindowDiff", "as_run")
    named = {"score": "normalised", "raw": "raw", "best": "best_case", "worst": "worst_case"}
    for case in cases("multwindiff"):
        parts = ours.parts(*sides(case))
        for part, theirs in named.items():
            yield Cell(f"{case['id']} {part}", parts[part], case["expected"]["java_haps"][theirs])


def test_what_the_authors_program_prints() -> None:
    assert under_profile("MultiWindowDiff", "as_run") == metric("MultiWindowDiff(as_run=True)")
    compare(java_cells(), {}, count=123 * 4)


def test_the_authors_program_leaves_its_bounds_and_ours_does_not() -> None:
    theirs = [case["expected"]["java_haps"]["normalised"] for case in cases("multwindiff")]
    assert max(theirs) > 1.1
    ours = [metric("MultiWindowDiff")(*sides(case)) for case in cases("multwindiff")]
    assert all(math.isnan(score) or 0 <= score <= 1 for score in ours)


def test_eq_10_as_printed_is_not_ours() -> None:
    """Literally the printed formula may be above 0 where every window takes the most supported count."""
    found = 0
    for case in cases("multwindiff"):
        for printed in case["expected"]["independent"].values():
            if printed and printed["multwindiff"] == 0.0 and printed["best_case"] > 0:
                found += printed["eq10_literal"] > 0
    assert found > 10
