"""CovN, CovD, purity, coverage and the alignment index: the tables of the paper, hand counts, the definitions restated."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import MetricError
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.metrics import brute
from tests.strategies import Pair, all_pairs, counted, pairs, segment_matches, segmentations

# ---------------------------------------------------------------------------------------------- paper 001

REFERENCE = Segmentation.from_masses([20, 10, 30, 4, 25, 12, 18, 40])
"""Eight segments, as in Figures 2 and 3 (geometry our own: the paper prints no lengths)."""

SECTION_4 = {
    # name: (masses, segments found of 8 and of the hypothesis, CovN, boundaries found of 7 and of the hypothesis, Fm)
    "Hyp1": ([18, 2, 10, 30, 4, 25, 12, 18, 40], (8, 9), 94.1, (7, 8), 93.3),
    "Hyp2": ([10, 10, 10, 30, 4, 25, 12, 18, 40], (7, 9), 82.4, (7, 8), 93.3),
    "Hyp3": ([20, 10, 30, 4, 25, 12, 18, 16, 24], (7, 9), 82.4, (7, 8), 93.3),
    "Hyp4": ([14, 11, 5, 30, 4, 25, 12, 18, 40], (6, 9), 70.6, (6, 8), 80.0),
    "Hyp5": ([20, 10, 34, 25, 12, 18, 40], (7, 7), 93.3, (6, 6), 92.3),
    "Hyp6": ([30, 30, 4, 25, 12, 18, 40], (6, 7), 80.0, (6, 6), 92.3),
}


@pytest.mark.parametrize("name", SECTION_4)
def test_table_of_section_4(name: str) -> None:
    """Paper 001, section 4, gamma = 85 %; the paper prints 82.5 for 14/17 = 82.35."""
    masses, (found, size), cov_n, (hits, boundaries), f_measure = SECTION_4[name]
    hypothesis = Segmentation.from_masses(masses)
    assert metric("CovN").counts(REFERENCE, hypothesis)["ref_correct"] == found
    assert metric("CovNRecall")(REFERENCE, hypothesis) == pytest.approx(found / 8)
    assert metric("CovNPrecision")(REFERENCE, hypothesis) == pytest.approx(found / size)
    assert round(100 * metric("CovN")(REFERENCE, hypothesis), 1) == cov_n
    assert metric("BoundaryRecall")(REFERENCE, hypothesis) == pytest.approx(hits / 7)
    assert metric("BoundaryPrecision")(REFERENCE, hypothesis) == pytest.approx(hits / boundaries)
    assert round(100 * metric("BoundaryF1")(REFERENCE, hypothesis), 1) == f_measure


def test_figure_1() -> None:
    """Paper 001, Figure 1: R3 lies in H2 (100 %, back 45 %, harmonic 62 %), R4 in H4 (38 %, 100 %, 55 %)."""
    # Own geometry with those shares: H2 = 20 holds R3 = 9; R4 = 50 is cut, its largest part H4 = 19.
    reference = Segmentation.from_masses([30, 11, 9, 50])
    hypothesis = Segmentation.from_masses([30, 20, 16, 15, 19])
    third, fourth = segment_matches(reference, hypothesis)[0][2:4]
    assert third == [1, 9, 20]
    assert fourth == [4, 19, 19]
    assert (round(100 * 9 / 20), round(100 * 2 * 9 / (9 + 20))) == (45, 62)
    assert (round(100 * 19 / 50), round(100 * 2 * 19 / (50 + 19))) == (38, 55)
    # Only the first segment is correct at 85 %.
    assert metric("CovNRecall")(reference, hypothesis) == 0.25


@pytest.mark.parametrize(
    ("correct", "reference", "hypothesis", "recall", "precision", "cov_n"),
    [
        (583, 997, 1056, 58.5, 55.2, 56.8),  # Baseline
        (638, 997, 1012, 64.0, 63.0, 63.5),  # Speech cohesion
        (644, 997, 946, 64.6, 68.1, 66.3),  # Diachronic cohesion
    ],
)
def test_table_1_is_pooled(
    correct: int, reference: int, hypothesis: int, recall: float, precision: float, cov_n: float
) -> None:
    """Paper 001, Table 1 with section 5.3: 997 reference segments, pooled counts give the printed rates."""
    counts = np.array([reference, hypothesis, correct, correct, 1, 1, 1, 1], dtype=np.float64)
    assert round(100 * float(metric("CovNRecall").score(counts)), 1) == recall
    assert round(100 * float(metric("CovNPrecision").score(counts)), 1) == precision
    assert round(100 * float(metric("CovN").score(counts)), 1) == cov_n
    assert metric("CovN").card.aggregation == "micro"


def test_table_1_baseline_from_documents() -> None:
    """The same 583 correct segments of 997 and of 1056, counted from segmentations (geometry our own)."""
    whole, halved, shifted = Segmentation(10), Segmentation(10, (5,)), Segmentation(10, (2,))
    documents = [(whole, whole)] * 583  # one segment, retrieved
    documents += [(whole, halved)] * 60 + [(halved, whole)]  # one against two, two against one: nothing above 2/3
    documents += [(halved, shifted)] * 176  # two against two: 6/13 and 10/13
    total = counted(metric("CovN"), documents).sum(axis=0)
    assert total[:4].tolist() == [997, 1056, 583, 583]
    assert round(100 * float(metric("CovNRecall").score(total)), 1) == 58.5
    assert round(100 * float(metric("CovNPrecision").score(total)), 1) == 55.2


def test_table_2_length_classes() -> None:
    """Paper 001, Table 2, MCS5-15: recall 72.7 (165 of 227 long) and 31.4 (22 of 70 short segments), cut at 30 s.

    Own geometry: documents of one segment, each of 60 s or 20 s, retrieved or cut in two.
    """
    documents = []
    for length, total, found in ((60_000, 227, 165), (20_000, 70, 22)):
        whole, halved = Segmentation(length, unit="ms"), Segmentation(length, (length // 2,), unit="ms")
        documents += [(whole, whole)] * found + [(whole, halved)] * (total - found)

    def score(text: str) -> float:
        ours = metric(text)
        rows = [list(ours.counts(*pair).values()) for pair in documents]
        return float(ours.score(np.array(rows).sum(axis=0)))

    assert round(100 * score("CovNRecall(length='long', cut='30s')"), 1) == 72.7
    assert round(100 * score("CovNRecall(length='short', cut='30s')"), 1) == 31.4
    # Section 5.3 and Table 1: 187 of 297 must be 63.0, which the paper prints as 60.0.
    assert round(100 * score("CovNRecall"), 1) == 63.0
    # Precision goes by the length of the hypothesis segment itself: halves of 30 s are long, of 10 s short.
    assert score("CovNPrecision(length='long', cut='30s')") == pytest.approx(165 / (165 + 2 * 62))
    assert score("CovNPrecision(length='short', cut='30s')") == pytest.approx(22 / (22 + 2 * 48))
    assert score("CovNPrecision(length='long', cut='30000ms')") == score("CovNPrecision(length='long', cut='30s')")


# ---------------------------------------------------------------------------------------------- hand counts


def test_covd_weighs_by_length() -> None:
    """Paper 001, section 3.3: one correct segment of four that lasts half the show: CovN 25 %, CovD 50 %."""
    reference, hypothesis = (Segmentation.from_masses([30, 10, 10, 10]), Segmentation.from_masses([30, 15, 10, 5]))
    assert metric("CovN")(reference, hypothesis) == 0.25
    assert metric("CovD")(reference, hypothesis) == 0.5


def test_equality_with_gamma_is_exact() -> None:
    """2o / (|R| + |H|) = 34/40 = 0.85: not above it; in floating point the comparison could go either way."""
    reference, hypothesis = Segmentation.from_masses([3, 17, 3]), Segmentation.from_masses([23])
    assert Fraction(2 * 17, 17 + 23) == Fraction(85, 100)
    assert metric("CovNPrecision")(reference, hypothesis) == 0.0
    assert metric("CovNPrecision(strict=False)")(reference, hypothesis) == 1.0
    assert metric("CovNRecall(strict=False)")(reference, hypothesis) == pytest.approx(1 / 3)
    assert metric("CovN(gamma=0.84)")(reference, hypothesis) == pytest.approx(0.5)


def test_ties_go_to_the_larger_harmonic_coverage() -> None:
    # R2 = units 11..14 lies half in H1 (12 units) and half in H2 (2 units): H2 is the better partner.
    reference, hypothesis = Segmentation.from_masses([10, 4]), Segmentation.from_masses([12, 2])
    assert segment_matches(reference, hypothesis)[0][1] == [1, 2, 2]
    assert metric("CovNRecall(gamma=0.6)")(reference, hypothesis) == 1.0


def test_nothing_correct_is_zero() -> None:
    reference, hypothesis = Segmentation(10), Segmentation(10, range(1, 10))
    for name in ("CovN", "CovD", "CovNPrecision", "CovDRecall"):
        assert metric(name)(reference, hypothesis) == 0.0


def test_empty_length_class_is_undefined() -> None:
    side = Segmentation(10, (5,))
    assert math.isnan(metric("CovN(length='short', cut=3)")(side, side))
    assert metric("CovN(length='long', cut=3)")(side, side) == 1.0
    with pytest.raises(MetricError, match=r"CovN: length='long' with cut=None; a length class needs both"):
        metric("CovN(length='long')")(side, side)
    timed = side.with_unit("ms")
    with pytest.raises(MetricError, match=r"CovN: cut='0s' makes no short segment; it must be at least one ms"):
        metric("CovN(length='long', cut='0s')")(timed, timed)


def test_purity_and_coverage_by_hand() -> None:
    reference, hypothesis = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
    assert metric("Purity")(reference, hypothesis) == pytest.approx(10 / 13)  # 4 of 4, 2 of 4, 4 of 5
    assert metric("Coverage")(reference, hypothesis) == pytest.approx(10 / 13)  # 4 of 6, 2 of 3, 4 of 4
    assert metric("Purity(weighting='segment')")(reference, hypothesis) == pytest.approx((1 + 0.5 + 0.8) / 3)
    assert metric("Coverage(weighting='segment')")(reference, hypothesis) == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)


def test_trivial_segmentations_max_out_one_side() -> None:
    reference = Segmentation.from_masses([6, 3, 4])
    nothing, everything = Segmentation(13), Segmentation(13, range(1, 13))
    assert metric("Purity")(reference, everything) == metric("Coverage")(reference, nothing) == 1.0
    assert metric("Purity")(reference, nothing) == pytest.approx(6 / 13)
    assert metric("Coverage")(reference, everything) == pytest.approx(3 / 13)


def test_alignment_index_by_hand() -> None:
    assert metric("AlignmentIndex")(Segmentation.from_masses([10, 10]), Segmentation.from_masses([10, 5, 5])) == (
        pytest.approx((1 + 0.5 + 0.5) / 3)
    )
    assert metric("AlignmentIndex")(Segmentation(1), Segmentation(1)) == 1.0


# ---------------------------------------------------------------------------------------------- the definitions restated

GAMMAS = st.integers(0, 99).map(lambda percent: Fraction(percent, 100))


@settings(max_examples=200)
@given(pair=pairs(), gamma=GAMMAS, strict=st.booleans())
def test_retrieval_is_its_definition(pair: Pair, gamma: Fraction, strict: bool) -> None:
    reference, hypothesis = pair
    for letter, by_length in (("N", False), ("D", True)):
        recall = brute.retrieval(reference, hypothesis, gamma, by_length=by_length, strict=strict)
        precision = brute.retrieval(hypothesis, reference, gamma, by_length=by_length, strict=strict)
        for name, rate in (("Recall", recall), ("Precision", precision), ("", brute.harmonic(precision, recall))):
            ours = metric(f"Cov{letter}{name}(gamma={float(gamma)}, strict={strict})")
            assert ours(*pair) == pytest.approx(brute.as_float(rate), abs=1e-12)


@settings(max_examples=150)
@given(pair=pairs(), gamma=GAMMAS, cut=st.integers(1, 8), length=st.sampled_from(["short", "long"]))
def test_retrieval_in_a_length_class(pair: Pair, gamma: Fraction, cut: int, length: str) -> None:
    """Recall by the length of the reference segment, precision by that of the hypothesis segment itself."""
    reference, hypothesis = pair
    low, high = (0, cut) if length == "short" else (cut, None)
    for letter, by_length in (("N", False), ("D", True)):
        recall = brute.retrieval(reference, hypothesis, gamma, by_length=by_length, low=low, high=high)
        precision = brute.retrieval(hypothesis, reference, gamma, by_length=by_length, low=low, high=high)
        for name, rate in (("Recall", recall), ("Precision", precision), ("", brute.harmonic(precision, recall))):
            ours = metric(f"Cov{letter}{name}(gamma={float(gamma)}, length='{length}', cut={cut})")
            assert ours(*pair) == pytest.approx(brute.as_float(rate), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("gamma", [Fraction(1, 2), Fraction(2, 3), Fraction(17, 20)])
@pytest.mark.parametrize("n_units", range(1, 7))
def test_all_small_documents(n_units: int, gamma: Fraction) -> None:
    cov = metric(f"CovN(gamma={float(gamma)!r})")
    align, pure = metric("AlignmentIndex"), metric("Purity")
    for reference, hypothesis in all_pairs(n_units):
        counts = cov.counts(reference, hypothesis)
        if gamma != Fraction(2, 3):  # a float is not two thirds
            assert counts["ref_correct"] == sum(brute.correct(reference, hypothesis, gamma))
            assert counts["hyp_correct"] == sum(brute.correct(hypothesis, reference, gamma))
        assert align(reference, hypothesis) == pytest.approx(float(brute.alignment_index(reference, hypothesis)))
        assert pure(reference, hypothesis) == pytest.approx(float(brute.purity(reference, hypothesis)))


@settings(max_examples=200)
@given(pair=pairs(), percent=st.integers(67, 99))
def test_from_two_thirds_on_matches_are_one_to_one(pair: Pair, percent: int) -> None:
    counts = metric(f"CovN(gamma={percent / 100})").counts(*pair)
    assert counts["ref_correct"] == counts["hyp_correct"]
    gamma = Fraction(percent, 100)
    partners = [
        partner for partner, right in zip(brute.partners(*pair), brute.correct(*pair, gamma), strict=True) if right
    ]
    assert len(set(partners)) == len(partners)


def test_below_two_thirds_segments_may_share_a_partner() -> None:
    """Two halves of one segment both have a harmonic coverage of 2/3 with it."""
    counts = metric("CovN(gamma=0.66)").counts(Segmentation(10), Segmentation(10, (5,)))
    assert (counts["ref_correct"], counts["hyp_correct"]) == (1, 2)
    counts = metric("CovN(gamma=0.67)").counts(Segmentation(10), Segmentation(10, (5,)))
    assert (counts["ref_correct"], counts["hyp_correct"]) == (0, 0)


@settings(max_examples=200)
@given(pair=pairs(), weighting=st.sampled_from(["unit", "segment"]))
def test_purity_and_coverage_are_their_definition(pair: Pair, weighting: str) -> None:
    reference, hypothesis = pair
    purity, coverage = (brute.purity(reference, hypothesis, weighting), brute.purity(hypothesis, reference, weighting))
    for name, rate in (
        ("Purity", purity), ("Coverage", coverage), ("PurityCoverageF1", brute.harmonic(purity, coverage)),
    ):  # fmt: skip
        assert metric(f"{name}(weighting='{weighting}')")(*pair) == pytest.approx(brute.as_float(rate), abs=1e-12)


@settings(max_examples=200)
@given(pair=pairs(min_units=2), data=st.data())
def test_refinement_raises_purity_and_lowers_coverage(pair: Pair, data: st.DataObject) -> None:
    """The lemma of paper 003, Appendix B, by units."""
    reference, coarse = pair
    more = data.draw(segmentations(n_units=coarse.n_units))
    fine = Segmentation(coarse.n_units, sorted({*coarse.boundaries, *more.boundaries}))
    assert metric("Purity")(reference, fine) >= metric("Purity")(reference, coarse)
    assert metric("Coverage")(reference, fine) <= metric("Coverage")(reference, coarse)


@settings(max_examples=150)
@given(pair=pairs())
def test_alignment_index_is_its_definition(pair: Pair) -> None:
    assert metric("AlignmentIndex")(*pair) == pytest.approx(float(brute.alignment_index(*pair)), abs=1e-12)


@settings(max_examples=100)
@given(pair=pairs())
def test_reported_partners(pair: Pair) -> None:
    reference, hypothesis = pair
    ref, hyp = segment_matches(reference, hypothesis)
    assert [row[0] for row in ref] == brute.partners(reference, hypothesis)
    assert [row[0] for row in hyp] == brute.partners(hypothesis, reference)


# ---------------------------------------------------------------------------------------------- units


@pytest.mark.parametrize("unit", ["ms", "character"])
@pytest.mark.parametrize("name", ["Pk", "WindowDiff", "Purity", "Coverage", "CovN", "CovD", "BOR"])
def test_these_work_as_they_are_on_continuous_units(name: str, unit: str) -> None:
    side = Segmentation(200_000, (60_000, 150_000), unit=unit)
    assert metric(name)(side, side) == metric(name).card.perfect


def test_numpy_gamma_is_a_number_like_any_other() -> None:
    from caesura.metrics.pairwise.cov_n import CovN

    side = Segmentation(10, (5,))
    ours = CovN(gamma=np.float64(0.8))
    assert ours == CovN(gamma=0.8)
    assert str(ours) == "CovN(gamma=0.8)"
    assert ours(side, side) == 1.0


def test_segments_of_the_longest_document_do_not_overflow() -> None:
    n = 2**40
    reference, hypothesis = Segmentation(n, (n // 2,)), Segmentation(n, (n // 2 + 1,))
    assert metric("CovN(gamma=0.999999)")(reference, hypothesis) == 1.0
