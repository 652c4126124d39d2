"""WinPR against an independent script (padded windows) and the author's class (interior windows)."""

from __future__ import annotations

from collections.abc import Iterator

from caesura.kernels import kernel
from caesura.metrics import metric
from tests.golden.cells import Cell, cases, compare, pairs_of
from tests.strategies import count_one

EDGES = {"padded": "padded", "interior_only": "interior"}


def _empty_sides() -> tuple[set[str], set[str]]:
    """Return the cases whose reference, and those whose hypothesis, has no boundary."""
    found = list(pairs_of("winpr"))
    return (
        {case for case, reference, _, _ in found if reference.n_boundaries == 0},
        {case for case, _, hypothesis, _ in found if hypothesis.n_boundaries == 0},
    )


def disagreements() -> dict[str, float]:
    """Return the cells with nothing to divide by: 0 for us, or 1 if neither side has a boundary; null in the script, 0 in the
    author's class.
    """
    no_reference, no_hypothesis = _empty_sides()
    assert no_reference == {"false-alarm", "two-units-fa", "two-units-none", "rand-23"}
    assert no_hypothesis == {"full-miss", "two-units-miss", "two-units-none", "rand-05", "rand-22", "jitter-04"}
    table = {}
    for case in cases("winpr"):
        for k in case["expected"]["by_window"]:
            neither = case["id"] in no_reference & no_hypothesis
            for edge in EDGES:
                if edge == "interior_only" and not neither:
                    continue  # 0 for the author too
                if case["id"] in no_hypothesis:
                    table[f"{case['id']} precision {edge} {k}"] = float(neither)
                if case["id"] in no_reference:
                    table[f"{case['id']} recall {edge} {k}"] = float(neither)
    return table


def cells() -> Iterator[Cell]:
    for case, reference, hypothesis, expected in pairs_of("winpr"):
        for k, printed in expected["by_window"].items():
            for key, edge in EDGES.items():
                for name, rate in (("WinPrecision", "precision"), ("WinRecall", "recall")):
                    ours = metric(f"{name}(k={k}, edge='{edge}')")
                    yield Cell(f"{case} {rate} {key} {k}", ours(reference, hypothesis), printed[key][rate])
                counts = metric(f"WinF1(k={k}, edge='{edge}')").counts(reference, hypothesis)
                found = counts["hyp_sum"] - counts["surplus"]
                assert found == counts["ref_sum"] - counts["deficit"]
                yield Cell(f"{case} tp {key} {k}", found, printed[key]["tp"])
                yield Cell(f"{case} fp {key} {k}", counts["surplus"], printed[key]["fp"])
                yield Cell(f"{case} fn {key} {k}", counts["deficit"], printed[key]["fn"])
                # All gaps in all windows, less those that either side has; padded windows hold k(k-1) gaps outside.
                request = metric(f"WinF1(k={k}, edge='{edge}')").request("unit")
                windows = count_one(kernel("window_diff"), reference, hypothesis, *request.parameters)[1]
                outside = int(k) * (int(k) - 1) if edge == "padded" else 0
                nothing = windows * int(k) - outside - found - counts["surplus"] - counts["deficit"]
                yield Cell(f"{case} tn {key} {k}", nothing, printed[key]["tn"])


def test_winpr() -> None:
    windows = sum(len(case["expected"]["by_window"]) for case in cases("winpr"))
    compare(cells(), disagreements(), count=windows * 2 * 6)
    assert windows == 261


def test_padded_windows_weigh_every_boundary_alike() -> None:
    for _, reference, hypothesis, expected in pairs_of("winpr"):
        for k in map(int, expected["by_window"]):
            counts = metric(f"WinF1(k={k})").counts(reference, hypothesis)
            assert counts["ref_sum"] == k * reference.n_boundaries
            assert counts["hyp_sum"] == k * hypothesis.n_boundaries
