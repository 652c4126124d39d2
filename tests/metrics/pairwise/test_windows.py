"""Pk, WindowDiff and WinPR: hand counts, the table of one pair and many answers, the formulas restated."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import MetricError
from caesura.evaluation.evaluate import evaluate
from caesura.metrics import metric
from caesura.metrics.profiles import under_profile
from caesura.segmentation import Segmentation
from tests.metrics import brute
from tests.strategies import Pair, all_pairs, batch, pairs

REFERENCE, HYPOTHESIS = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])

# ---------------------------------------------------------------------------------------------- one pair, many answers


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Pk", 0.545),  # segeval, masses: k = round(13 / 3 / 2) = 2; 6 of 11 windows
        ("WindowDiff", 0.545),
        ("WindowDiff(edge='lamprier_segeval')", 0.375),  # 6 of 13 + 2 + 1
        ("Pk(k_from='boundaries', min_k=0)", 0.400),  # NLTK, 12 gaps: k = 12 / 4 = 3; 4 of 10
        ("Pk(k=2)", 0.545),
        ("WindowDiff(k=2)", 0.545),
        ("Pk(k_from='boundaries', min_k=0, string='units')", 0.364),  # 13 characters ending in 0: k = 3; 4 of 11
        ("Pk(k_from='boundaries', min_k=0, string='units_closed')", 0.500),  # ending in 1: k = 2; 6 of 12
        (
            "Pk(string='units')",
            0.500,
        ),  # SuperDialseg: 6 of 12; tests/oracles/test_profiles.py has the pairs where forms differ
        ("WindowDiff(string='units')", 0.500),
    ],
)
def test_one_pair_many_answers(text: str, printed: float) -> None:
    """6-3-4 against 4-4-5 under the conventions of the tools that are in use."""
    assert round(metric(text)(REFERENCE, HYPOTHESIS), 3) == printed


@pytest.mark.parametrize(
    ("profile", "options", "printed"),
    [("caesura", "", 0.545), ("segeval", "", 0.545), ("nltk", "", 0.400), ("nltk", "(string='units')", 0.364),
     ("nltk", "(string='units_closed')", 0.500)],
)  # fmt: skip
def test_profiles_give_the_same_answers(profile: str, options: str, printed: float) -> None:
    assert round(under_profile(f"Pk{options}", profile)(REFERENCE, HYPOTHESIS), 3) == printed


def test_no_boundary_at_all_beats_near_misses() -> None:
    """The point of the granularity paper: without boundaries 0.364 by segeval's rule, 0.600 by NLTK's."""
    nothing = Segmentation(13)
    assert round(metric("Pk")(REFERENCE, nothing), 3) == 0.364
    assert round(under_profile("Pk", "nltk")(REFERENCE, nothing), 3) == 0.600


def test_window_counts_by_hand() -> None:
    assert metric("Pk").counts(REFERENCE, HYPOTHESIS) == {"windows": 11, "errors": 6}
    # One window over all twelve gaps holds two boundaries of either side.
    assert metric("WindowDiff(k=12)").counts(REFERENCE, HYPOTHESIS) == {
        "windows": 1, "errors": 0, "surplus": 0, "deficit": 0,
    }  # fmt: skip
    two, one = Segmentation(10, (3, 4)), Segmentation(10, (3,))
    # k = 2: gap 4 lies in the windows at 3 and 4; in that at 3 both sides cut, so that Pk sees only one.
    assert metric("Pk(k=2)").counts(two, one) == {"windows": 8, "errors": 1}
    assert metric("WindowDiff(k=2)").counts(two, one) == {"windows": 8, "errors": 2, "surplus": 0, "deficit": 2}


def test_weighted_may_exceed_one() -> None:
    everything, nothing = Segmentation(8, range(1, 8)), Segmentation(8)
    assert metric("WindowDiff(k=3)")(nothing, everything) == 1.0
    assert metric("WindowDiff(k=3, weighted=True)")(nothing, everything) == 3.0


def test_lamprier_weighs_all_boundaries_alike_and_reaches_one() -> None:
    """segeval divides by one window more than there are, so that its worst score stays below 1."""
    nothing = Segmentation(12)
    for gap in range(1, 12):
        miss = Segmentation(12, (gap,))
        assert metric("WindowDiff(k=3, edge='lamprier')").counts(miss, nothing) == {
            "windows": 15, "errors": 3, "surplus": 0, "deficit": 3,
        }  # fmt: skip
        assert metric("WindowDiff(k=3, edge='lamprier_segeval')").counts(miss, nothing)["windows"] == 16
    assert metric("WindowDiff(k=3)")(Segmentation(12, (1,)), nothing) == pytest.approx(1 / 9)


@pytest.mark.parametrize(
    ("masses", "rounding", "k"),
    [([5, 5], "half_even", 2), ([5, 5], "half_up", 3), ([5, 5], "floor", 2), ([7, 7], "half_even", 4),
     ([7, 7], "half_up", 4), ([7, 7], "floor", 3), ([1, 1, 1], "half_even", 2), ([10], "half_even", 5)],
)  # fmt: skip
def test_default_window(masses: list[int], rounding: str, k: int) -> None:
    """2.5 is 2 half-even, 3.5 is 4; never below 2."""
    reference = Segmentation.from_masses(masses)
    assert brute.window_size(reference, rounding) == k
    if reference.n_units > k:
        windows = metric(f"Pk(rounding='{rounding}')").counts(reference, reference)["windows"]
        assert windows == reference.n_units - k


def test_no_window_is_undefined() -> None:
    pair = Segmentation(2, (1,)), Segmentation(2)
    assert math.isnan(metric("Pk")(*pair))
    assert math.isnan(metric("WindowDiff")(*pair))
    assert math.isnan(metric("Pk(k=5)")(Segmentation(5, (2,)), Segmentation(5)))
    assert metric("Pk(short='shrink')")(*pair) == 1.0
    assert metric("Pk(k=99, short='shrink')")(Segmentation(5, (2,)), Segmentation(5)) == 1.0
    assert math.isnan(metric("Pk(short='shrink')")(Segmentation(1), Segmentation(1)))


def test_a_window_that_no_document_exceeds_is_refused() -> None:
    corpus = batch([(Segmentation(5, (2,)), Segmentation(5)), (Segmentation(9), Segmentation(9))])
    metric("Pk(k=8)").check_corpus(corpus)
    metric("Pk").check_corpus(corpus)
    metric("Pk(k=9, short='shrink')").check_corpus(corpus)
    with pytest.raises(
        MetricError, match=r"Pk: k=9, but the longest document has 9 units; take a smaller k, or short="
    ):
        metric("Pk(k=9)").check_corpus(corpus)


def test_no_window_without_an_error() -> None:
    two = Segmentation(2, (1,)), Segmentation(2)
    assert metric("WindowDiff(short='no_error')")(*two) == metric("Pk(short='no_error')")(*two) == 0.0
    assert metric("WindowDiff(short='no_error')")(Segmentation(1), Segmentation(1)) == 0.0
    assert metric("WinF1(k=2, edge='interior', short='no_error')")(*two) == 1.0
    mean = evaluate(
        {"a": two[0], "b": Segmentation(6)},
        {"h": {"a": two[1], "b": Segmentation(6, (3,))}},
        "WindowDiff",
        profile="as_run",
    )
    assert mean.scores["h"]["WindowDiff"] == pytest.approx((0 + 2 / 4) / 2)


def test_signature_says_which_windows_were_used() -> None:
    from caesura.kernels import kernel

    documents = [(Segmentation.from_masses([20, 20]), Segmentation(40)), (Segmentation(8, (4,)), Segmentation(8))]
    pk = metric("Pk")
    table = kernel("pk").count(batch(documents), pk.request("unit").parameters)
    assert pk.resolved(table, kernel("pk").columns) == {"k": "2..10"}
    assert pk.resolved(table[:1], kernel("pk").columns) == {"k": "10"}
    assert pk.resolved(table[:0], kernel("pk").columns) == {}


def test_nltk_may_take_a_window_of_nothing() -> None:
    """Every gap a boundary: k = round(0.5) = 0 by NLTK's rule, and windows that see nothing are never wrong."""
    everything = Segmentation(6, range(1, 6))
    assert under_profile("Pk", "nltk").counts(everything, Segmentation(6)) == {"windows": 6, "errors": 0}
    assert under_profile("WindowDiff", "nltk")(everything, Segmentation(6)) == 0.0
    assert metric("Pk")(everything, Segmentation(6)) == 1.0


