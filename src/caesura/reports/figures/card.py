# SPDX-License-Identifier: Apache-2.0
"""A card for sharing: one image of 1200 x 630 pixels with the answer and the density of every system."""

from __future__ import annotations

import textwrap

from caesura.errors import ComparabilityError
from caesura.reports.figures import specification_of
from caesura.reports.figures._panel import CONFIG, Spec
from caesura.reports.figures.base import VEGA_LITE, render_figure
from caesura.results import Results, answer_of

__all__ = ["draw_card"]

_SIZE = (1200, 630)
_BOLD_LETTERS, _LETTERS, _LINES = 96, 125, 5


def draw_card(results: Results) -> bytes:
    """Return the card of results as a PNG.

    Raises
    ------
    ComparabilityError
        If the results have no figure.
    """
    # An image cannot offer --full.
    sentences = [sentence.replace("--full", "the full report") for sentence in answer_of(results)]
    first, *others = sentences or ["Caesura"]
    lines = [line for sentence in others for line in textwrap.wrap(sentence, _LETTERS)]
    if len(lines) > _LINES:
        lines = [
            *lines[: _LINES - 1],
            f"{textwrap.shorten(lines[_LINES - 1], _LETTERS - 2, placeholder='')} …",
        ]
    panel = _first_view(specification_of(results))
    title = {
        "text": textwrap.wrap(first, _BOLD_LETTERS), "subtitle": lines, "anchor": "start", "fontSize": 20,
        "subtitleFontSize": 17, "subtitlePadding": 8, "offset": 18, "limit": _SIZE[0] - 60,
    }  # fmt: skip
    card: Spec = {
        "$schema": VEGA_LITE,
        **panel,
        "title": title,
        "width": _SIZE[0],
        "height": _SIZE[1],
        "padding": 28,
        "autosize": {"type": "fit", "contains": "padding"},
        "config": CONFIG,
    }
    return render_figure(card, "png", scale=1.0)


def _first_view(specification: Spec) -> Spec:
    """Return the first single view of a figure, without its title and size."""
    view = specification
    while True:
        parts = view.get("vconcat") or view.get("hconcat") or view.get("concat")
        if not parts:
            break
        view = parts[0]
    if "layer" not in view and "mark" not in view:
        raise ComparabilityError("these results have no single picture for a card; use --figures")
    return {key: value for key, value in view.items() if key not in ("title", "width", "height")}
