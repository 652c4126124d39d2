"""Figures of evaluations, tests of metrics, and cards: what they draw, and that they can be drawn."""

from __future__ import annotations

import numpy as np
import pytest

import caesura as cz
from caesura.errors import ComparabilityError
from caesura.reports.figures import draw, specification_of
from caesura.results import Results

pytest.importorskip("vl_convert", reason="the extra report is not installed")


@pytest.fixture(scope="module")
def evaluation():
    rng = np.random.default_rng(0)
    gold = {f"d{n}": rng.random(30) < 0.2 for n in range(15)}
    near = {key: bits ^ (rng.random(30) < 0.05) for key, bits in gold.items()}
    far = {key: rng.permutation(bits) for key, bits in gold.items()}
    made = cz.evaluate(gold, {"near [x] <b>": near, "far": far})
    made.intervals(50)
    made.verdicts()
    return made


def values(specification, *path):
    """Return the rows behind a layer."""
    part = specification
    for step in path:
        part = part[step]
    return part["data"]["values"]


def test_a_point_per_system_and_what_is_had_without_reading(evaluation):
    results = evaluation.results()
    figure = specification_of(results)
    points = values(figure, "vconcat", 0, "layer", 1)
    assert [(row["bor"], row["score"]) for row in points] == [
        (evaluation.scores[system]["BOR"], evaluation.scores[system]["W-F1"]) for system in evaluation.systems
    ]
    blind = values(figure, "vconcat", 0, "layer", 3)
    clocks = [row["score"] for row in blind if row["what"].startswith("a clock")]
    assert clocks == [results.verdicts[system].clock.score for system in evaluation.systems]


def test_every_metric_has_a_panel_with_intervals(evaluation):
    results = evaluation.results()
    panels = specification_of(results)["vconcat"][1]["concat"]
    assert len(panels) == len(results.metrics)
    for name, panel in zip(results.metrics, panels, strict=True):
        rows = values(panel, "layer", 0)
        for system, row in zip(results.systems, rows, strict=True):
            score = results.systems[system][name]
            assert (row["score"], row["low"], row["high"]) == (score.score, *score.interval)


@pytest.mark.parametrize("kind", ["svg", "png", "pdf", "json"])
def test_it_can_be_drawn(evaluation, kind):
    data = draw(evaluation.results(), f"x.{kind}")
    start = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}[kind]
    assert data.startswith(start)
    if kind == "svg":
        assert b"<b>" not in data


def test_the_damages_of_a_test_of_metrics():
    corpus = cz.bundled("moonstone").consensus(0.5)
    results = cz.validate(corpus, metrics=["Silhouette"], draws=1).results()
    panels = specification_of(results)["concat"]
    (trust,) = results.validity.encoders.values()
    drawn = {
        (panel["title"]["text"], row["scorer"], row["level"]): row["right"]
        for panel in panels
        for row in panel["data"]["values"]
    }
    assert drawn == {
        (trial.kind, name, trial.level): trial.ranked_right
        for name, metric in trust.metrics.items()
        for trial in metric.trials
        if trial.ranked_right is not None
    }
    assert len(drawn) > 10


def test_results_without_a_figure_say_so():
    with pytest.raises(ComparabilityError, match="have no figure"):
        specification_of(Results(question="select"))
