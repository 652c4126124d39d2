"""Figures of correlations, settings and conventions: every number is that of the results, and they can be drawn."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.errors import ComparabilityError
from caesura.evaluation.correlation import correlate
from caesura.reports.figures import draw
from caesura.reports.figures.base import render_figure
from caesura.reports.figures.calibrate import calibrate_figure
from caesura.reports.figures.correlate import correlate_figure
from caesura.reports.figures.explain import explain_figure
from caesura.reports.figures.tune import tune_figure
from caesura.results import Results
from caesura.tuning.calibration import calibrate
from caesura.tuning.parameters import tune
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)

pytest.importorskip("vl_convert", reason="the extra report is not installed")


@pytest.fixture(scope="module")
def gold():
    return cz.bundled("moonstone").consensus(0.5)


def test_correlations_are_heat_maps_by_reading(gold):
    outcome = correlate(
        gold,
        {"same": gold},
        ["Silhouette", "Pk", "W-F1"],
        baselines="even,every,random_density",
        resamples=20,
    )
    results = outcome.results()
    figure = correlate_figure(results)
    found = [
        (panel["title"]["text"].partition(" (")[0], row["metric"], row["reference"], row["value"])
        for panel in figure["concat"]
        for row in panel["data"]["values"]
    ]
    assert found == [
        (row.reading, row.metric, row.reference, row.pearson.value)
        for reading in ("all", "without baselines", "density removed")
        for row in outcome.facts.rows
        if row.reading == reading and row.pearson.value is not None
    ]
    assert b"Silhouette" in draw(results, "a.svg")


def test_settings_are_points_best_first(gold):
    outcome = tune(gold, "TextTiling", {"window": [2, 4, 6]}, "Pk")
    figure = tune_figure(outcome.results())
    points, rules = (layer["data"]["values"] for layer in figure["layer"])
    assert [row["score"] for row in points] == sorted(one.score for one in outcome.facts.tried)
    assert [row["setting"] for row in points if row["chosen"]] == [outcome.facts.chosen]
    assert rules == [{"what": "cross-validated", "score": outcome.facts.cross_validated}]
    assert b"TextTiling" in draw(outcome.results(), "a.svg")


def test_reliability_is_drawn_beside_the_diagonal():
    reference = {"a": cz.Segmentation(6, (3,)), "b": cz.Segmentation(5, (2,))}
    logits = {"a": (-4.0, 3.0, 5.0, -2.0, -6.0), "b": (-3.0, 4.0, -1.0, -2.0)}
    corpus = cz.Corpus([cz.Document(id=key, n_units=len(row) + 1, scores=row) for key, row in logits.items()])
    results = calibrate(reference, corpus, name="m").results()
    diagonal, curve = calibrate_figure(results)["layer"]
    assert diagonal["data"]["values"] == [{"predicted": end, "observed": end} for end in (0, 1)]
    c = results.calibration
    expected = [
        (name, each.confidence, each.accuracy, each.count)
        for name, side in (("before", c.before), (f"after, temperature {c.temperature:.3g}", c.after))
        for each in side.bins
        if each.count
    ]
    assert [tuple(row.values()) for row in curve["data"]["values"]] == expected
    assert len(expected) > 4
    assert b"Calibration of m" in draw(results, "a.svg")


def test_conventions_are_points_beside_our_own():
    pair = cz.Segmentation.from_masses([6, 3, 4]), cz.Segmentation.from_masses([4, 4, 5])
    explanation = cz.explain(*pair)
    figure = explain_figure(explanation)
    found = {
        (panel["title"]["text"], row["convention"]): row["score"]
        for panel in figure["concat"]
        for row in panel["layer"][1]["data"]["values"]
    }
    assert found == {
        (row.metric, row.convention): row.outcome.score
        for row in explanation.rows
        if row.outcome.score == row.outcome.score
    }
    assert b"NLTK" in render_figure(figure, "svg")


@pytest.mark.parametrize("make", [correlate_figure, tune_figure])
def test_other_results_are_refused(make):
    with pytest.raises(ComparabilityError, match="evaluate"):
        make(Results())


def test_commands_draw_them(run, tmp_path):
    assert run("explain", "6-3-4", "4-4-5", "--figure", tmp_path / "a.svg").code == 0
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    assert run("explain", "6-3-4", "4-4-5", "--figure", tmp_path / "a.svg").code == 2
    run("demo", "--files", tmp_path / "x")
    gold = tmp_path / "x/gold.jsonl"
    assert run("tune", gold, "TextTiling", "--try", "window=2,4", "--figure", tmp_path / "b.pdf").code == 0
    assert (tmp_path / "b.pdf").read_bytes().startswith(b"%PDF")
    systems = [tmp_path / f"x/{name}.jsonl" for name in ("clock", "random", "reader")]
    assert run("correlate", gold, *systems, "--resamples", 20, "--figure", tmp_path / "c.png").code == 0
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
