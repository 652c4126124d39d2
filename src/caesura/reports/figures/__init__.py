# SPDX-License-Identifier: Apache-2.0
"""Figures: Vega-Lite specifications of results, one module per question, each with ``<question>_figure(results)``."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

from caesura.errors import ComparabilityError
from caesura.reports.figures.base import figure_kind, render_figure
from caesura.results import Results

__all__ = ["draw", "specification_of"]


_FILES = {"compare": "evaluate", "gate": "evaluate"}


def specification_of(results: Results) -> dict[str, Any]:
    """Return the figure of results as a Vega-Lite specification.

    Raises
    ------
    ComparabilityError
        If there is nothing to draw in results of this question.
    """
    name = _FILES.get(results.question, results.question)
    if importlib.util.find_spec(f"{__name__}.{name}") is None:
        raise ComparabilityError(f"results of {results.question!r} have no figure; see caesura report")
    made: dict[str, Any] = getattr(importlib.import_module(f"{__name__}.{name}"), f"{name}_figure")(results)
    return made


def draw(results: Results, path: str | Path) -> bytes:
    """Return the figure of results, in the format given by the suffix of a file name."""
    specification = specification_of(results)
    return render_figure(specification, figure_kind(path), title=specification["title"]["text"])
