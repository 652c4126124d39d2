"""MultiWindowDiff: the formula restated, its two ends, and the kernel compiled and not."""

from __future__ import annotations

import importlib.util
import itertools
import math
from collections.abc import Iterator
from types import ModuleType
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from caesura.batches.panel import PanelPairs
from caesura.errors import ComparabilityError, MetricError, SegmentationError
from caesura.kernels import multi_window_diff as active
from caesura.metrics import metric
from caesura.metrics.agreement import _tables
from caesura.segmentation import Segmentation
from tests.kernels.test_compiled_equals_uncompiled import load
from tests.metrics import brute_panels as brute
from tests.metrics.brute import as_float
from tests.strategies import all_segmentations, panels, segmentations

PARTS = ("raw", "best", "worst", "too_many", "too_few", "score")


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-12, nan_ok=True)


def check(people: list[Segmentation], hypothesis: Segmentation, m: int | None) -> None:
    parts = metric(f"MultiWindowDiff(m={m})").parts(people, hypothesis)
    used = brute.pooled(people) if m is None else m
    expected = brute.multi_window_diff(people, hypothesis, used)
    assert parts["m"] == used
    for part in PARTS:
        assert parts[part] == near(as_float(expected[part])), part
    assert metric(f"MultiWindowDiff(m={m})")(people, hypothesis) == near(parts["score"])


@pytest.mark.parametrize("m", [None, 1, 2, 3, 5])
def test_every_small_panel(m: int | None) -> None:
    for n_units, number in ((1, 2), (2, 2), (3, 2), (4, 2), (3, 3)):
        everything = list(all_segmentations(n_units))
        for people in itertools.combinations_with_replacement(everything, number):
            for hypothesis in everything:
                check(list(people), hypothesis, m)


@settings(max_examples=200)
@given(data=st.data(), people=panels(min_annotators=1, max_annotators=6, max_units=30))
def test_longer_panels(data: st.DataObject, people: dict[str, Segmentation]) -> None:
    codings = list(people.values())
    hypothesis = data.draw(segmentations(n_units=codings[0].n_units))
    check(codings, hypothesis, data.draw(st.one_of(st.none(), st.integers(1, 31))))


@settings(max_examples=60)
@given(
    people=panels(max_units=40), rounding=st.sampled_from(["half_even", "half_up", "floor"]), least=st.integers(0, 4)
)
def test_the_window_is_half_the_pooled_mean(people: dict[str, Segmentation], rounding: str, least: int) -> None:
    codings = list(people.values())
    ours = metric(f"MultiWindowDiff(rounding='{rounding}', min_m={least})").parts(people, codings[0])
    assert ours["m"] == brute.pooled(codings, rounding, least)


# ---------------------------------------------------------------------------------------------- between 0 and 1


@settings(max_examples=200)
@given(data=st.data(), people=panels(min_annotators=1), m=st.one_of(st.none(), st.integers(1, 9)))
def test_it_lies_between_0_and_1(data: st.DataObject, people: dict[str, Segmentation], m: int | None) -> None:
    hypothesis = data.draw(segmentations(n_units=people["a1"].n_units))
    parts = metric(f"MultiWindowDiff(m={m})").parts(people, hypothesis)
    if math.isnan(parts["raw"]):
        assert parts["m"] >= hypothesis.n_units  # no window
        assert math.isnan(parts["score"])
        return
    assert parts["best"] <= parts["raw"] <= parts["worst"]
    assert parts["too_many"] + parts["too_few"] == near(parts["raw"])
    if parts["best"] == parts["worst"]:
        assert math.isnan(parts["score"])
    else:
        assert 0.0 <= parts["score"] <= 1.0


def supports(people: list[Segmentation], m: int) -> Iterator[dict[int, int]]:
    sides = [brute.bits(p) for p in people]
    for start in range(len(sides[0]) - m + 1):
        counts = [sum(side[start : start + m]) for side in sides]
        yield {j: counts.count(j) for j in range(m + 1)}


@settings(max_examples=150)
@given(people=panels(min_units=3, max_units=7, max_annotators=4), m=st.integers(1, 3))
def test_0_at_the_most_supported_counts_and_1_at_the_least(people: dict[str, Segmentation], m: int) -> None:
    """Of all hypotheses, exactly those score 0 that take a most supported count in every window, and likewise 1."""
    codings = list(people.values())
    ours, table = metric(f"MultiWindowDiff(m={m})"), list(supports(codings, m))
    for hypothesis in all_segmentations(codings[0].n_units):
        score, mine = ours(codings, hypothesis), brute.bits(hypothesis)
        if math.isnan(score):
            assert all(max(row.values()) == min(row.values()) for row in table)
            continue
        taken = [row[sum(mine[start : start + m])] for start, row in enumerate(table)]
        top = all(support == max(row.values()) for support, row in zip(taken, table, strict=True))
        low = all(support == min(row.values()) for support, row in zip(taken, table, strict=True))
        assert (score == 0.0) is top
        assert (score == 1.0) is low


@given(reference=segmentations(min_units=3), number=st.integers(1, 5))
def test_unanimous_annotators_and_a_hypothesis_like_them(reference: Segmentation, number: int) -> None:
    parts = metric("MultiWindowDiff").parts([reference] * number, reference)
    assume(parts["m"] < reference.n_units)
    assert (parts["raw"], parts["best"], parts["worst"], parts["score"]) == (0.0, 0.0, 1.0, 0.0)


