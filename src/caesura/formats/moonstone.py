# SPDX-License-Identifier: Apache-2.0
"""The tables of the Moonstone corpus: one row per paragraph, one column per annotator."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._annotators import sole
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._files import faults, filled_lines, notice, plural, read_text
from caesura.formats._tables import check_columns, table_row
from caesura.segmentation import Segmentation

__all__ = ["Moonstone", "groups_of", "of_group"]

_UNIT = "paragraph"
_MEMBERS, _CHAPTERS = "annot_to_group.csv", "group_to_chapter.csv"


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Moonstone(Format):
    """The tables of the Moonstone corpus (CSV): ``paragraph,an1,an2,…``, one chapter per file.

    Each row is a paragraph, in order, and gives the paragraph's segment number for each annotator. From row to row a
    number stays the same or increases by one; an increase is a boundary. Every annotator becomes one of the document's
    annotations; an annotator with an empty column did not code the chapter and is ignored, with a warning. A folder of
    chapters is a corpus, with documents named after the files.

    In the released folder five groups of annotators coded four chapters each, and ``an1`` is the first member of the group
    that coded the chapter. Where its tables ``annot_to_group.csv`` and ``group_to_chapter.csv`` are in the folder, all chapters
    below it are read, and annotators are named by group and column, as in ``g3.an1``.
    """

    card: ClassVar[Card] = Card(
        title="Moonstone tables: a segment number per paragraph and annotator (CSV)",
        citation="Kazantseva, A., and Szpakowicz, S. (2012). Topical segmentation: a study of human performance "
        "and a new measure of quality. NAACL-HLT.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    sample: ClassVar[Sample] = {"moonstone": {"ann": (2, 1), "ben": (1, 2)}}
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "annotations"})
    folder_files: ClassVar[frozenset[str]] = frozenset({_MEMBERS, _CHAPTERS})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first column numbers paragraphs."""
        cells = head.lstrip().partition(b"\n")[0].split(b",")
        return len(cells) > 1 and cells[0].strip(b' "\r').lower() == _UNIT.encode()

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file, or a folder with the tables of the groups; see `Format.read`."""
        if path.is_dir():
            return self._read_folder(path, strict)
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
            id=stem(path), n_units=len(rows), segmentation=sole(annotations), unit=_UNIT, annotations=annotations
        )
        return Corpus([document], name=str(path), ids_are_given=False)

    def _read_folder(self, path: Path, strict: bool) -> Corpus:
        documents: list[Document] = []
        for file in sorted(path.rglob("*.csv"), key=lambda file: (int(_chapter(stem(file)) or 0), file)):
            if file.name not in self.folder_files:
                with faults(file):
                    documents += self.read(file, strict=strict)
        groups = groups_of(path, {document.id: len(document.annotations) for document in documents})
        return Corpus([of_group(document, groups[document.id]) for document in documents], name=str(path))


def of_group(document: Document, group: str) -> Document:
    """Return a chapter whose annotators are named by group and column."""
    return dataclasses.replace(
        document, annotations={f"g{group}.{name}": coding for name, coding in document.annotations.items()}
    )


def groups_of(folder: Path, chapters: Mapping[str, int]) -> dict[str, str]:
    """Return the group that coded each chapter.

    A chapter belongs to the group that lists it and has as many members as the chapter has annotators. A chapter that no such
    group lists belongs to the only group of that size: the released table has chapter 9 twice, once in place of 11.
    ``chapters`` gives the number of annotators of each chapter; its name ends with its number, such as ``ch11``.
    """
    sizes: dict[str, int] = {}
    for _, group in _table(folder / _MEMBERS, 2):
        sizes[group] = sizes.get(group, 0) + bool(group)  # those who did not finish have no group
    listed: dict[str, list[str]] = {}
    for group, *numbers in _table(folder / _CHAPTERS):
        for number in numbers:
            listed.setdefault(number, []).append(group)
    found = {}
    for name, annotators in chapters.items():
        here = listed.get(_chapter(name), [])
        fitting = [group for group in here if sizes.get(group) == annotators]
        fitting = fitting or [group for group, size in sizes.items() if group and size == annotators]
        if len(fitting) != 1:
            what = f"{name} has {annotators} annotators, and {len(fitting)} groups of that size could have coded it"
            raise FormatError(f"{what}; correct the table", folder / _CHAPTERS)
        found[name] = fitting[0]
    return found


def _chapter(name: str) -> str:
    """Return the number of a chapter."""
    return re.split("([0-9]+)$", name)[1] if name[-1:].isdigit() else ""


def _table(path: Path, columns: int | None = None) -> list[list[str]]:
    """Return the rows of a table of the groups, without the first."""
    with faults(path):
        rows = _cells(path)
        if not rows:
            raise FormatError("the table is empty; it must say which group coded what")
        check_columns(rows, columns or len(rows[0][1]))
        return [cells for _, cells in rows[1:]]


def _cells(path: Path) -> list[tuple[int, list[str]]]:
    return [
        (number, [cell.strip() for cell in table_row(line, ",", number, strict=True)])
        for number, line in filled_lines(read_text(path))
    ]


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    rows = _cells(path)
    line, names = rows[0]
    if len(names) < 2 or names[0].casefold() != _UNIT:
        raise FormatError(f"the first row must be '{_UNIT}' and the names of the annotators; add it", line=line)
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
