# SPDX-License-Identifier: Apache-2.0
"""Sheets of Excel and LibreOffice (XLSX), read as tables."""

from __future__ import annotations

import dataclasses
import datetime
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import library, read_bytes
from caesura.formats._flags import marks_param
from caesura.formats._records import read_table
from caesura.formats._roles import named_columns
from caesura.formats._tables import cells_of, numbered
from caesura.limits import CONTENT

__all__ = ["Xlsx"]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Xlsx(Format):
    """A sheet of an Excel or LibreOffice workbook (XLSX), read as the same table in CSV; see the format ``labels``.

    Values are read, not formulas. A workbook with several sheets that have cells needs the name of one: ``sheet='Gold'``.
    """

    card: ClassVar[Card] = Card(title="sheets of Excel and LibreOffice, as tables (XLSX)")
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx",)
    many: ClassVar[bool] = True
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation", "units", "speakers", "n_units"})

    sheet: str | None = param(None, "the name of the sheet [the only one with cells]")
    columns: str | None = param(None, "roles of columns, such as 'doc=dial_id,label=topic'; see the format labels")
    marks: str | None = marks_param()

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file is a zip archive that begins as workbooks do."""
        return head.startswith(b"PK\x03\x04") and (b"[Content_Types].xml" in head[:200] or b"xl/" in head[:4000])

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        rows = list(self._rows(path))
        return read_table(cells_of(rows), self.columns, self.marks, path, strict=strict)

    def by_place(self, path: Path) -> Format:
        """Return the format with the columns of annotators by their places; see `Format.by_place`."""
        if "annotators" not in named_columns(self.columns):
            return self
        return dataclasses.replace(self, columns=numbered(self.columns, cells_of(list(self._rows(path)))))

    def _rows(self, path: Path) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that have a cell, with their numbers."""
        openpyxl = library("openpyxl", "reading XLSX", "xlsx")
        data = read_bytes(path)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                if sum(entry.file_size for entry in archive.infolist()) > CONTENT.value:
                    raise FormatError(CONTENT.refusal("its sheets are larger than"))
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = {sheet.title: sheet for sheet in book.worksheets}
            sheet = self._chosen(sheets)
            for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
                if any(value is not None for value in row):
                    yield number, list(map(_cell, row))
        except FormatError:
            raise
        except Exception as error:  # a library for a format of many parts raises of every kind
            raise FormatError(f"is not a complete XLSX file ({type(error).__name__}: {error}); save it again") from None

    def _chosen(self, sheets: dict[str, Any]) -> Any:
        """Return the sheet to read."""
        filled = {
            name: sheet for name, sheet in sheets.items() if next(sheet.iter_rows(values_only=True), None) is not None
        }
        if self.sheet is not None:
            if self.sheet not in sheets:
                raise FormatError(f"has no sheet {self.sheet!r}; its sheets are {', '.join(sheets)}")
            return sheets[self.sheet]
        if len(filled) != 1:
            raise FormatError(
                f"has {len(filled)} sheets with cells ({', '.join(filled)}); choose one, as in ::xlsx(sheet={next(iter(sheets), '')!r})"
            )
        return next(iter(filled.values()))


def _cell(value: object) -> str:
    """Return a value as a table in CSV has it."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)
