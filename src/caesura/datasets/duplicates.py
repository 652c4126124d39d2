# SPDX-License-Identifier: Apache-2.0
"""Documents that occur twice in a corpus, and segments that occur twice in a document.

Resampling treats documents as independent, which copies are not; a boundary between two equal segments is undetectable.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError
from caesura.table import Column, Table, Value

__all__ = ["Copies", "copies", "duplicate_table", "repeats"]


class Copies(NamedTuple):
    """Documents with the same text, and whether they also have the same boundaries."""

    ids: tuple[str, ...]
    same_boundaries: bool


def copies(documents: Iterable[Document]) -> list[Copies]:
    """Return the groups of documents with the same text, ignoring case and white space, by first member."""
    groups: dict[tuple[str, ...], list[Document]] = {}
    for document in documents:
        if document.units is not None:
            groups.setdefault(_joined(document.units), []).append(document)
    return [
        Copies(tuple(document.id for document in group), len({document.segmentation for document in group}) == 1)
        for group in groups.values()
        if len(group) > 1
    ]


def repeats(documents: Iterable[Document]) -> tuple[list[str], list[str]]:
    """Return the documents with two equal adjacent segments, and those with other repeated segments."""
    neighbours: list[str] = []
    others: list[str] = []
    for document in documents:
        if document.units is None or document.segmentation is None:
            continue
        segments = [_joined(document.units[start:end]) for start, end in document.segmentation.spans]
        if any(first == second for first, second in itertools.pairwise(segments)):
            neighbours.append(document.id)
        elif len(set(segments)) < len(segments):
            others.append(document.id)
    return neighbours, others


def duplicate_table(corpus: Corpus) -> Table:
    """Return every group of copies, and every document with a repeated segment, in a table."""
    documents = list(corpus)
    if not any(document.units for document in documents):
        raise ComparabilityError(f"{corpus.name or 'the corpus'} has no texts, so copies cannot be found")
    groups = copies(documents)
    neighbours, others = repeats(documents)
    rows: list[list[Value]] = [
        [" = ".join(group.ids), "same text" + ("" if group.same_boundaries else ", other boundaries")]
        for group in groups
    ]
    rows += [[key, "adjacent equal segments"] for key in neighbours]
    rows += [[key, "a segment twice, apart"] for key in others]
    extra = sum(len(group.ids) - 1 for group in groups)
    notes = [
        f"{len(documents)} document{'s' * (len(documents) != 1)}. Copies of another: {extra}. With two adjacent equal segments: {len(neighbours)}. With a "
        f"segment twice, apart: {len(others)}."
    ]
    return Table([Column("document", width=44), Column("what")], rows, notes)


def _joined(units: Sequence[str]) -> tuple[str, ...]:
    return tuple(" ".join(unit.split()).casefold() for unit in units)