def test_a_window_far_beyond_256_works() -> None:
    """segeval fails an assertion as soon as k + 1 exceeds 256."""
    reference, hypothesis = Segmentation(5000, (2500,)), Segmentation(5000, (2600,))
    assert metric("WindowDiff(k=1000)").counts(reference, hypothesis)["errors"] == 200
    assert metric("Pk(k=1000)").counts(reference, hypothesis)["errors"] == 200


# ---------------------------------------------------------------------------------------------- the formulas restated

WINDOWS = {
    "k": st.one_of(st.none(), st.integers(1, 9)),
    "rounding": st.sampled_from(["half_even", "half_up", "floor"]),
    "min_k": st.integers(1, 4),
    "k_from": st.sampled_from(["segments", "boundaries"]),
    "string": st.sampled_from(["gaps", "units", "units_closed"]),
}


def _size(reference: Segmentation, options: dict[str, Any]) -> int:
    given_k = options["k"]
    rest = {name: options[name] for name in ("rounding", "min_k", "k_from", "string")}
    return brute.window_size(reference, **rest) if given_k is None else given_k


def _text(name: str, **options: Any) -> str:
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in options.items())})"


@pytest.mark.parametrize("n_units", range(1, 7))
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_all_small_documents(n_units: int, k: int) -> None:
    ours = {text: metric(text) for text in (f"Pk(k={k})", f"WindowDiff(k={k})", f"WindowDiff(k={k}, weighted=True)")}
    for reference, hypothesis in all_pairs(n_units):
        exact = brute.pk(reference, hypothesis, k)
        assert exact == brute.pk_by_labels(reference, hypothesis, k)
        expected = [
            exact,
            brute.window_diff(reference, hypothesis, k),
            brute.window_diff(reference, hypothesis, k, weighted=True),
        ]
        for one, rate in zip(ours.values(), expected, strict=True):
            assert one(reference, hypothesis) == pytest.approx(brute.as_float(rate), abs=1e-12, nan_ok=True)


