# SPDX-License-Identifier: Apache-2.0
"""What is measured of a span against chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Literal

from caesura.units.align import Alignment

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
    """The spans of all documents against one system, how many chunks it makes, what they hold, and how they lie in the texts."""

    rows: Sequence[SpanRow]
    chunks: int
    tokens: int
    overlap: bool
    at_units: bool
    alignments: Sequence[Alignment] = ()

    @property
    def gap_characters(self) -> int:
        """Characters of the texts that stand in no chunk, white space aside."""
        return sum(alignment.gap_characters for alignment in self.alignments)

    @property
    def overlap_characters(self) -> int:
        """Characters that stand in several chunks, white space aside."""
        return sum(alignment.overlap_characters for alignment in self.alignments)


@dataclasses.dataclass(frozen=True)
class Measure:
    """One number of a span: its title, which way is better, its bounds, and how it is read; NaN where it has none."""

    title: str
    direction: Literal["higher", "lower"]
    perfect: float
    bounds: tuple[float, float]
    of: Callable[[SpanRow], float]
    needs_text: bool = False
    digits: int = 3


def _of_chunks(name: str) -> Callable[[SpanRow], float]:
    """Return how a number of the chunks of a span is read: where no chunk holds any of it, there is none, and not a good one."""
    return lambda row: getattr(row, name) if row.chunks else float("nan")


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
        "fewest chunks that hold a span", "lower", 1, (0, float("inf")), _of_chunks("chunks"), digits=2
    ),
    "PaddingTokens": Measure(
        "tokens, separated by white space, of these chunks beside the span",
        "lower",
        0,
        (0, float("inf")),
        _of_chunks("padding_tokens"),
        needs_text=True,
        digits=1,
    ),
    "PaddingCharacters": Measure(
        "characters of these chunks beside the span, white space aside",
        "lower",
        0,
        (0, float("inf")),
        _of_chunks("padding_characters"),
        needs_text=True,
        digits=1,
    ),
    "PaddingUnits": Measure(
        "units with a part in these chunks and none in the span",
        "lower",
        0,
        (0, float("inf")),
        _of_chunks("padding_units"),
        digits=1,
    ),
    "Lost": Measure("share of a span that stands in no chunk", "lower", 0, (0, 1), lambda row: row.lost),
}
"""What is measured of every span; a score is the mean over all spans that have the number."""
