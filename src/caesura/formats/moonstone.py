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
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import notice, plural, read_text
from caesura.formats._lines import filled_lines, table_row
from caesura.segmentation import Segmentation

__all__ = ["Moonstone"]

_FIRST = "paragraph"
_UNIT = "paragraph"


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Moonstone(Format):
    """The tables of the Moonstone corpus (CSV): ``paragraph,an1,an2,…``, one chapter a file.

    Each row is a paragraph, in order, and holds for each annotator the number of the segment it is in. A number stays
    or goes up by one, and a boundary lies where it goes up. Every annotator becomes one of the document's annotations;
    one whose column is empty did not code the chapter and is left out, with a warning. A folder of chapters is a
    corpus, each called by its file's name.
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
        """Say whether the first column counts paragraphs."""
        cells = head.lstrip().partition(b"\n")[0].split(b",")
        return len(cells) > 1 and cells[0].strip(b' "\r').lower() == _FIRST.encode()

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; `Format.read` says how."""
        (_, names), *rows = _rows(path)
        columns: dict[str, list[int]] = {name: [] for name in names[1:]}
        blank = {name for place, name in enumerate(names) if place and not any(row[place] for _, row in rows)}
        for expected, (line, cells) in enumerate(rows, start=1):
            if cells[0] != str(expected):
                raise FormatError(
                    f"the paragraph is numbered {cells[0]!r}; it must be {expected}, for they stand in order",
                    path,
                    line,
                )
            for name, cell in zip(names[1:], cells[1:], strict=True):
                if name not in blank:
                    columns[name].append(_number(cell, name, columns[name], path, line))
        if not rows or len(blank) == len(columns):
            raise FormatError("the table has no paragraph that anybody coded; it holds no document", path)
        if blank:
            who = ", ".join(name for name in columns if name in blank)
            notice(
                f"{plural(len(blank), 'annotator', 'annotators')} with an empty column left out: {who}",
                path,
                strict=strict,
            )
        annotations = {
            name: Segmentation.from_labels(numbers, unit=_UNIT)
            for name, numbers in columns.items()
            if name not in blank
        }
        only = next(iter(annotations.values())) if len(annotations) == 1 else None
        document = Document(
            id=stem(path), n_units=len(rows), segmentation=only, unit=_UNIT, annotations=annotations
        )
        return Corpus([document], name=str(path), ids_are_given=False)


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    rows = [
        (number, [cell.strip() for cell in table_row(line, ",", path, number, strict=True)])
        for number, line in filled_lines(read_text(path), path)
    ]
    line, names = rows[0]
    if len(names) < 2 or names[0].casefold() != _FIRST:
        raise FormatError(
            f"the first row must be '{_FIRST}' and the names of the annotators; write it", path, line
        )
    for name in names[1:]:
        if not name or names.count(name) > 1:
            what = "a column has no name" if not name else f"annotator {name!r} stands twice"
            raise FormatError(f"{what}; every column after the first is an annotator", path, line)
    for number, cells in rows[1:]:
        if len(cells) != len(names):
            raise FormatError(
                f"the row has {len(cells)} columns, the first has {len(names)}; write as many", path, number
            )
    return rows


def _number(cell: str, annotator: str, before: list[int], path: Path, line: int) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 10):
        raise FormatError(
            f"annotator {annotator!r}: {cell[:30]!r} is no segment number; write 1, 2, 3 …", path, line
        )
    number = int(cell)
    if before and number - before[-1] not in (0, 1):
        raise FormatError(
            f"annotator {annotator!r}: segment {number} comes after segment {before[-1]}; "
            "a number stays or goes up by one",
            path,
            line,
        )
    return number
