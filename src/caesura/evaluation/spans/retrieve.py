# SPDX-License-Identifier: Apache-2.0
"""What is retrieved, by whom and how much; and the clocks that chunkers are compared with."""

from __future__ import annotations

import dataclasses
import itertools
import os
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, DeclarationError
from caesura.evaluation.inputs import Source
from caesura.evaluation.spans.measures import RETRIEVAL, RetrievalMeasure, SystemSpans
from caesura.evaluation.spans.overlap import Cutoff, Query, at_cutoffs
from caesura.evaluation.spans.page import Page
from caesura.evaluation.spans.retrieval import Pool, Retriever, rankings
from caesura.metrics.base import Floats
from caesura.segmentation import Segmentation

__all__ = ["Resample", "Retrieved", "Retrieving", "clock_of"]

Resample = Literal["questions", "documents"]
_BUDGET = 1000
_CURVE = (0.125, 0.25, 0.5, 1, 2, 4)  # of the budget


@dataclasses.dataclass(frozen=True)
class Retrieved:
    """Rankings measured: the retriever, its measures at every cutoff, and mean recall over budgets.

    ``values`` maps a system to a measure to one value per question, ``curve`` a system to its mean recall at each of the ``budgets``.
    """

    by: str
    measures: tuple[RetrievalMeasure, ...]
    values: Mapping[str, Mapping[str, Floats]]
    budgets: tuple[int, ...]
    curve: Mapping[str, Sequence[float]]

    @property
    def main(self) -> str:
        """The measure that is compared: recall at the budget, or else at k."""
        return str(self.measures[0])


@dataclasses.dataclass(frozen=True)
class Retrieving:
    """The options of `caesura.spans` beyond spans and chunks.

    ``whole`` measures documents without a question too, as a retriever does, though nothing is retrieved.
    """

    by: Retriever | None = None
    budget: int | None = None
    k: int | None = None
    tokenizer: str | os.PathLike[str] | None = None
    max_tokens: int | None = None
    resample: Resample | None = None
    clock: bool = True
    whole: bool = False

    def __post_init__(self) -> None:
        for name, least in (("budget", 1), ("max_tokens", 1), ("k", -1)):
            value: object = getattr(self, name)
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value < least or value == 0
            ):
                raise DeclarationError(f"{name} is {value!r}; it must be a whole number from 1")
        if self.resample not in (None, "questions", "documents"):
            raise DeclarationError(f"resample is {self.resample!r}; it must be 'questions' or 'documents'")
        if self.by is None and (self.budget is not None or self.k is not None):
            raise DeclarationError("budget and k say how much is retrieved; add retrieve='bm25' (--retrieve bm25)")

    def run(
        self, by: Retriever, pages: Sequence[Page], questions: Sequence[Query], systems: Mapping[str, SystemSpans]
    ) -> Retrieved:
        """Rank the chunks of every system for every question, and measure what is retrieved."""
        if any(page.text is None for page in pages):
            raise ComparabilityError("retrieval needs the texts of the documents; give 'units', or leave out retrieve")
        silent = sum(not query.text for query in questions)
        if silent and not isinstance(by, Mapping):
            raise ComparabilityError(
                f"{silent} of {len(questions)} spans have no question, so nothing can be retrieved; write "
                '{"doc_id": "d1", "question": "…", "answer": "…"}'
            )
        budget = _BUDGET if self.budget is None and self.k is None else self.budget
        cutoffs = [Cutoff(budget=budget)] if budget is not None else []
        cutoffs += [Cutoff(k=self.k)] if self.k is not None else []
        budgets = tuple(max(1, round(share * (budget or _BUDGET))) for share in _CURVE)
        points = [Cutoff(budget=each) for each in budgets]
        most = 0 if self.k is None else max(len(of.pool) for of in systems.values()) if self.k == -1 else self.k
        name, ranked = rankings(by, pages, [query.text for query in questions], most, max(budgets))
        measures = tuple(kind(*cutoff) for cutoff in cutoffs for kind in RETRIEVAL)
        values: dict[str, dict[str, Floats]] = {}
        curve: dict[str, list[float]] = {}
        for system, of in systems.items():
            found = at_cutoffs(questions, of.pool, ranked(system, of.pool), list(dict.fromkeys([*cutoffs, *points])))
            values[system] = {str(m): found[Cutoff(m.k, m.budget)][m.name()] for m in measures}
            curve[system] = [float(found[point]["SpanRecall"].mean()) for point in points]
        return Retrieved(name, measures, values, budgets, curve)


def clock_of(pool: Pool, pages: Sequence[Page]) -> Source:
    """Return chunks that ignore the text: equally many words (units without texts) each, the mean of a system's chunks."""
    words = 0
    for number, page in enumerate(pages):
        own = pool.document == number
        edges = np.searchsorted(page.words, np.column_stack((pool.start[own], pool.end[own])))
        words += int(np.diff(edges, axis=1).sum())
    length = max(1, round(words / max(len(pool), 1)))
    name = f"clock {length}"
    return Source(Corpus([_ticking(page, length) for page in pages], name=name), name, baseline=True)


def _ticking(page: Page, length: int) -> Document:
    """Return a document cut after equally many words, or units."""
    document = page.document
    if page.text is None:
        boundaries = range(length, document.n_units, length)
        cut = Segmentation(document.n_units, boundaries, unit=document.unit)
        return Document(id=document.id, n_units=document.n_units, segmentation=cut, unit=document.unit)
    edges = [0, *page.words[length::length].tolist(), len(page.text)]
    spans = [
        [start, start + len(page.text[start:end].rstrip())] for start, end in itertools.pairwise(edges) if start < end
    ]
    return Document(id=document.id, n_units=max(len(page.text), 1), unit="character", extra={"chunk_spans": spans})
