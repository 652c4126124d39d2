"""Pk and WindowDiff against what segeval 2.0.11 and NLTK 3.10.4 printed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from caesura.kernels import kernel
from caesura.metrics import metric
from caesura.metrics.profiles import under_profile
from tests.golden.cells import Cell, cases, compare, pairs_of, sides
from tests.strategies import count_one

NO_WINDOW = ("two-units-same", "two-units-miss", "two-units-fa", "two-units-none")
SEGEVAL_DISAGREEMENTS = {
    # k = 2 is not shorter than the two units: no window, so nothing is defined. segeval prints Pk = 0 ...
    **{f"{case} Pk": math.nan for case in NO_WINDOW},
    # ... and crashes on WindowDiff (DivisionUndefined).
    **{f"{case} WindowDiff": math.nan for case in NO_WINDOW},
    **{f"{case} WindowDiff errors": 0 for case in NO_WINDOW},
    **{f"{case} WindowDiff windows": 0 for case in NO_WINDOW},
}


def segeval_cells() -> Iterator[Cell]:
    named = {
        "pk": "Pk({})",
        "windowdiff": "WindowDiff({})",
        "windowdiff_lamprier": "WindowDiff({}, edge='lamprier_segeval')",
    }
    for case, reference, hypothesis, expected in pairs_of("segeval_windows"):
        for key, text in named.items():
            ours = metric(text.format("").replace("(, ", "("))
            yield Cell(f"{case} {ours}", ours(reference, hypothesis), expected[key])
            for k, printed in expected["by_window"].items():
                ours = metric(text.format(f"k={k}"))
                yield Cell(f"{case} {ours}", ours(reference, hypothesis), printed[key])
        for key, name in (("pk_parts", "Pk"), ("windowdiff_parts", "WindowDiff")):
            counts, printed = metric(name).counts(reference, hypothesis), expected[key]
            crashed = isinstance(printed, dict)
            for place, part in enumerate(("errors", "windows")):
                yield Cell(f"{case} {name} {part}", counts[part], printed if crashed else printed[place])
        used = count_one(kernel("pk"), reference, hypothesis)[0]
        yield Cell(f"{case} k", used, expected["window_size_default"])


def test_segeval_windows() -> None:
    found = list(segeval_cells())
    by_window = sum(len(case["expected"]["by_window"]) for case in cases("segeval_windows"))
    compare(found, SEGEVAL_DISAGREEMENTS, count=69 * (3 + 4 + 1) + 3 * by_window)
    assert by_window == 324


def nltk_cells() -> Iterator[Cell]:
    for case, reference, hypothesis, expected in pairs_of("nltk_windows"):
        for k, printed in expected["slots_n_minus_1"].items():
            yield Cell(f"{case} Pk {k}", metric(f"Pk(k={k})")(reference, hypothesis), printed["pk"])
            for key, weighted in (("windowdiff", False), ("windowdiff_weighted", True)):
                ours = metric(f"WindowDiff(k={k}, weighted={weighted})")
                yield Cell(f"{case} {key} {k}", ours(reference, hypothesis), printed[key])
        for k, printed in expected["with_trailing_boundary"].items():
            for key, name in (("pk", "Pk"), ("windowdiff", "WindowDiff")):
                ours = metric(f"{name}(k={k}, string='units_closed')")
                yield Cell(f"{case} {key} {k} closed", ours(reference, hypothesis), printed[key])
        for key, text in (("slots", "Pk"), ("trailing", "Pk(string='units_closed')")):
            ours = under_profile(text, "nltk")
            yield Cell(f"{case} default {key}", ours(reference, hypothesis), expected[f"pk_default_k_{key}"])


def test_nltk_windows() -> None:
    slots = sum(len(case["expected"]["slots_n_minus_1"]) for case in cases("nltk_windows"))
    closed = sum(len(case["expected"]["with_trailing_boundary"]) for case in cases("nltk_windows"))
    compare(nltk_cells(), {}, count=3 * slots + 2 * closed + 2 * 69)
    assert (slots, closed) == (324, 134)


def test_slot_strings_are_our_bits() -> None:
    compared = 0
    for case in cases("nltk_windows"):
        for side, segmentation in zip(("reference", "hypothesis"), sides(case), strict=True):
            printed = case["input"][f"{side}_slots"]
            if printed is not None:  # left out for the one long document
                assert segmentation.bits == printed
                compared += 1
    assert compared == 2 * 68