def test_all_against_nothing_and_nothing_against_all() -> None:
    nothing, everything = Segmentation(10), Segmentation(10, range(1, 10))
    assert metric("MultiWindowDiff")([nothing] * 3, everything) == 1.0
    assert metric("MultiWindowDiff")([everything] * 3, nothing) == 1.0
    assert metric("MultiWindowDiff")([nothing] * 3, nothing) == 0.0
    # Two annotators of opposite minds, and a window of one gap: whatever one does is half wrong.
    assert math.isnan(metric("MultiWindowDiff(m=1)")([nothing, everything], nothing))
    # In a window of two, one boundary is supported by nobody: the worst that can be done.
    parts = metric("MultiWindowDiff(m=2)").parts([nothing, everything], nothing)
    assert (parts["best"], parts["raw"], parts["worst"], parts["score"]) == (0.5, 0.5, 1.0, 0.0)


@settings(max_examples=60)
@given(data=st.data(), people=panels(min_annotators=1))
def test_one_annotator_is_window_diff(data: st.DataObject, people: dict[str, Segmentation]) -> None:
    """With a window longer than all counts in use the worst is 1, and what remains is WindowDiff."""
    reference = people["a1"]
    hypothesis = data.draw(segmentations(n_units=reference.n_units))
    parts = metric("MultiWindowDiff").parts([reference], hypothesis)
    assert parts["raw"] == near(metric("WindowDiff")(reference, hypothesis))
    if not math.isnan(parts["raw"]):
        assert parts["score"] == near(parts["raw"])


def test_as_run_says_what_it_is() -> None:
    theirs, ours = metric("MultiWindowDiff(as_run=True)").facts(), metric("MultiWindowDiff").facts()
    assert (ours.bounds, ours.additive) == ((0.0, 1.0), True)
    assert (theirs.bounds, theirs.additive) == ((-math.inf, math.inf), False)


# ---------------------------------------------------------------------------------------------- what is refused


def test_refusals_are_one_clear_line() -> None:
    ours, ten = metric("MultiWindowDiff"), Segmentation(10, (5,))
    for call, error, says in (
        (lambda: ours(ten, ten), MetricError, "give a list of segmentations, one per annotator"),
        (lambda: ours([], ten), ComparabilityError, "has no annotator; give at least one"),
        (lambda: ours([ten, ten], [5, 5]), MetricError, "hypothesis is a list; it must be a Segmentation"),
        (lambda: ours([ten, [5, 5]], ten), SegmentationError, "annotator '2' is a list, not a Segmentation"),
        (lambda: ours([ten, Segmentation(9)], ten), ComparabilityError, "coded 10 units, '2' 9; all annotators"),
        (lambda: ours([ten], Segmentation(9)), ComparabilityError, "reference has 10 units, hypothesis has 9"),
        (lambda: metric("MultiWindowDiff(m=0)"), MetricError, "parameter m is 0"),
        (lambda: metric("MultiWindowDiff(m='3s')")([ten], ten), MetricError, "m='3s'"),
    ):
        with pytest.raises(error, match=says.replace("(", r"\(")) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_units_must_agree() -> None:
    coded = [Segmentation(6, (1,)), Segmentation(6, (2,), unit="turn"), Segmentation(6, unit="sentence")]
    with pytest.raises(ComparabilityError, match="annotator '3' counts 'sentence', earlier annotators count 'turn'"):
        metric("FleissKappa")(coded)
    with pytest.raises(ComparabilityError, match="counts 'ms'"):
        metric("FleissKappa")([Segmentation(6), Segmentation(6, unit="ms")])
    assert not math.isnan(metric("FleissKappa")(coded[:2]))


# ---------------------------------------------------------------------------------------------- compiled and not


def modules() -> Iterator[ModuleType]:
    yield load("multi_window_diff", shim=True)
    if importlib.util.find_spec("cython") is not None:
        yield load("multi_window_diff", shim=False)


@settings(max_examples=100)
@given(data=st.data(), closed=st.booleans())
def test_compiled_and_uncompiled_give_the_same_counts(data: st.DataObject, closed: bool) -> None:
    people = data.draw(panels(min_annotators=1))
    hypothesis = data.draw(segmentations(n_units=people["a1"].n_units))
    pairs = PanelPairs.of(people, hypothesis)
    windows = np.array([data.draw(st.integers(0, 26))])
    expected = _tables.count_windows(pairs, windows, closed=closed)
    for module in modules():
        assert module.COMPILED is False
        with mock.patch.object(_tables, "windows_kernel", module):
            np.testing.assert_array_equal(_tables.count_windows(pairs, windows, closed=closed), expected)


def test_the_kernel_says_whether_it_is_compiled() -> None:
    assert active.COMPILED is not str(active.__file__).endswith(".py")
    assert active.MULTI_WINDOW_DIFF_COLUMNS == _tables.WINDOW_COLUMNS


def test_long_documents_cost_no_more_than_their_boundaries() -> None:
    """Twelve boundaries in 2 ** 40 units: a loop over units would never end."""
    n = 2**40
    people = [Segmentation(n, (10**6 * (place + 1), n // 2 + place, n - 5 * place - 1)) for place in range(4)]
    parts = metric("MultiWindowDiff").parts(people, people[0])
    assert 0.0 <= parts["score"] <= 1.0
    expected = parts["raw"]
    for module in modules():
        with mock.patch.object(_tables, "windows_kernel", module):
            assert metric("MultiWindowDiff").parts(people, people[0])["raw"] == expected