@settings(max_examples=200)
@given(pair=pairs(), options=st.fixed_dictionaries(WINDOWS))
def test_pk_is_its_formula(pair: Pair, options: dict[str, Any]) -> None:
    expected = brute.pk(*pair, _size(pair[0], options), options["string"])
    assert metric(_text("Pk", **options))(*pair) == pytest.approx(brute.as_float(expected), abs=1e-12, nan_ok=True)


@settings(max_examples=300)
@given(
    pair=pairs(),
    options=st.fixed_dictionaries(WINDOWS),
    edge=st.sampled_from(["none", "lamprier", "lamprier_segeval"]),
    weighted=st.booleans(),
)
def test_window_diff_is_its_formula(pair: Pair, options: dict[str, Any], edge: str, weighted: bool) -> None:
    k = _size(pair[0], options)
    string = options["string"] if edge == "none" else "gaps"
    options = {**options, "k": k, "string": string}
    expected = brute.window_diff(*pair, k, string, edge, weighted)
    ours = metric(_text("WindowDiff", **options, edge=edge, weighted=weighted))
    assert ours(*pair) == pytest.approx(brute.as_float(expected), abs=1e-12, nan_ok=True)


@settings(max_examples=200)
@given(pair=pairs(), k=st.one_of(st.none(), st.integers(1, 9)), edge=st.sampled_from(["padded", "interior"]))
def test_win_pr_is_its_formula(pair: Pair, k: int | None, edge: str) -> None:
    precision, recall = brute.win_pr(*pair, brute.window_size(pair[0]) if k is None else k, edge)
    for name, expected in (
        ("WinPrecision", precision), ("WinRecall", recall), ("WinF1", brute.harmonic(precision, recall)),
    ):  # fmt: skip
        ours = metric(_text(name, k=k, edge=edge))
        assert ours(*pair) == pytest.approx(brute.as_float(expected), abs=1e-12, nan_ok=True)


