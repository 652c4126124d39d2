"""The figure of a training: every number of every epoch, and the epoch that was kept."""

from __future__ import annotations

import pytest

from caesura.errors import ComparabilityError
from caesura.reports.figures import specification_of
from caesura.reports.figures.train import train_figure
from caesura.results import Results
from tests.results.answers.test_train import results


def test_every_epoch_is_drawn_and_the_one_that_was_kept_is_marked():
    drawn = specification_of(results([]))
    panels = {panel["title"]["text"]: panel for panel in drawn["concat"]}
    rows = panels["BOR"]["data"]["values"]
    assert [(row["scorer"], row["epoch"]) for row in rows] == [
        ("stage 1: splices", 1), ("stage 1: splices", 2), ("stage 2: gold boundaries", 0), ("stage 2: gold boundaries", 1),
    ]  # fmt: skip
    assert all(row["bor"] == 0.9 for row in rows)
    marked = next(
        layer for layer in panels["BOR"]["layer"] if layer.get("mark", {}).get("shape") == "diamond"
    )
    assert [row["epoch"] for row in marked["data"]["values"]] == [2, 1]
    assert len(panels) == 6


def test_other_results_are_refused():
    with pytest.raises(ComparabilityError, match="needs those of 'train'"):
        train_figure(Results(question="evaluate"))
