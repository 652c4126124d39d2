# SPDX-License-Identifier: Apache-2.0
"""Tables of units or documents: CSV and TSV with any columns."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.files import suffix
from caesura.formats._base import FORMATS, Format, Sample, segmented
from caesura.formats._detect import load
from caesura.formats._files import utf8
from caesura.formats._flags import marks_param
from caesura.formats._records import read_table
from caesura.formats._roles import NAMES, named_columns
from caesura.formats._tables import SEGEVAL, column_names, header_line, numbered, read_cells
from caesura.formats.chapter_table import ChapterTable

__all__ = ["Labels"]

_CODED = {*NAMES["label"], *NAMES["boundary"], *NAMES["masses"], *NAMES["bits"]}


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Labels(Format):
    """Tables (CSV, TSV) with one row per unit: a boundary lies where the label changes.

    The first row names the columns. Known names are those of the document (``document``, ``doc``, ``dial_id`` …), the
    ``label`` (or segment, topic, topic_id), ``boundary`` flags of 0 and 1, the number of the unit (``unit``, ``turn_id``,
    ``index`` …), ``text`` (or sentence, utterance), ``speaker`` (or role) and ``annotator``. Others are named with
    ``columns``; the rest is ignored, with a note. Without a document column the file is one document, unless something
    suggests several.

    Several annotators: one row per unit and annotator with a column ``annotator``, or one column each, which
    ``columns='annotators=ann+bob'`` names; columns of segment numbers are recognised. One row per document: its ``masses``
    (6 3 4), ``bits`` (000001001000), or ``boundaries`` (6 9) with ``n_units``; or lists, as data frames write them, of its texts
    and labels. One row per boundary: the document, perhaps the annotator, and the number of the first or last unit of a segment
    (``marks``); ``units`` names the file with the documents, or a column has ``n_units``.
    """

    card: ClassVar[Card] = Card(title="tables of units, annotators or documents, any columns (CSV, TSV)")
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv")
    sample: ClassVar[Sample] = {"walk": (2, 1), "show": (1, 1)}
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation", "units", "speakers", "n_units"})

    delimiter: str | None = param(None, "the column separator [detected from the first row]")
    columns: str | None = param(
        None, "roles of columns, such as 'doc=dial_id,label=topic'; doc= if the file is one document"
    )
    marks: str | None = marks_param()
    units: str | None = param(None, "the file with the documents, where each row of the table is a boundary")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first row names columns and is not the header of another format."""
        text = head.lstrip(b"\r\n").decode("utf-8", "replace").replace("\r", "\n")
        first = header_line(text) if suffix(path) in cls.suffixes else text.partition("\n")[0]
        names = column_names(first)
        start = first.lstrip(' "').casefold()
        if (
            SEGEVAL.match(head)
            or ChapterTable.sniff(head, path)
            or (start.startswith("paragraph,") and not names & _CODED)
        ):
            return False
        return len(names) > 1 and (suffix(path) in cls.suffixes or bool(names & _CODED))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        units = None if self.units is None else load(self.units)
        cells = read_cells(path, self.delimiter)
        return read_table(cells, self.columns, self.marks, path, strict=strict, units=units)

    def by_place(self, path: Path) -> Format:
        """Return the format with the columns of annotators by their places; see `Format.by_place`."""
        if "annotators" not in named_columns(self.columns):
            return self
        return dataclasses.replace(self, columns=numbered(self.columns, read_cells(path, self.delimiter)))

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Yield the table."""
        with_text = all(document.units is not None for document in corpus)
        with_speaker = all(document.speakers is not None for document in corpus)
        stream = io.StringIO(newline="")
        table = csv.writer(stream, delimiter=self.delimiter or ",", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
        table.writerow(["document", "label", *["speaker"] * with_speaker, *["text"] * with_text])
        for document, segmentation in segmented(corpus):
            # Numbers alone could be taken for flags when they are read.
            labels = [f"s{number + 1}" for number in segmentation.labels]
            columns: list[Sequence[object]] = [[document.id] * document.n_units, labels]
            columns += [document.speakers or ()] * with_speaker + [document.units or ()] * with_text
            table.writerows(zip(*columns, strict=True))
            yield utf8(stream.getvalue())
            stream.seek(0)
            stream.truncate()
