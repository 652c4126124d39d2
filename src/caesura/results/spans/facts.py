# SPDX-License-Identifier: Apache-2.0
"""The additions of spans against chunks: chunk sizes, and the worst spans."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.results.base import Number, Section
from caesura.results.check.facts import CheckedRule

__all__ = ["Chunker", "RetrievalFacts", "SpanFacts", "Tag", "WorstSpan"]


class Chunker(Section):
    """How one system treats the spans, and how its chunks tile the texts.

    ``cut`` spans lie in no single chunk; of these ``partly_lost`` and ``wholly_lost`` lie partly or wholly in no chunk.
    ``length`` is the mean length of its ``chunks``, in the unit of `SpanFacts.length_in`. The random boundaries of
    `InsideByChance` fall between ``chance_places``; None if chunks overlap. Characters are counted without white space,
    and are None without texts. ``all_chunks`` are those of all documents in which is retrieved, ``all_tokens`` what they have
    together (to be embedded, text in several chunks each time), ``most_tokens`` the longest, and ``over_limit`` how many have more
    than `SpanFacts.max_tokens`.
    """

    cut: int
    partly_lost: int
    wholly_lost: int
    chunks: int
    length: float
    chance_places: Literal["units", "tokens"] | None
    gap_characters: int | None = None
    overlap_characters: int | None = None
    all_chunks: int = 0
    all_tokens: int = 0
    most_tokens: int = 0
    over_limit: int | None = None


class WorstSpan(Section):
    """A span that a system treats badly: its words, and the chunks that a reader must take to get it."""

    document: str
    span: str
    chunks: int
    padding: int
    lost: float


class Tag(Section):
    """The questions with one tag: how many, and the score of every system over them."""

    questions: int
    scores: dict[str, Number]


class RetrievalFacts(Section):
    """Retrieval: the retriever, the measure that is compared, and mean recall over budgets.

    ``curve`` has the mean `SpanRecall` of each system at each of the ``budgets``, ``tags`` the scores by tag. ``questions_needed`` is
    about how many questions would show a lead of the best chunker over its clock as large as the observed one, with power 0.8; None
    if it has none.
    """

    by: str
    measure: str
    budgets: list[int]
    curve: dict[str, list[Number]]
    tags: dict[str, Tag] = msgspec.field(default_factory=dict)
    questions_needed: int | None = None


class SpanFacts(Section):
    """Spans against chunks: the number of spans, every system's chunks, and its worst spans (None if not requested).

    ``questions`` is their number if they are resampled, None if documents are; ``texts`` the number of documents that have spans. ``measured_in``
    is the tokenizer that counted, or "words", or "units"; ``clocks`` names the clock of each chunker. With ``structure``
    the spans are what the documents' own structure keeps together. Of a bench ``health`` has the
    rules that need no reference for each chunker, and ``placement`` the score of its boundaries by `Placement`, if that was measured.
    """

    spans: int
    length_in: Literal["tokens", "units"]
    chunkers: dict[str, Chunker]
    worst: dict[str, list[WorstSpan]] | None = None
    questions: int | None = None
    texts: int = 0
    measured_in: str = "words"
    max_tokens: int | None = None
    clocks: dict[str, str] = msgspec.field(default_factory=dict)
    retrieval: RetrievalFacts | None = None
    structure: bool = False
    health: dict[str, list[CheckedRule]] = msgspec.field(default_factory=dict)
    placement: dict[str, Number] = msgspec.field(default_factory=dict)
