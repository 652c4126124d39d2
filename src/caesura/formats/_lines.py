# SPDX-License-Identifier: Apache-2.0
"""Shared parts of formats that are read line by line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence

from caesura.batches.flat import Flat
from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.segmentation import Segmentation

__all__ = ["check_columns", "counted", "filled_lines", "segmented", "table_row"]


def filled_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines with their numbers."""
    return ((number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def table_row(line: str, delimiter: str, number: int, *, strict: bool = False) -> list[str]:
    """Return the cells of a row of a table."""
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=strict))
    except csv.Error as error:
        raise FormatError(f"is not a valid table row ({error}); correct it", line=number) from None


def check_columns(rows: Iterable[tuple[int, Sequence[str]]], n_columns: int) -> None:
    """Raise unless all rows of a table have as many columns as the first."""
    for number, row in rows:
        if len(row) != n_columns:
            message = f"the row has {len(row)} columns, but the first row has {n_columns}; they must agree"
            raise FormatError(message, line=number)


def counted(segmentations: Sequence[Segmentation], name: str) -> Corpus:
    """Return documents whose ids are their positions in the file."""
    ids = [str(place) for place in range(1, len(segmentations) + 1)]
    return Corpus.from_flat(ids, Flat.from_segmentations(segmentations), name=name, ids_are_given=False)


def segmented(corpus: Corpus) -> Iterator[tuple[Document, Segmentation]]:
    """Yield each document with its segmentation, which is required."""
    for document in corpus:
        if document.segmentation is None:
            raise FormatError(f"document {document.id!r} has no segmentation to write")
        yield document, document.segmentation
