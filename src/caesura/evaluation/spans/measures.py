# SPDX-License-Identifier: Apache-2.0
"""Measures of spans against chunks: one value per span, and its mean over all spans of all documents."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

import numpy as np

from caesura.declare import param
from caesura.evaluation.spans.page import Ints
from caesura.evaluation.spans.retrieval import Pool
from caesura.metrics.base import Floats, Metric, MetricCard, ratio
from caesura.units.align import Alignment

__all__ = [
    "MEASURES",
    "MRR",
    "NDCG",
    "RETRIEVAL",
    "Chunks",
    "Cut",
    "Hit",
    "Inside",
    "InsideByChance",
    "Lost",
    "PaddingCharacters",
    "PaddingTokens",
    "PaddingUnits",
    "PrecisionOmega",
    "QuestionMeasure",
    "RetrievalMeasure",
    "SpanIoU",
    "SpanMeasure",
    "SpanPrecision",
    "SpanRecall",
    "SpanRow",
    "SystemSpans",
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class SpanRow:
    """One span against the chunks of one system; the measures define the fields."""

    document: int
    question: int
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

    ``counted_in`` says in which row of the counts each question stands: its own, or that of its document. ``values`` has
    one value per question for each measure of questions, and ``pool`` all chunks of the system.
    ``tokens`` counts those in the chunks (units if there are no texts), ``at_units`` says whether every boundary lies between
    two units, ``alignments`` where the chunks lie in each text, for chunks that need not tile it, and ``places`` where they lie
    in each document, in characters of its text, or in units.
    """

    rows: Sequence[SpanRow]
    counted_in: Ints
    chunks: int
    tokens: int
    overlap: bool
    at_units: bool
    pool: Pool
    alignments: Sequence[Alignment] = ()
    places: Sequence[Sequence[tuple[int, int]]] = ()
    values: Mapping[str, Floats] = dataclasses.field(default_factory=dict)

    def summed(self, values: Floats, questions: Ints) -> Floats:
        """Return the sum of the defined values and their number, one row for each row of the counts."""
        defined = ~np.isnan(values)
        at, rows = self.counted_in[questions], int(self.counted_in.max()) + 1
        columns = [
            np.bincount(at, weights=weights, minlength=rows)
            for weights in (np.where(defined, values, 0.0), defined.astype(np.float64))
        ]
        return np.column_stack(columns)


@dataclasses.dataclass(frozen=True)
class SpanMeasure(Metric):
    """Base of the measures. The counts of a row are the sum of the values of its spans, and their number.

    ``value`` names the attribute of `SpanRow` that is measured. A measure that ``needs_chunks`` is not defined for a span
    no part of which any chunk holds, so that lost text never looks good.
    """

    columns: ClassVar[tuple[str, ...]] = ("sum", "spans")
    value: ClassVar[str]
    needs_chunks: ClassVar[bool] = False
    needs_text: ClassVar[bool] = False

    def count(self, batch: SystemSpans) -> Floats:
        """Return the sum of the defined values and their number, one row per document or question."""
        values = np.array([getattr(row, self.value) for row in batch.rows], dtype=np.float64)
        if self.needs_chunks:
            values[[row.chunks == 0 for row in batch.rows]] = np.nan
        return batch.summed(values, np.array([row.question for row in batch.rows], dtype=np.int64))

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


@dataclasses.dataclass(frozen=True)
class QuestionMeasure(SpanMeasure):
    """Base of the measures with one value per question."""

    columns: ClassVar[tuple[str, ...]] = ("sum", "questions")

    def count(self, batch: SystemSpans) -> Floats:
        """Return the sum of the values and their number."""
        values = batch.values[str(self)]
        return batch.summed(values, np.arange(len(values)))


@dataclasses.dataclass(frozen=True)
class PrecisionOmega(QuestionMeasure):
    """Share of the chunks that touch an answer, and of what they leave of it, that is the answer: Chroma's Precision_Omega.

    With ``touching="any"``, as in Chroma, a chunk that only borders on the answer touches it, so that a chunk that is exactly the
    answer scores 1/3; with ``"strict"`` it must share a character.
    """

    touching: str = param("any", "whether a chunk that only borders on a span touches it", choices=("any", "strict"))

    card = _card("share of the chunks that touch an answer that is the answer", "higher", 1, 1)


@dataclasses.dataclass(frozen=True)
class RetrievalMeasure(QuestionMeasure):
    """Base of the measures of retrieved chunks: of ``k`` chunks, or of those that fit a ``budget`` of tokens."""

    k: int | None = param(None, "chunks; -1 for as many as touch a span", minimum=-1)
    budget: int | None = param(None, "tokens that the chunks may have together", minimum=1)


class SpanRecall(RetrievalMeasure):
    """Share of the answers' characters that the retrieved chunks hold."""

    card = _card("share of the answers' text that is retrieved", "higher", 1, 1)


class SpanPrecision(RetrievalMeasure):
    """Share of the retrieved characters, text in several chunks counted each time, that is answer."""

    card = _card("share of the retrieved text that is answer", "higher", 1, 1)


class SpanIoU(RetrievalMeasure):
    """Characters of the answer that are retrieved, divided by all that are retrieved or missed."""

    card = _card("retrieved answer by all that is retrieved or missed", "higher", 1, 1)


class Hit(RetrievalMeasure):
    """Share of questions with an answer that lies whole in a retrieved chunk."""

    card = _card("share of questions with an answer whole in a retrieved chunk", "higher", 1, 1)


class MRR(RetrievalMeasure):
    """Mean of 1 / rank of the first retrieved chunk that holds an answer whole, 0 if there is none."""

    card = _card("1 / rank of the first chunk that holds an answer whole", "higher", 1, 1)


class NDCG(RetrievalMeasure):
    """Mean over the answers of a question of 1 / log2(rank + 1) of the first chunk that holds it whole.

    The ideal, all answers in the first chunk, is the same for every chunker.
    """

    card = _card("1 / log2(rank + 1) of the first chunk that holds an answer whole", "higher", 1, 1)


RETRIEVAL: tuple[type[RetrievalMeasure], ...] = (SpanRecall, SpanPrecision, SpanIoU, Hit, MRR, NDCG)
"""Every measure of retrieval."""
