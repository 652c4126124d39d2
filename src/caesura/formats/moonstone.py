# SPDX-License-Identifier: Apache-2.0
"""The tables of the Moonstone corpus: one row per paragraph, one column per annotator."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._annotators import sole
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import faults, notice, plural, read_text
from caesura.formats._lines import check_columns, filled_lines, table_row
from caesura.segmentation import Segmentation

__all__ = ["Moonstone"]

_FIRST = "paragraph"
_UNIT = "paragraph"


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Moonstone(Format):
    """The tables of the Moonstone corpus (CSV): ``paragraph,an1,an2,…``, one chapter per file.

    Each row is a paragraph, in order, and gives the paragraph's segment number for each annotator. From row to row a
    number stays the same or increases by one; an increase is a boundary. Every annotator becomes one of the document's
    annotations; an annotator with an empty column did not code the chapter and is ignored, with a warning. A folder of
    chapters is a corpus, with documents named after the files.
    """

    card: ClassVar[Card] = Card(
        title="Moonstone tables: a segment number per paragraph and annotator (CSV)",
        citation="Kazantseva, A., and Szpakowicz, S. (2012). Topical segmentation: a study of human performance "
        "and a new measure of quality. NAACL-HLT.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "annotations"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first column numbers paragraphs."""
        cells = head.lstrip().partition(b"\n")[0].split(b",")
        return len(cells) > 1 and cells[0].strip(b' "\r').lower() == _FIRST.encode()

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        (_, names), *rows = _rows(path)
        columns: dict[str, list[int]] = {name: [] for name in names[1:]}
        blank = {name for place, name in enumerate(names) if place and not any(row[place] for _, row in rows)}
        for expected, (line, cells) in enumerate(rows, start=1):
            with faults(line=line):
                if cells[0] != str(expected):
                    what = f"the paragraph is numbered {cells[0]!r}; it must be {expected}"
                    raise FormatError(f"{what}, since paragraphs are in order")
                for name, cell in zip(names[1:], cells[1:], strict=True):
                    if name not in blank:
                        columns[name].append(_number(cell, name, columns[name]))
        if not rows or len(blank) == len(columns):
            raise FormatError("no annotator has coded any paragraph; the table holds no document")
        if blank:
            who = ", ".join(name for name in columns if name in blank)
            annotators = plural(len(blank), "annotator", "annotators")
            notice(f"{annotators} with an empty column ignored: {who}", path, strict=strict)
        annotations = {
            name: Segmentation.from_labels(numbers, unit=_UNIT)
            for name, numbers in columns.items()
            if name not in blank
        }
        document = Document(
            id=stem(path),
            n_units=len(rows),
            segmentation=sole(annotations),
            unit=_UNIT,
            annotations=annotations,
        )
        return Corpus([document], name=str(path), ids_are_given=False)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    rows = [
        (number, [cell.strip() for cell in table_row(line, ",", number, strict=True)])
        for number, line in filled_lines(read_text(path))
    ]
    line, names = rows[0]
    if len(names) < 2 or names[0].casefold() != _FIRST:
        message = f"the first row must be '{_FIRST}' and the names of the annotators; add it"
        raise FormatError(message, line=line)
    for name in names[1:]:
        if not name or names.count(name) > 1:
            what = "a column has no name" if not name else f"annotator {name!r} appears twice"
            raise FormatError(f"{what}; every column after the first must name one annotator", line=line)
    check_columns(rows[1:], len(names))
    return rows


def _number(cell: str, annotator: str, before: list[int]) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 10):
        raise FormatError(f"annotator {annotator!r}: {cell[:30]!r} is not a segment number; write 1, 2, 3 …")
    number = int(cell)
    if not number:
        what = f"annotator {annotator!r}: segment numbers begin with 1"
        raise FormatError(f"{what}; read flags of 0 and 1 with --from \"labels(marks='last')\", or 'first'")
    if before and number - before[-1] not in (0, 1):
        what = f"annotator {annotator!r}: segment {number} follows segment {before[-1]}"
        raise FormatError(f"{what}; numbers must stay the same or increase by one")
    return number