def test_silence_is_not_rewarded_by_win_pr() -> None:
    """Ten documents, a system that is right on one and silent on nine: by 2TP / (2TP + FP + FN) the others are 0."""
    reference = {f"d{place}": Segmentation(40, (10, 20, 30)) for place in range(10)}
    silent = {key: whole if key == "d0" else Segmentation(40) for key, whole in reference.items()}
    scores = evaluate(reference, {"silent": silent}, ["WinF1", "WinPrecision", "WinRecall", "W-F1"]).scores["silent"]
    assert scores == pytest.approx(dict.fromkeys(scores, 0.1), abs=1e-12)
    assert metric("WinF1")(Segmentation(40), Segmentation(40)) == 1.0


def test_a_window_of_nothing_leaves_win_pr_undefined() -> None:
    everything = Segmentation(6, range(1, 6))
    for edge in ("padded", "interior"):
        ours = metric(f"WinF1(k_from='boundaries', min_k=0, edge={edge!r})")
        assert math.isnan(ours(everything, everything))


@settings(max_examples=100)
@given(pair=pairs(min_units=2), k=st.integers(1, 40))
def test_padded_sums_weigh_each_boundary_k_times(pair: Pair, k: int) -> None:
    counts = metric(f"WinF1(k={k})").counts(*pair)
    assert counts["ref_sum"] == k * pair[0].n_boundaries
    assert counts["hyp_sum"] == k * pair[1].n_boundaries
    assert counts["ref_sum"] - counts["deficit"] == counts["hyp_sum"] - counts["surplus"]


@settings(max_examples=100)
@given(pair=pairs(), k=st.integers(1, 9))
def test_nltk_on_gap_strings_equals_segeval(pair: Pair, k: int) -> None:
    """Definitions, section 0: N-1 slots settle the off-by-one questions."""
    assert brute.pk(*pair, k) == brute.pk_by_labels(*pair, k)


# ---------------------------------------------------------------------------------------------- units


def test_windows_on_time() -> None:
    reference = Segmentation.from_seconds([60, 150], duration=200)
    hypothesis = Segmentation.from_seconds([61.5, 150], duration=200)
    assert metric("Pk(k='30s')").counts(reference, hypothesis) == {"windows": 170_000, "errors": 3000}
    assert metric("Pk(k='30s')")(reference, hypothesis) == metric("Pk(k='30000ms')")(reference, hypothesis)
    assert metric("Pk")(reference, hypothesis) == pytest.approx(3000 / (200_000 - 33_333))


@pytest.mark.parametrize("name", ["WinPrecision", "WinRecall", "WinF1"])
@pytest.mark.parametrize(("unit", "example"), [("ms", "'30s'"), ("character", "'200c'")])
def test_win_pr_has_no_default_on_continuous_units(name: str, unit: str, example: str) -> None:
    side = Segmentation(1000, (500,), unit=unit)
    with pytest.raises(
        MetricError, match=rf"^{name}: there is no default k on the unit '{unit}'; give one, such as k={example}$"
    ):
        metric(name)(side, side)
    assert metric(f"{name}(k='{100}{'ms' if unit == 'ms' else 'c'}')")(side, side) == 1.0


def test_a_window_of_no_unit_is_refused() -> None:
    side = Segmentation(1000, (500,), unit="ms")
    with pytest.raises(MetricError, match="Pk: k='0s' makes no window; it must be at least one ms"):
        metric("Pk(k='0s')")(side, side)
