# SPDX-License-Identifier: Apache-2.0
"""Figures: Vega-Lite specifications made from results, one file per question, each with ``<question>_figure(results)``."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from caesura.reports.figures.base import figure_kind, render_figure
from caesura.results import Results

__all__ = ["draw"]


def draw(results: Results, path: str | Path) -> bytes:
    """Return the figure of results, in the format that the name of a file asks for."""
    question = results.question
    file = importlib.import_module(f"{__name__}.{question}")
    specification: dict[str, Any] = getattr(file, f"{question}_figure")(results)
    return render_figure(specification, figure_kind(path), title=specification["title"]["text"])
