"""S, B and the edit rates: hand counts, the order of near misses, the formulas restated."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import MetricError
from caesura.kernels import kernel
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.metrics import brute
from tests.strategies import Pair, all_pairs, count_one, pairs


def test_one_near_miss_costs_half() -> None:
    """Default n_t = 2 (papers 000 and 002): one boundary one off costs 1/2."""
    pair = Segmentation.from_masses([5, 5]), Segmentation.from_masses([4, 6])
    assert metric("B")(*pair) == 0.5
    assert metric("S")(*pair) == pytest.approx(1 - 0.5 / 9)
    assert metric("B(n_t=1)")(*pair) == 0.0
    assert metric("B(n_t=4)")(*pair) == 0.75
    # A pure near miss adds nothing to the errors.
    assert metric("EditPrecision")(*pair) == metric("EditRecall")(*pair) == metric("EditF1")(*pair) == 1.0


def test_precision_and_recall_are_the_right_way_round() -> None:
    """Eight false boundaries and one hit, which segeval prints as precision 1 and recall 0.11."""
    reference, hypothesis = Segmentation.from_masses([10, 10]), Segmentation.from_masses([2] * 10)
    assert metric("EditPrecision")(reference, hypothesis) == pytest.approx(1 / 9)
    assert metric("EditRecall")(reference, hypothesis) == 1.0
    assert metric("EditF1")(reference, hypothesis) == pytest.approx(0.2)
    assert metric("EditPrecision(as_printed=True)")(reference, hypothesis) == 1.0
    assert metric("EditRecall(as_printed=True)")(reference, hypothesis) == pytest.approx(1 / 9)


def test_a_wide_near_miss_weighs_less() -> None:
    """n_t = 4, distance 3: worth 1/4; segeval adds the cost 3/4 instead."""
    pair = Segmentation(20, (5, 12)), Segmentation(20, (8, 12, 16))
    assert metric("EditPrecision(n_t=4)")(*pair) == pytest.approx(1.25 / 2.25)
    assert metric("EditRecall(n_t=4)")(*pair) == 1.0
    assert metric("EditRecall(n_t=4, as_printed=True)")(*pair) == pytest.approx(1.75 / 2.75)


def test_nearer_near_misses_are_taken_first_then_left_ones() -> None:
    # + 1, - 3, + 4: the pair 3-4 is nearer than 1-3 although it begins later.
    counts = metric("B(n_t=3)").counts(Segmentation(9, (1, 4)), Segmentation(9, (3,)))
    assert (counts["transpositions"], counts["weighted"], counts["ref_only"]) == (1, pytest.approx(1 / 3), 1)
    # + 1, - 2, + 3, - 5: from the left 1-2, then 3-5 at distance 2; from the right 2-3 would leave 1 and 5.
    forward = Segmentation(7, (1, 3)), Segmentation(7, (2, 5))
    assert metric("B(n_t=3)").counts(*forward)["transpositions"] == 2
    backward = tuple(side.mirrored() for side in forward)
    assert metric("B(n_t=3)").counts(*backward)["transpositions"] == 1


def test_no_boundary_on_either_side() -> None:
    for n_units in (1, 2, 9):
        nothing = Segmentation(n_units)
        for name in ("S", "B", "EditPrecision", "EditRecall", "EditF1"):
            assert metric(name)(nothing, nothing) == 1.0
        assert math.isnan(metric("B(empty='nan')")(nothing, nothing))
        assert math.isnan(metric("S(empty='nan')")(nothing, nothing))
    assert metric("S(empty='nan')")(Segmentation(3, (1,)), Segmentation(3, (1,))) == 1.0


def test_boundaries_on_one_side_only() -> None:
    pair = Segmentation(9, (3, 6)), Segmentation(9)
    assert metric("S")(*pair) == 0.75
    for name in ("B", "EditPrecision", "EditRecall", "EditF1"):
        assert metric(name)(*pair) == metric(name)(*reversed(pair)) == 0.0


def _check(pair: Pair, n_t: int) -> None:
    matches, ref_only, hyp_only, distances = brute.edits(*pair, n_t)
    counted = count_one(kernel("edits"), *pair, n_t).tolist()
    expected = [pair[0].n_units - 1, matches, ref_only, hyp_only, len(distances), sum(distances) / n_t, sum(distances)]
    assert counted == pytest.approx(expected, abs=1e-12)
    precision, recall = brute.edit_rates(*pair, n_t)
    for name, rate in (
        ("S", brute.segmentation_similarity(*pair, n_t)),
        ("B", brute.boundary_similarity(*pair, n_t)),
        ("EditPrecision", precision),
        ("EditRecall", recall),
        ("EditF1", brute.harmonic(precision, recall)),
    ):
        assert metric(f"{name}(n_t={n_t})")(*pair) == pytest.approx(brute.as_float(rate), abs=1e-12)


def _exact(counted: list[float], n_t: int) -> dict[str, Fraction]:
    """S and B as fractions, from counts that are whole numbers."""
    gaps, matches, ref_only, hyp_only, near, _, distance = map(Fraction, counted)
    cost = ref_only + hyp_only + distance / n_t
    at_hand = ref_only + hyp_only + near + matches
    return {"S": 1 - cost / gaps if gaps else Fraction(1), "B": 1 - cost / at_hand if at_hand else Fraction(1)}


@pytest.mark.parametrize("n_units", range(1, 7))
def test_all_small_documents(n_units: int) -> None:
    """Counts and exact fractions are those of brute force; the scores differ from the fractions by rounding alone."""
    edits = kernel("edits")
    for pair in all_pairs(n_units):
        for n_t in (1, 2, 3, 4):
            matches, ref_only, hyp_only, distances = brute.edits(*pair, n_t)
            counted = count_one(edits, *pair, n_t)
            assert counted[1:5].tolist() == [matches, ref_only, hyp_only, len(distances)]
            assert counted[6] == sum(distances)
            exact = _exact(counted.tolist(), n_t)
            assert exact["S"] == brute.segmentation_similarity(*pair, n_t)
            assert exact["B"] == brute.boundary_similarity(*pair, n_t)
            for name, fraction in exact.items():
                assert abs(Fraction(metric(f"{name}(n_t={n_t})")(*pair)) - fraction) <= Fraction(1, 2**52)


@settings(max_examples=300)
@given(pair=pairs(max_units=40), n_t=st.integers(1, 14))
def test_edits_are_their_definition(pair: Pair, n_t: int) -> None:
    _check(pair, n_t)


@pytest.mark.parametrize(
    "name", ["SegmentationSimilarity", "BoundarySimilarity", "EditPrecision", "EditRecall", "EditF1"]
)
def test_no_default_on_continuous_units(name: str) -> None:
    reference = Segmentation.from_seconds([60], duration=200)
    with pytest.raises(
        MetricError, match=rf"^{name}: n_t=2 is meaningless on the unit 'ms'; give a length, such as n_t='10s'$"
    ):
        metric(name)(reference, reference)
    characters = Segmentation(500, (100,), unit="character")
    with pytest.raises(MetricError, match=r"n_t=2 is meaningless on the unit 'character'; .* such as n_t='40c'"):
        metric(name)(characters, characters)
    assert metric(f"{name}(n_t='10s')")(reference, reference) == 1.0
    with pytest.raises(MetricError, match=r"n_t='0ms'; it must be at least one ms"):
        metric(f"{name}(n_t='0ms')")(reference, reference)


def test_near_misses_on_time() -> None:
    pair = (Segmentation.from_seconds([60, 150], duration=200), Segmentation.from_seconds([62.5, 150], duration=200))
    assert metric("B(n_t='10s')")(*pair) == pytest.approx(1 - 0.25 / 2)
    assert metric("B(n_t='2s')")(*pair) == pytest.approx(1 / 3)
