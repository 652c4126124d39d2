# SPDX-License-Identifier: Apache-2.0
"""What retrieved chunks hold of the passages that a question needs: one value per question and measure."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from caesura.evaluation.spans.retrieval import Pool, Ranked
from caesura.metrics.base import Floats

__all__ = ["Cutoff", "Passage", "Query", "Span", "at_cutoffs", "omega", "touching"]

Range = tuple[int, int]


class Span(NamedTuple):
    """A stretch of a document, by its number: in characters (units without texts), and on the scale of its page."""

    document: int
    start: int
    end: int
    first: int
    last: int


Passage = tuple[Span, ...]
"""Interchangeable spans."""


@dataclasses.dataclass(frozen=True)
class Query:
    """A question, its tags, and the passages it needs."""

    name: str
    text: str
    tags: tuple[str, ...]
    passages: tuple[Passage, ...]


class Cutoff(NamedTuple):
    """How much is retrieved: ``k`` chunks (-1: as many as touch a span), or chunks in rank order while they fit a ``budget``."""

    k: int | None = None
    budget: int | None = None


def _merged(ranges: Iterable[Range]) -> list[Range]:
    """Return the union of ranges, in order and apart.

    >>> _merged([(3, 5), (0, 2), (4, 9)])
    [(0, 2), (3, 9)]
    """
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _length(ranges: Iterable[Range]) -> int:
    return sum(end - start for start, end in ranges)


def _common(ranges: Sequence[Range], start: int, end: int) -> list[Range]:
    """Return the parts of merged ranges inside a span."""
    return [(max(a, start), min(b, end)) for a, b in ranges if a < end and b > start]


def _by_document(pool: Pool, chunks: Iterable[int], documents: set[int]) -> dict[int, list[Range]]:
    """Return the union of some chunks in each of some documents."""
    found: dict[int, list[Range]] = {document: [] for document in documents}
    for chunk in chunks:
        document = int(pool.document[chunk])
        if document in found:
            found[document].append((int(pool.start[chunk]), int(pool.end[chunk])))
    return {document: _merged(ranges) for document, ranges in found.items()}


def _chosen(query: Query, held: Mapping[int, list[Range]]) -> list[Span]:
    """Return of each passage the span of which the greatest share is held, the first if several are."""

    def share(span: Span) -> float:
        return _length(_common(held[span.document], span.start, span.end)) / max(span.end - span.start, 1)

    return [passage[0] if len(passage) == 1 else max(passage, key=share) for passage in query.passages]


def _overlap(query: Query, held: Mapping[int, list[Range]]) -> tuple[int, int, int]:
    """Return the length of all held parts of the spans, the sum of the spans' lengths, and what is left of each."""
    spans = _chosen(query, held)
    parts: dict[int, list[Range]] = {}
    whole = left = 0
    for span in spans:
        own = _common(held[span.document], span.start, span.end)
        parts.setdefault(span.document, []).extend(own)
        whole += span.end - span.start
        left += span.end - span.start - _length(own)
    return sum(_length(_merged(ranges)) for ranges in parts.values()), whole, left


def _documents(query: Query) -> set[int]:
    return {span.document for passage in query.passages for span in passage}


def touching(query: Query, pool: Pool, *, strict: bool) -> list[int]:
    """Return the chunks that touch a span of a question; touching at a border counts unless ``strict``."""
    found: set[int] = set()
    for span in {span for passage in query.passages for span in passage}:
        near = pool.near(span.document, span.start, span.end)
        found.update(chunk for chunk, a, b in near if not strict or (a < span.end and b > span.start))
    return sorted(found)


def omega(query: Query, pool: Pool, *, strict: bool) -> float:
    """Return Chroma's Precision_Omega: the share of the touching chunks, and of what they leave of the spans, that is answer."""
    held = _by_document(pool, touching(query, pool, strict=strict), _documents(query))
    inside, _, left = _overlap(query, held)
    around = sum(map(_length, held.values()))
    return inside / (around + left) if around + left else 0.0


def at_cutoffs(
    queries: Sequence[Query], pool: Pool, ranked: Ranked, cutoffs: Sequence[Cutoff]
) -> dict[Cutoff, dict[str, Floats]]:
    """Return every measure of retrieval at every cutoff, one value per question."""
    names = ("SpanRecall", "SpanPrecision", "SpanIoU", "Hit", "MRR", "NDCG")
    values = {cutoff: {name: np.zeros(len(queries)) for name in names} for cutoff in cutoffs}
    for number, (query, chunks) in enumerate(zip(queries, ranked, strict=True)):
        documents, near = _documents(query), touching(query, pool, strict=True)
        totals = np.cumsum(pool.tokens[chunks])
        lengths = [0, *np.cumsum(pool.end[chunks] - pool.start[chunks]).tolist()]
        # Chunks that share nothing with a span only add to the length of what is retrieved.
        own = [(rank, int(chunks[rank])) for rank in np.flatnonzero(np.isin(chunks, near)).tolist()] if near else []
        ranks = [_rank(passage, own, pool) for passage in query.passages]
        overlaps: dict[int, tuple[int, int, int]] = {}
        for cutoff, columns in values.items():
            size = _size(cutoff, query, pool, totals)
            taken = sum(rank < size for rank, _ in own)
            if taken not in overlaps:
                overlaps[taken] = _overlap(query, _by_document(pool, (chunk for _, chunk in own[:taken]), documents))
            inside, whole, left = overlaps[taken]
            length = lengths[min(size, len(chunks))]
            columns["SpanRecall"][number] = inside / whole
            columns["SpanPrecision"][number] = inside / length if length else 0.0
            columns["SpanIoU"][number] = inside / (length + left)
            found = [rank for rank in ranks if rank < size]
            columns["Hit"][number] = bool(found)
            columns["MRR"][number] = 1 / (1 + min(found)) if found else 0.0
            columns["NDCG"][number] = sum(1 / math.log2(rank + 2) for rank in found) / len(ranks)
    return values


def _size(cutoff: Cutoff, query: Query, pool: Pool, totals: np.ndarray) -> int:
    if cutoff.budget is not None:
        return int(np.searchsorted(totals, cutoff.budget, side="right"))
    if cutoff.k == -1:
        return len(touching(query, pool, strict=False))
    return cutoff.k or 0


def _rank(passage: Passage, own: Sequence[tuple[int, int]], pool: Pool) -> float:
    """Return the rank, from 0, of the first retrieved chunk that holds a passage whole; infinite if there is none."""
    for rank, chunk in own:
        for span in passage:
            if (
                pool.document[chunk] == span.document
                and pool.first[chunk] <= span.first
                and pool.last[chunk] >= span.last
            ):
                return rank
    return math.inf
