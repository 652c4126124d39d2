"""The drawings: what is drawn adds up to what is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caesura.evaluation.explain.views import MARKS, boundary_fates, mass_view, window_view, windows_of
from caesura.metrics import metric
from caesura.segmentation import Segmentation
from tests.strategies import Pair, pairs

PAIR = Segmentation.from_masses([6, 3, 4]), Segmentation.from_masses([4, 4, 5])
WINDOWS = [
    "Pk",
    "WindowDiff",
    "Pk(k=3)",
    "Pk(string='units')",
    "Pk(string='units_closed')",
    "WindowDiff(string='units_closed')",
    "WindowDiff(edge='lamprier')",
    "WindowDiff(edge='lamprier_segeval')",
    "Pk(k_from='boundaries', min_k=0)",
    "WindowDiff(k_from='boundaries', min_k=0, string='units')",
    "Pk(short='shrink')",
]


@given(pair=pairs(), text=st.sampled_from(WINDOWS))
def test_windows_are_those_the_metric_counts(pair: Pair, text: str) -> None:
    chosen = metric(text)
    counts, found = chosen.counts(*pair), windows_of(*pair, chosen)
    assert found.errors.sum() == counts["errors"]
    assert found.divisor == counts["windows"]
    assert len(found) == counts["windows"] - ("segeval" in text and counts["windows"] > 0)


@given(pair=pairs(min_units=3, max_units=120), width=st.integers(40, 100))
def test_drawn_error_marks_add_up(pair: Pair, width: int) -> None:
    metrics = {name: metric(name) for name in ("Pk", "WindowDiff")}
    lines = window_view(*pair, metrics, width=width)
    assert all(len(line) <= max(width, 76) for line in lines)
    for name, chosen in metrics.items():
        drawn = "".join(line[12:] for line in lines if line.startswith(name.ljust(12)))
        assert drawn.count("x") == chosen.counts(*pair)["errors"]
        assert len(drawn) == chosen.counts(*pair)["windows"]


def test_the_pair_drawn_by_hand() -> None:
    lines = window_view(*PAIR, {name: metric(name) for name in ("Pk", "WindowDiff")})
    assert lines[-4:] == [
        "reference   ····11·11··",
        "hypothesis  ··11··11···",
        "Pk          ··xxxxx·x··",
        "WindowDiff  ··xxxxx·x··",
    ]


def test_metrics_with_other_windows_are_drawn_apart() -> None:
    text = "\n".join(window_view(*PAIR, {"Pk": metric("Pk"), "WindowDiff(k=4)": metric("WindowDiff(k=4)")}))
    assert text.count("one column each") == 2


def test_too_many_windows_and_none() -> None:
    long = Segmentation(1000, [500]), Segmentation(1000, [400])
    lines = window_view(*long, {"Pk": metric("Pk(k=2)")})
    assert lines == ["998 windows of k = 2 (Pk): too many to draw (over 400)."]
    assert "none" in window_view(Segmentation(2), Segmentation(2), {"Pk": metric("Pk")})[0]


def test_more_boundaries_than_a_digit_can_say() -> None:
    crowded = Segmentation.from_masses([1] * 30)
    assert "#" in "".join(window_view(crowded, crowded, {"WindowDiff": metric("WindowDiff(k=12)")}))


# ---------------------------------------------------------------------- the mass view


def tally(pair: Pair, near: int | str | None = None) -> dict[str, int]:
    """Count the fates of both sides; a matched or near pair counts once."""
    ours, theirs = (list(side.values()) for side in boundary_fates(*pair, near))
    return {fate: max(ours.count(fate), theirs.count(fate)) for fate in MARKS}


@given(pair=pairs(max_units=300), near=st.integers(0, 4))
def test_every_boundary_has_a_fate(pair: Pair, near: int) -> None:
    ours, theirs = boundary_fates(*pair, near)
    assert tuple(ours) == pair[0].boundaries
    assert tuple(theirs) == pair[1].boundaries
    assert {p for p, fate in ours.items() if fate == "matched"} == set(pair[0].boundaries) & set(pair[1].boundaries)
    assert list(ours.values()).count("near") == list(theirs.values()).count("near")


@given(pair=pairs())
def test_near_misses_of_one_are_those_of_boundary_similarity(pair: Pair) -> None:
    counts, fates = metric("B").counts(*pair), tally(pair)
    # B pairs from the left, this drawing as many as can be; both see the same exact matches.
    assert fates["matched"] == counts["matches"]
    assert fates["near"] >= counts["transpositions"]


@given(pair=pairs(max_units=300), width=st.integers(40, 120))
def test_bars_are_to_scale_and_fit(pair: Pair, width: int) -> None:
    lines = mass_view(*pair, width=width)
    bars = [line[12:] for line in lines if line.startswith(("reference", "hypothesis"))]
    assert len(bars[0]) == len(bars[1]) <= width - 12
    assert len(bars[0]) >= min(pair[0].n_units, width - 12)
    assert all(len(line) <= max(width, 76) for line in lines)


def test_the_pair_drawn_to_scale() -> None:
    lines = mass_view(*PAIR, width=25)
    assert lines[2:7] == [
        "                    10",
        "reference   ██████░░░████",
        "                 x  ~",
        "hypothesis  ████░░░░█████",
        "               +   ~",
    ]
    assert tally(PAIR) == {"matched": 0, "near": 1, "missed": 1, "added": 1}
    assert all(mark in "".join(lines) for mark in MARKS.values())


def test_time_is_told_in_seconds() -> None:
    pair = Segmentation.from_seconds([60, 90], 600), Segmentation.from_seconds([68, 120], 600)
    text = "".join(mass_view(*pair))
    assert "one column is 8.82 s" in text
    assert "up to 10 s off" in text
    assert tally(pair) == {"matched": 0, "near": 1, "missed": 1, "added": 1}
    assert tally(pair, "1s")["near"] == 0


def test_what_is_too_narrow_is_said() -> None:
    fine = Segmentation(5000, [100, 101, 102]), Segmentation(5000, [100])
    assert "too narrow to be seen: 2 segments" in "".join(mass_view(*fine))
    every = Segmentation.from_masses([1] * 600)
    assert "not drawn" in "".join(mass_view(every, every))


def test_a_bad_distance_is_refused() -> None:
    with pytest.raises(ValueError, match="near"):
        mass_view(*PAIR, near="10s")
