# SPDX-License-Identifier: Apache-2.0
"""Documents from Python objects: rows of a dataset, and tables of any library that exports Arrow data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.formats._arrow import arrow_table, corpus_of
from caesura.formats._files import notice
from caesura.formats._flags import Flags, Unclear
from caesura.formats._jsonl_line import read_line, sole_labels

__all__ = ["from_arrow", "from_records"]


def from_arrow(value: object, name: str = "") -> Corpus:
    """Return the documents of a table with the columns of the format ``parquet``."""
    return corpus_of(arrow_table(value), name)


def from_records(
    rows: Iterable[Mapping[str, object]], name: str = "", *, marks: str | None = None, strict: bool = False
) -> Corpus:
    """Return the documents of rows with the keys of the format ``jsonl``; rows without ids are numbered.

    ``marks`` says what labels of 0 and 1 mean, as in a file.

    >>> from_records([{"id": 1, "n_units": 9, "boundaries": [4]}])["1"].segmentation
    Segmentation(9, (4,))
    >>> from_records([{"id": 1, "labels": [0, 0, 1, 0]}], marks="last")["1"].segmentation
    Segmentation(4, (3,))
    """
    documents: list[Document] = []
    numbered = False
    flags = Flags(marks)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise FormatError(f"{name or 'row'} {number} is a {type(row).__name__}; rows must be dictionaries")
        numbered = numbered or (number == 1 and row.get("id") is None)
        known = {key: value for key, value in row.items() if value is not None}
        try:
            line = msgspec.json.encode(known, enc_hook=_plain)
        except (TypeError, ValueError) as error:
            raise FormatError(f"row {number} holds a value that a document cannot hold ({error})") from None
        try:
            document, _ = read_line(line, number, number if numbered else None)
            documents.append(flags.add(document, sole_labels(line), len(documents), number))
        except FormatError as error:
            raise FormatError(f"row {number} of {name or 'the rows'}: {error}") from None
    try:
        note = flags.settle(documents)
    except Unclear as error:
        raise FormatError(f"row {error.line} of {name or 'the rows'}: {error.what} marks={error.marks!r}") from None
    if note:
        notice(note, name or "rows", strict=strict)
    return Corpus(documents, name=name, ids_are_given=not numbered)


def _plain(value: object) -> object:
    """Return NumPy arrays and numbers as Python objects."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__}")
