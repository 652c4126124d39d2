# SPDX-License-Identifier: Apache-2.0
"""The figure of a measurement without a reference: every score, system by system."""

from __future__ import annotations

from caesura.results import Results
from caesura.results.evaluate.figure import figure as evaluate_figure
from caesura.results.panels import Spec

__all__ = ["figure"]


def figure(results: Results) -> Spec:
    """Return the scores of every system, metric by metric, with their intervals."""
    drawn = evaluate_figure(results)
    drawn["title"]["text"] = "Scores without a reference"
    return drawn
