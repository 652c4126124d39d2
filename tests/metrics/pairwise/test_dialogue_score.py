"""Score and MAE: their parts, and where they mean nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caesura.errors import MetricError
from caesura.evaluation.evaluate import evaluate
from caesura.metrics import metric
from caesura.metrics.profiles import under_profile
from caesura.segmentation import Segmentation
from tests.strategies import Pair, corpora

PARTS = ("F1", "Pk", "WindowDiff")


@settings(max_examples=60, deadline=None)
@given(
    documents=corpora(), profile=st.sampled_from(["caesura", "superdialseg"]), by=st.sampled_from(["macro", "micro"])
)
def test_the_score_is_that_of_its_parts(documents: list[Pair], profile: str, by: str) -> None:
    # Where there is no window the parts are made of other documents.
    windows = [pair for pair in documents if metric("Pk").counts(*pair)["windows"]]
    documents = [*windows, (Segmentation(4, (2,)), Segmentation(4, (1,)))]
    sides = [{str(place): pair[side] for place, pair in enumerate(documents)} for side in (0, 1)]
    found = evaluate(sides[0], {"h": sides[1]}, [*PARTS, "Score"], profile=profile, by=by).scores["h"]
    f1, pk, window_diff = (found[name] for name in PARTS)
    assert found["Score"] == pytest.approx(f1 / 2 + (1 - pk) / 4 + (1 - window_diff) / 4, abs=1e-12)


def test_an_empty_dialogue() -> None:
    nothing = Segmentation(7)
    assert metric("Score")(nothing, nothing) == 1.0
    assert under_profile("Score", "superdialseg")(nothing, nothing) == 0.5


def test_parameters_reach_the_parts() -> None:
    pair = Segmentation(20, (5, 12)), Segmentation(20, (6, 12, 15))
    f1, pk, window_diff = (metric(text)(*pair) for text in ("F1", "Pk(k=4)", "WindowDiff(k=4)"))
    assert metric("Score(k=4)")(*pair) == pytest.approx(f1 / 2 + (1 - pk) / 4 + (1 - window_diff) / 4)


@pytest.mark.parametrize(("unit", "tolerance"), [("ms", "10s"), ("character", "40c")])
def test_exact_boundaries_mean_nothing_on_continuous_units(unit: str, tolerance: str) -> None:
    side = Segmentation(1000, (500,), unit=unit)
    with pytest.raises(
        MetricError, match=rf"^DialogueScore: exact F1 is meaningless on the unit '{unit}'; .*'{tolerance}'"
    ):
        metric("Score")(side, side)
    assert list(evaluate(side, side, profile="superdialseg").metrics) == ["Pk", "WindowDiff", "MAE"]


def test_mae_is_the_mean_difference() -> None:
    reference = {"a": Segmentation(9, (3, 6)), "b": Segmentation(9), "c": Segmentation(1)}
    hypothesis = {"a": Segmentation(9, (2,)), "b": Segmentation(9, (1, 2, 3, 4)), "c": Segmentation(1)}
    assert evaluate(reference, {"h": hypothesis}, "MAE").scores["h"]["MAE"] == pytest.approx((1 + 4 + 0) / 3)
    with pytest.raises(MetricError, match="MAE: the counts of documents do not add"):
        evaluate(reference, {"h": hypothesis}, "MAE", by="micro")
