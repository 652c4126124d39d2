# SPDX-License-Identifier: Apache-2.0
"""What is measured of a span against chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Literal

__all__ = ["MEASURES", "Measure", "SpanRow", "SystemSpans"]


@dataclasses.dataclass(frozen=True)
class SpanRow:
    """One span against the chunks of one system; `MEASURES` says what the numbers mean."""

    document: int
    words: str
    inside: bool
    chunks: int
    padding_tokens: int
    padding_characters: int
    padding_units: int
    lost: float
    by_chance: float


@dataclasses.dataclass(frozen=True)
class SystemSpans:
    """The spans of all documents against one system, how many chunks it makes, and what they hold."""

    rows: Sequence[SpanRow]
    chunks: int
    tokens: int
    overlap: bool
    at_units: bool


@dataclasses.dataclass(frozen=True)
class Measure:
    """One number of a span: its title, which way is better, its bounds, and how it is read."""

    title: str
    direction: Literal["higher", "lower"]
    perfect: float
    bounds: tuple[float, float]
    of: Callable[[SpanRow], float]
    needs_text: bool = False
    digits: int = 3


MEASURES = {
    "Inside": Measure(
        "share of spans that stand whole in one chunk", "higher", 1, (0, 1), lambda row: row.inside
    ),
    "Cut": Measure(
        "share of spans that no chunk holds whole", "lower", 0, (0, 1), lambda row: not row.inside
    ),
    "InsideByChance": Measure(
        "share of spans that as many boundaries at random places would leave whole",
        "higher",
        1,
        (0, 1),
        lambda row: row.by_chance,
    ),
    "Chunks": Measure(
        "fewest chunks that hold a span", "lower", 1, (0, float("inf")), lambda row: row.chunks, digits=2
    ),
    "PaddingTokens": Measure(
        "tokens, separated by white space, of these chunks beside the span",
        "lower",
        0,
        (0, float("inf")),
        lambda row: row.padding_tokens,
        needs_text=True,
        digits=1,
    ),
    "PaddingCharacters": Measure(
        "characters of these chunks beside the span, white space aside",
        "lower",
        0,
        (0, float("inf")),
        lambda row: row.padding_characters,
        needs_text=True,
        digits=1,
    ),
    "PaddingUnits": Measure(
        "units with a part in these chunks and none in the span",
        "lower",
        0,
        (0, float("inf")),
        lambda row: row.padding_units,
        digits=1,
    ),
    "Lost": Measure("share of a span that stands in no chunk", "lower", 0, (0, 1), lambda row: row.lost),
}
"""What is measured of every span; a score is the mean over all spans."""
