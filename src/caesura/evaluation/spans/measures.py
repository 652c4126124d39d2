# SPDX-License-Identifier: Apache-2.0
"""Measures of spans against chunks: one value per span, and its mean over all spans of all documents."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from caesura.metrics.base import Floats, Metric, MetricCard, ratio
from caesura.units.align import Alignment

__all__ = [
    "MEASURES", "Chunks", "Cut", "Inside", "InsideByChance", "Lost", "PaddingCharacters", "PaddingTokens", "PaddingUnits",
    "SpanMeasure", "SpanRow", "SystemSpans",
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class SpanRow:
    """One span against the chunks of one system; the measures define the fields."""

    document: int
    words: str
    inside: bool
    chunks: int
    padding_tokens: int
    padding_characters: int
    padding_units: int
    lost: float
    by_chance: float

    @property
    def cut(self) -> bool:
        """Whether no chunk holds the span whole."""
        return not self.inside


@dataclasses.dataclass(frozen=True)
class SystemSpans:
    """All spans against the chunks of one system, and how these chunks tile the texts.

    ``tokens`` counts those in the chunks (units if there are no texts), ``at_units`` says whether every boundary lies between
    two units, ``alignments`` where the chunks lie in each text, for chunks that need not tile it, and ``places`` where they lie
    in each document, in characters of its text, or in units.
    """

    rows: Sequence[SpanRow]
    documents: int
    chunks: int
    tokens: int
    overlap: bool
    at_units: bool
    alignments: Sequence[Alignment] = ()
    places: Sequence[Sequence[tuple[int, int]]] = ()


@dataclasses.dataclass(frozen=True)
class SpanMeasure(Metric):
    """Base of the measures. The counts of a document are the sum of the values of its spans, and their number.

    ``value`` names the attribute of `SpanRow` that is measured. A measure that ``needs_chunks`` is not defined for a span
    no part of which any chunk holds, so that lost text never looks good.
    """

    columns: ClassVar[tuple[str, ...]] = ("sum", "spans")
    value: ClassVar[str]
    needs_chunks: ClassVar[bool] = False
    needs_text: ClassVar[bool] = False

    def count(self, batch: SystemSpans) -> Floats:
        """Return the sum of the defined values and their number, one row per document."""
        values = np.array([getattr(row, self.value) for row in batch.rows], dtype=np.float64)
        if self.needs_chunks:
            values[[row.chunks == 0 for row in batch.rows]] = np.nan
        where = [row.document for row in batch.rows]
        defined = ~np.isnan(values)
        columns = [
            np.bincount(where, weights=weights, minlength=batch.documents)
            for weights in (np.where(defined, values, 0.0), defined.astype(np.float64))
        ]
        return np.column_stack(columns)

    def score(self, counts: Floats) -> Floats:
        """Return the mean over spans."""
        return ratio(counts[..., 0], counts[..., 1])

    def why_undefined(self) -> str:
        """Return the reason why the mean is undefined."""
        return "no chunk holds any part of a span"


def _card(title: str, direction: Literal["higher", "lower"], perfect: float, most: float) -> MetricCard:
    return MetricCard(
        title=title,
        formula=title,
        direction=direction,
        bounds=(0, most),
        perfect=perfect,
        symmetric=False,
        aggregation="micro",
    )


class Inside(SpanMeasure):
    """Share of spans that lie whole in one chunk."""

    card = _card("share of spans that lie whole in one chunk", "higher", 1, 1)
    value = "inside"


class Cut(SpanMeasure):
    """Share of spans that no chunk holds whole."""

    card = _card("share of spans that no chunk holds whole", "lower", 0, 1)
    value = "cut"


class InsideByChance(SpanMeasure):
    """`Inside` expected for as many boundaries at random places."""

    card = _card("share of spans that as many boundaries at random places would leave whole", "higher", 1, 1)
    value = "by_chance"

    def why_undefined(self) -> str:
        """Return the reason why the mean is undefined."""
        return "chunks overlap, so there is no chance level"


class Chunks(SpanMeasure):
    """Fewest chunks that hold a span."""

    card = _card("fewest chunks that hold a span", "lower", 1, math.inf)
    value = "chunks"
    needs_chunks = True


class PaddingTokens(SpanMeasure):
    """Tokens, separated by white space, of these chunks outside the span."""

    card = _card("tokens, separated by white space, of these chunks outside the span", "lower", 0, math.inf)
    value = "padding_tokens"
    needs_chunks = True
    needs_text = True


class PaddingCharacters(SpanMeasure):
    """Characters of these chunks outside the span, not counting white space."""

    card = _card("characters of these chunks outside the span, without white space", "lower", 0, math.inf)
    value = "padding_characters"
    needs_chunks = True
    needs_text = True


class PaddingUnits(SpanMeasure):
    """Units with a part in these chunks and none in the span."""

    card = _card("units with a part in these chunks and none in the span", "lower", 0, math.inf)
    value = "padding_units"
    needs_chunks = True


class Lost(SpanMeasure):
    """Share of a span that lies in no chunk."""

    card = _card("share of a span that lies in no chunk", "lower", 0, 1)
    value = "lost"


MEASURES: tuple[SpanMeasure, ...] = (
    Inside(), Cut(), InsideByChance(), Chunks(), PaddingTokens(), PaddingCharacters(), PaddingUnits(), Lost(),
)  # fmt: skip
"""Every measure of a span; a score is the mean over all spans for which it is defined."""
