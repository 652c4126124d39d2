"""CovN and CovD against an independent script in exact fractions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.golden.cells import Cell, cases, compare, sides
from tests.strategies import segment_matches

NAMES = {
    "R_N": "CovNRecall",
    "P_N": "CovNPrecision",
    "CovN": "CovN",
    "R_D": "CovDRecall",
    "P_D": "CovDPrecision",
    "CovD": "CovD",
}


def timed(case: dict[str, Any]) -> tuple[Segmentation, Segmentation]:
    """Return both sides; where units have durations, counted in milliseconds."""
    reference, hypothesis = sides(case)
    durations = case["input"].get("durations")
    if not durations:
        return reference, hypothesis
    edges = [0, *accumulate(round(1000 * duration) for duration in durations)]
    both = [
        Segmentation.from_masses([edges[end] - edges[start] for start, end in side.spans], unit="ms")
        for side in (reference, hypothesis)
    ]
    return both[0], both[1]


def cells() -> Iterator[Cell]:
    for case in cases("covn_covd"):
        reference, hypothesis = timed(case)
        for gamma, printed in case["expected"]["by_gamma"].items():
            for key, name in NAMES.items():
                if key in printed:
                    ours = metric(f"{name}(gamma={gamma})")
                    yield Cell(f"{case['id']} {ours}", ours(reference, hypothesis), printed[key])
            counts = metric(f"CovN(gamma={gamma})").counts(reference, hypothesis)
            for key, count in (("n_correct_ref", "ref_correct"), ("n_correct_hyp", "hyp_correct")):
                if key in printed:
                    yield Cell(f"{case['id']} {key} {gamma}", counts[count], printed[key])


def test_covn_covd() -> None:
    expected = sum(
        sum(key in printed for key in (*NAMES, "n_correct_ref", "n_correct_hyp"))
        for case in cases("covn_covd")
        for printed in case["expected"]["by_gamma"].values()
    )
    compare(cells(), {}, count=expected)
    # 77 cases at five gammas, 9 with durations at two; eight numbers each.
    assert expected == (77 * 5 + 9 * 2) * 8


def _with_matches() -> list[dict[str, Any]]:
    """Return the cases whose matches are recorded: all but those with durations."""
    found = [case for case in cases("covn_covd") if not case["input"].get("durations")]
    assert all("gamma_0.85_reference_side" in case["expected"] for case in found)
    assert len(found) == 77
    return found


def match_cells() -> Iterator[Cell]:
    for case in _with_matches():
        reference, hypothesis = sides(case)
        ref, hyp = segment_matches(reference, hypothesis)
        ours = {"reference": ref, "hypothesis": hyp}
        for name, side in (("reference", reference), ("hypothesis", hypothesis)):
            printed = case["expected"][f"gamma_0.85_{name}_side"]
            assert len(printed) == side.n_segments
            for place, (row, mass, there) in enumerate(zip(ours[name], side.masses, printed, strict=True)):
                partner, overlap, length = row
                where = f"{case['id']} {name} {place}"
                yield Cell(f"{where} match", partner, there["match"])
                yield Cell(f"{where} cov", overlap / mass, there["cov"])
                yield Cell(f"{where} cov_back", overlap / length, there["cov_back"])
                yield Cell(f"{where} harmonic", 2 * overlap / (mass + length), there["harmonic"])
                yield Cell(f"{where} correct", float(200 * overlap > 85 * (mass + length)), float(there["correct"]))


def test_matches_of_segments() -> None:
    segments = sum(side.n_segments for case in _with_matches() for side in sides(case))
    compare(match_cells(), {}, count=5 * segments)
