"""The figure of correlations: every number is that of the results, and it can be drawn."""

from __future__ import annotations

import pytest

import caesura as cz
from caesura.errors import ComparabilityError
from caesura.evaluation.correlate.run import correlate
from caesura.reports.figures import draw
from caesura.results import Results
from caesura.results.correlate.figure import figure as correlate_figure
from tests.cli.conftest import *  # noqa: F403  (the command line in this process)
from tests.examples import write_example_files

pytest.importorskip("vl_convert", reason="the extra report is not installed")


@pytest.fixture(scope="module")
def gold():
    return cz.bundled("moonstone").consensus(0.5)


def test_correlations_are_heat_maps_by_reading(gold):
    outcome = correlate(
        gold, {"same": gold}, ["Silhouette", "Pk", "W-F1"], baselines="even,every,random_density", resamples=20
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


def test_other_results_are_refused():
    with pytest.raises(ComparabilityError, match="evaluate"):
        correlate_figure(Results())


def test_commands_draw_them(run, tmp_path):
    write_example_files(tmp_path / "x")
    gold = tmp_path / "x/gold.jsonl"
    systems = [tmp_path / f"x/{name}.jsonl" for name in ("every13", "random", "reader")]
    call = ("correlate", gold, *systems, "--resamples", 20, "--figure", tmp_path / "c.png")
    assert run(*call).code == 0
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    assert run(*call).code == 2
