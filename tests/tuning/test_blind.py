"""What a sweep says of a clock and of chance, beside its curves."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cz
from caesura.corpus import Corpus, Document
from caesura.placements.even import every
from caesura.results.sweep.figure import figure as sweep_figure
from caesura.segmentation import Segmentation


def swept(documents: int, metrics: list[str], seed: int = 1):
    rng = np.random.default_rng(seed)
    gold, scored = {}, []
    for place in range(documents):
        n = int(rng.integers(20, 60))
        places = np.sort(rng.choice(np.arange(1, n), size=n // 8, replace=False))
        scores = rng.uniform(0, 0.6, n - 1)
        scores[places - 1] += 0.3
        gold[f"d{place}"] = Segmentation(n, tuple(int(p) for p in places))
        scored.append(Document(id=f"d{place}", n_units=n, scores=tuple(scores)))
    return gold, cz.sweep(gold, {"m": Corpus(scored)}, metrics, resamples=20)


def test_the_clock_is_a_segmentation_that_anyone_can_score():
    gold, sweep = swept(30, ["W-F1", "Pk"])
    blind = sweep.results().sweep.blind
    assert set(blind) == {"clock", "chance"}
    lengths = {}
    for length in range(1, 60):
        clock = {key: every(one.n_units, length) for key, one in gold.items()}
        scores = cz.evaluate(gold, {"c": clock}, ["BOR", "W-F1", "Pk"]).scores["c"]
        lengths[round(scores["BOR"], 9)] = scores
    for row in blind["clock"]:
        same = lengths[round(row["BOR"], 9)]
        assert [row["W-F1"], row["Pk"]] == pytest.approx([same["W-F1"], same["Pk"]], abs=1e-12)
    densities = [row["BOR"] for row in blind["clock"]]
    assert densities == sorted(densities)
    reached = [point.scores["BOR"] for point in sweep.points["m"] if point.boundaries]
    assert densities[0] <= 1.5 * min(reached)
    assert densities[-1] >= max(reached) / 1.5


def test_chance_is_as_dense_as_the_clock_and_has_its_expectation():
    gold, sweep = swept(200, ["BoundaryRecall(tolerance=0)"])
    blind = sweep.results().sweep.blind
    units = np.array([one.n_units for one in gold.values()])
    total = sum(len(one.boundaries) for one in gold.values())
    for clock, chance in zip(blind["clock"], blind["chance"], strict=True):
        assert chance["BOR"] == pytest.approx(clock["BOR"])
        counts = next(
            c for c in ((units - 1) // length for length in range(1, 60)) if round(clock["BOR"] * total) == c.sum()
        )
        # A boundary of the reference is hit with the probability that its gap is one of those drawn.
        assert chance["BoundaryRecall(tolerance=0)"] == pytest.approx((counts / (units - 1)).mean(), abs=0.04)


def test_one_seed_gives_one_curve():
    first, again = (swept(40, ["W-F1"])[1].results().sweep.blind for _ in range(2))
    assert first == again


def test_both_are_drawn_where_the_axis_reaches():
    _, sweep = swept(10, ["W-F1"])
    figure = sweep_figure(sweep.results())
    assert "a clock (dashed) and chance (dotted)" in figure["title"]["subtitle"][-1]
    (panel,) = figure["concat"]
    low, high = panel["layer"][1]["encoding"]["x"]["scale"]["domain"]
    drawn = [layer["data"]["values"] for layer in panel["layer"] if "data" in layer][1:]
    for rows, wanted in zip(drawn, sweep.results().sweep.blind.values(), strict=True):
        inside = [(row["BOR"], row["W-F1"]) for row in wanted if low <= row["BOR"] <= high]
        assert [(row["bor"], row["score"]) for row in rows] == inside
        assert len(inside) > 3


def test_a_curve_without_a_boundary_has_no_density():
    scored = Corpus([Document(id="d", n_units=5, scores=(0.1, 0.1, 0.1, 0.1))])
    sweep = cz.sweep({"d": Segmentation(5, (2,))}, {"m": scored}, ["W-F1"], thresholds=[0.5], resamples=5)
    assert sweep.results().sweep.blind is None
