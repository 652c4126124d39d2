"""Boundary precision, recall, F1 and BOR: hand counts, printed values, the definitions restated."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import MetricError
from caesura.kernels.matching import match_boundaries
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.metrics import brute
from tests.strategies import Pair, all_pairs, counted, pairs

RATES = ("BoundaryPrecision", "BoundaryRecall", "BoundaryF1")


def test_figure_2_of_the_granularity_paper() -> None:
    """Paper 003, Figure 2: one reference boundary, hit; three more predicted: F1 = 0.40."""
    reference, hypothesis = Segmentation(12, (6,)), Segmentation(12, (3, 6, 8, 10))
    assert metric("BoundaryPrecision")(reference, hypothesis) == 0.25
    assert metric("BoundaryRecall")(reference, hypothesis) == 1.0
    assert metric("F1")(reference, hypothesis) == pytest.approx(0.40)
    assert metric("BOR")(reference, hypothesis) == 4.0


def test_density_of_a_corpus_is_pooled() -> None:
    """Paper 003: 5167 predicted over 2042 gold boundaries make BOR 2.53."""
    documents = [(Segmentation(6001, range(1, 2043)), Segmentation(6001, range(1, 5168)))]
    assert round(float(metric("BOR").score(counted(metric("BOR"), documents).sum(axis=0))), 2) == 2.53
    assert metric("BOR").card.aggregation == "micro"


@pytest.mark.parametrize(
    ("reference", "hypothesis", "score"),
    [((), (), 1.0), ((), (3,), math.inf), ((3,), (), 0.0), ((3, 5), (4,), 0.5), ((3,), (2, 3, 4), 3.0)],
)
def test_bor(reference: tuple[int, ...], hypothesis: tuple[int, ...], score: float) -> None:
    assert metric("BOR")(Segmentation(9, reference), Segmentation(9, hypothesis)) == score


def test_bor_leaves_documents_without_reference_boundaries_out_of_the_macro_mean() -> None:
    documents = [
        (Segmentation(5), Segmentation(5)),
        (Segmentation(5), Segmentation(5, (1,))),
        (Segmentation(5, (2,)),) * 2,
    ]
    assert metric("BOR").included(counted(metric("BOR"), documents)).tolist() == [False, False, True]


def test_neighbouring_boundaries_are_both_found() -> None:
    """Identity scores 1 whatever the tolerance; the released code credits one of two neighbours and gives 0.8."""
    side = Segmentation.from_masses([2, 7, 1, 6])
    assert metric("W-F1")(side, side) == 1.0
    assert metric("BoundaryF1(tolerance=1, matching='as_run')")(side, side) == pytest.approx(0.8)


def test_greedy_matching_is_not_largest() -> None:
    """Nearest first takes 4-5 and leaves 3 and 7 without a partner within 2; two pairs are possible."""
    reference, hypothesis = Segmentation(12, (3, 5)), Segmentation(12, (4, 7))
    assert metric("F1(tolerance=2, matching='one_to_one')").counts(reference, hypothesis)["found_ref"] == 2
    trap = Segmentation(12, (2, 5)), Segmentation(12, (4, 7))
    assert metric("F1(tolerance=2, matching='one_to_one')").counts(*trap)["found_ref"] == 2
    assert metric("F1(tolerance=2, matching='as_run_one_to_one')").counts(*trap)["found_ref"] == 1


def test_coverage_lets_one_boundary_find_two() -> None:
    reference, hypothesis = Segmentation(9, (3, 5)), Segmentation(9, (4,))
    assert metric("W-F1")(reference, hypothesis) == 1.0
    assert metric("BoundaryF1(tolerance=1, matching='one_to_one')")(reference, hypothesis) == pytest.approx(2 / 3)


@pytest.mark.parametrize("matching", ["coverage", "one_to_one"])
@pytest.mark.parametrize("tolerance", [0, 1, 4])
def test_empty_sides(matching: str, tolerance: int) -> None:
    """Paper 003, Appendix A: both empty 1; one empty 0 on all three."""
    nothing, something = Segmentation(9), Segmentation(9, (3, 5))
    options = f"tolerance={tolerance}, matching='{matching}'"
    for name in RATES:
        ours = metric(f"{name}({options})")
        assert ours(nothing, nothing) == 1.0
        assert ours(nothing, something) == ours(something, nothing) == 0.0
    vacuous = [metric(f"{name}({options}, empty='vacuous')") for name in RATES]
    assert [m(something, nothing) for m in vacuous] == [1.0, 0.0, 0.0]
    assert [m(nothing, something) for m in vacuous] == [0.0, 1.0, 0.0]


def _check(pair: Pair, tolerance: int, matching: str) -> None:
    precision, recall = brute.boundary_rates(*pair, tolerance, matching)
    for name, rate in zip(RATES, (precision, recall, brute.harmonic(precision, recall)), strict=True):
        ours = metric(f"{name}(tolerance={tolerance}, matching='{matching}')")
        assert ours(*pair) == pytest.approx(brute.as_float(rate), abs=1e-12)


@pytest.mark.parametrize("n_units", range(1, 7))
@pytest.mark.parametrize("tolerance", [0, 1, 2])
def test_all_small_documents(n_units: int, tolerance: int) -> None:
    near = metric(f"BoundaryF1(tolerance={tolerance})")
    matched = metric(f"BoundaryF1(tolerance={tolerance}, matching='one_to_one')")
    for reference, hypothesis in all_pairs(n_units):
        counts = near.counts(reference, hypothesis)
        assert counts["found_ref"] == brute.covered(reference, hypothesis, tolerance)
        assert counts["found_hyp"] == brute.covered(hypothesis, reference, tolerance)
        best = len(match_boundaries(reference.boundaries, hypothesis.boundaries, tolerance))
        assert matched.counts(reference, hypothesis)["found_ref"] == best


@settings(max_examples=200)
@given(pair=pairs(), tolerance=st.integers(0, 5), matching=st.sampled_from(["coverage", "one_to_one"]))
def test_rates_are_their_definition(pair: Pair, tolerance: int, matching: str) -> None:
    _check(pair, tolerance, matching)


@settings(max_examples=200)
@given(pair=pairs(max_units=8), tolerance=st.integers(0, 4))
def test_reported_matching_is_largest_nearest_left_most(pair: Pair, tolerance: int) -> None:
    ref, hyp = pair[0].boundaries[:5], pair[1].boundaries[:5]
    found = match_boundaries(ref, hyp, tolerance)
    expected = brute.best_matching(ref, hyp, tolerance)
    distance = [sum(abs(ref[i] - hyp[j]) for i, j in chosen) for chosen in (found, expected)]
    assert len(found) == len(expected)
    assert distance[0] == distance[1]
    assert found == expected


def test_reported_matching_where_left_to_right_is_not_nearest() -> None:
    """Definitions, section 8: P = {3}, G = {1, 3}, w = 2: left to right would report 1-3."""
    assert match_boundaries((1, 3), (3,), 2) == [(1, 0)]
    assert match_boundaries((2, 4), (3,), 2) == [(0, 0)]


@settings(max_examples=150)
@given(
    pair=pairs(),
    tolerance=st.integers(0, 4),
    cut=st.integers(1, 6),
    length=st.sampled_from(["short", "long"]),
    matching=st.sampled_from(["coverage", "one_to_one"]),
)
def test_length_classes(pair: Pair, tolerance: int, cut: int, length: str, matching: str) -> None:
    """A boundary belongs to the class of the segment it opens; the others still serve as neighbours."""
    options = f"tolerance={tolerance}, matching='{matching}', length='{length}', cut={cut}"
    counts = metric(f"BoundaryF1({options})").counts(*pair)
    matches = match_boundaries(pair[0].boundaries, pair[1].boundaries, tolerance)
    for place, (side, other) in enumerate((pair, pair[::-1])):
        opened = dict(zip(side.boundaries, side.masses[1:], strict=True))
        members = [gap for gap, mass in opened.items() if (mass < cut) == (length == "short")]
        if matching == "coverage":
            found = [gap for gap in members if any(abs(gap - there) <= tolerance for there in other.boundaries)]
        else:
            taken = {side.boundaries[chosen[place]] for chosen in matches}
            found = [gap for gap in members if gap in taken]
        name = ("ref", "hyp")[place]
        assert (counts[f"n_{name}"], counts[f"found_{name}"]) == (len(members), len(found))
    everything = metric(f"BoundaryF1(tolerance={tolerance}, matching='{matching}')").counts(*pair)
    other_class = metric(f"BoundaryF1({options.replace(length, 'long' if length == 'short' else 'short')})").counts(
        *pair
    )
    assert {key: counts[key] + other_class[key] for key in counts} == everything


def test_length_class_without_a_boundary_is_undefined() -> None:
    pair = (Segmentation(9, (3,)), Segmentation(9, (3,)))
    for name in RATES:
        assert math.isnan(metric(f"{name}(length='short', cut=2)")(*pair))
        assert metric(f"{name}(length='long', cut=2)")(*pair) == 1.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("F1(length='short')", r"BoundaryF1: length='short' with cut=None; a length class needs both, such as length="),
        ("F1(cut=3)", r"BoundaryF1: length='all' with cut=3; a length class needs both"),
        (
            "F1(length='short', cut=3, matching='as_run')",
            r"BoundaryF1\(matching='as_run'\) does not know length classes; leave length out",
        ),
        ("F1(tolerance='10s')", r"tolerance='10s' is a length in time, but the unit of the segmentations is 'unit'"),
        (
            "F1(tolerance='3c')",
            r"tolerance='3c' is a length in characters, but the unit of the segmentations is 'unit'",
        ),
    ],
)
def test_parameters_that_do_not_fit(text: str, message: str) -> None:
    side = Segmentation(9, (3,))
    with pytest.raises(MetricError, match=message):
        metric(text)(side, side)


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("tolerance", [0, 1])
def test_no_default_on_continuous_units(name: str, tolerance: int) -> None:
    side = Segmentation.from_seconds([60], duration=200)
    with pytest.raises(
        MetricError,
        match=rf"^{name}: tolerance={tolerance} is meaningless on the unit 'ms'; give a length, such as tolerance='10s'$",
    ):
        metric(f"{name}(tolerance={tolerance})")(side, side)
    assert metric(f"{name}(tolerance='10s')")(side, side) == 1.0
    assert metric(f"{name}(tolerance='0s')")(side, side) == 1.0
    assert metric("BOR")(side, side) == 1.0


def test_ten_seconds() -> None:
    """The tolerance of paper 001 (section 2)."""
    reference = Segmentation.from_seconds([60, 120, 180], duration=240)
    hypothesis = Segmentation.from_seconds([50.0, 131.0, 179.5], duration=240)
    assert metric("BoundaryRecall(tolerance='10s')")(reference, hypothesis) == pytest.approx(2 / 3)
    assert metric("BoundaryF1(tolerance='11s')")(reference, hypothesis) == 1.0
    assert metric("BoundaryF1(tolerance='0.18min')")(reference, hypothesis) == pytest.approx(2 / 3)
