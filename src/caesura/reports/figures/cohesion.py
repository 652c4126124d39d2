# SPDX-License-Identifier: Apache-2.0
"""The figure of a measurement without a reference: every score, system by system."""

from __future__ import annotations

from caesura.reports.figures._panel import Spec
from caesura.reports.figures.evaluate import evaluate_figure
from caesura.results import Results

__all__ = ["cohesion_figure"]


def cohesion_figure(results: Results) -> Spec:
    """Return the scores of every system, metric by metric, with their intervals."""
    figure = evaluate_figure(results)
    figure["title"]["text"] = "Scores without a reference"
    return figure
