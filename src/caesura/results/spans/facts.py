# SPDX-License-Identifier: Apache-2.0
"""The additions of spans against chunks: chunk sizes, and the worst spans."""

from __future__ import annotations

from typing import Literal

from caesura.results.base import Section

__all__ = ["Chunker", "SpanFacts", "WorstSpan"]


class Chunker(Section):
    """How one system treats the spans, and how its chunks tile the texts.

    ``cut`` spans lie in no single chunk; of these ``partly_lost`` and ``wholly_lost`` lie partly or wholly in no chunk.
    ``length`` is the mean length of its ``chunks``, in the unit of `SpanFacts.length_in`. The random boundaries of
    `InsideByChance` fall between ``chance_places``; None if chunks overlap. Characters are counted without white space,
    and are None without texts.
    """

    cut: int
    partly_lost: int
    wholly_lost: int
    chunks: int
    length: float
    chance_places: Literal["units", "tokens"] | None
    gap_characters: int | None = None
    overlap_characters: int | None = None


class WorstSpan(Section):
    """A span that a system treats badly: its words, and the chunks that a reader must take to get it."""

    document: str
    span: str
    chunks: int
    padding: int
    lost: float


class SpanFacts(Section):
    """Spans against chunks: the number of spans, every system's chunks, and its worst spans (None if not requested)."""

    spans: int
    length_in: Literal["tokens", "units"]
    chunkers: dict[str, Chunker]
    worst: dict[str, list[WorstSpan]] | None = None
