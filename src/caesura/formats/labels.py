# SPDX-License-Identifier: Apache-2.0
"""Tables with one row per unit and a column of segment labels."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import ComparabilityError, FormatError
from caesura.files import stem
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import read_raw_text, utf8
from caesura.formats._lines import check_columns, segmented
from caesura.segmentation import Segmentation

__all__ = ["Labels"]

_DELIMITERS = (",", "\t", ";", "|")
_DOCUMENT = ("document", "doc", "id", "doc_id", "document_id")
_LABEL = ("label", "segment", "topic", "segment_id", "topic_id")
_TEXT = ("text", "unit", "sentence", "utterance")
_SPEAKER = ("speaker", "role")

Row = tuple[int, list[str]]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Labels(Format):
    """Tables (CSV, TSV) with one row per unit: a boundary lies where the label changes.

    The first row names the columns: ``document`` (or doc, id), ``label`` (or segment, topic), and optionally ``text`` (or
    unit, sentence, utterance) and ``speaker`` (or role); other columns are ignored. The rows of a document must be
    adjacent. Without a document column the file is one document, named after the file. Labels are compared as strings.
    """

    card: ClassVar[Card] = Card(title="tables with a label per unit (CSV, TSV)")
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv")
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation", "units", "speakers", "n_units"})

    delimiter: str | None = param(None, "the column separator [detected from the first row]")
    column: str | None = param(None, "the column of the labels [label, segment or topic]")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first row names a label column."""
        first = head.splitlines()[0].decode("utf-8", "replace") if head.strip() else ""
        names = {cell.strip(' "').casefold() for cell in first.split(_delimiter(first))}
        return len(names) > 1 and bool(names & set(_LABEL))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        header, rows = self._rows(path)
        label = self._label(header)
        key, text, speaker = (_column(header, names) for names in (_DOCUMENT, _TEXT, _SPEAKER))
        documents: list[Document] = []
        seen: set[str] = set()
        for name, group in itertools.groupby(rows, lambda row: stem(path) if key is None else row[1][key]):
            members = list(group)
            if name in seen:
                message = f"the rows of document {name!r} are not adjacent; sort the table by document"
                raise ComparabilityError(str(FormatError(message, path, members[0][0])))
            seen.add(name)
            document = Document(
                id=name,
                n_units=len(members),
                segmentation=Segmentation.from_labels([row[label] for _, row in members]),
                units=None if text is None else tuple(row[text] for _, row in members),
                speakers=None if speaker is None else tuple(row[speaker] for _, row in members),
            )
            documents.append(document)
        if not documents:
            raise FormatError("the table has no rows; it holds no document")
        return Corpus(documents, name=str(path), ids_are_given=key is not None)

    def _rows(self, path: Path) -> tuple[list[str], list[Row]]:
        text = read_raw_text(path)
        delimiter = self.delimiter or _delimiter(text.lstrip().splitlines()[0])
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        except (TypeError, ValueError) as error:
            raise FormatError(f"delimiter {delimiter!r} is invalid: {error}") from None
        rows: list[Row] = []
        before = 0
        try:
            for row in reader:
                if any(cell.strip() for cell in row):
                    rows.append((before + 1, row))
                before = reader.line_num
        except csv.Error as error:
            raise FormatError(f"is not a valid table row ({error}); correct it", line=before + 1) from None
        if not rows:
            raise FormatError("the table has no rows; it holds no document")
        (_, header), *body = rows
        check_columns(body, len(header))
        return [name.strip().casefold() for name in header], body

    def _label(self, header: Sequence[str]) -> int:
        wanted = _LABEL if self.column is None else (self.column.casefold(),)
        place = _column(header, wanted)
        if place is None:
            what = f"no column is called {' or '.join(wanted)}; the columns are {', '.join(header)}"
            raise FormatError(f"{what}; name the column of the labels with labels(column='…')", line=1)
        return place

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Yield the table."""
        with_text = all(document.units is not None for document in corpus)
        with_speaker = all(document.speakers is not None for document in corpus)
        stream = io.StringIO(newline="")
        table = csv.writer(
            stream, delimiter=self.delimiter or ",", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n"
        )
        header = ["document", self.column or "label", *["speaker"] * with_speaker, *["text"] * with_text]
        table.writerow(header)
        for document, segmentation in segmented(corpus):
            columns: list[Sequence[object]] = [[document.id] * document.n_units, segmentation.labels]
            columns += [document.speakers or ()] * with_speaker + [document.units or ()] * with_text
            table.writerows(zip(*columns, strict=True))
            yield utf8(stream.getvalue())
            stream.seek(0)
            stream.truncate()


def _delimiter(row: str) -> str:
    """Return the most frequent delimiter of the first row."""
    return max(_DELIMITERS, key=row.count)


def _column(header: Sequence[str], names: Sequence[str]) -> int | None:
    found = [place for place, name in enumerate(header) if name in names]
    if len(found) > 1:
        shown = " and ".join(repr(header[place]) for place in found)
        raise FormatError(f"the columns {shown} are ambiguous; rename one of them", line=1)
    return found[0] if found else None
