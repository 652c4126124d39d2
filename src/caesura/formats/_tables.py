# SPDX-License-Identifier: Apache-2.0
"""Tables (CSV, TSV): the cells of a file, and the role of each column.

The role follows from the column's name (`NAMES`), or the user gives it: ``doc=dial_id,label=topic``. An unclear table is
refused with a hint, because a wrong guess would merge documents or take flags for topics.
"""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from caesura.declare import nearest
from caesura.errors import FormatError
from caesura.formats._files import read_raw_text
from caesura.formats._flags import look_like_flags
from caesura.formats._roles import CODINGS, NAMES, WEAK, Unmapped, folded, last_name, named_columns, role_of

SEGEVAL = re.compile(rb'\s*"?coder"?\s*[,\t]\s*"?(?:masses|positions)\b', re.IGNORECASE)
"""The header of segeval's tables; other tables may also begin with a column of coders."""

TICKS = frozenset("x✓✔✗*•")
"""What people put into a cell to say yes; the other cells are blank."""

_DELIMITERS = (",", "\t", ";", "|")
_OF_DOCUMENTS = {"doc", "annotator", "masses", "boundaries", "bits", "n_units"}
_KNOWN = {name for names in NAMES.values() for name in names}
_SEPARATOR_LINE = re.compile(r"sep=(?P<mark>.)\r?\n", re.IGNORECASE)


class Cells(NamedTuple):
    """A table: its column names as written, its rows with their lines, the first row after an empty one, and notes."""

    header: list[str]
    rows: list[tuple[int, list[str]]]
    apart: int | None = None
    remarks: tuple[str, ...] = ()

    def column(self, place: int) -> list[str]:
        """Return the cells of a column, without white space at their edges."""
        return [row[place].strip() for _, row in self.rows]


def delimiter_of(row: str) -> str:
    """Return the most frequent delimiter of the first row."""
    return max(_DELIMITERS, key=row.count)


def column_names(row: str) -> set[str]:
    """Return the column names of a first row, normalised."""
    return {folded(cell.strip(' "')) for cell in row.split(delimiter_of(row))}


def header_line(text: str) -> str:
    """Return the line that names the columns: the first, or below a title the first of several cells, if some are known."""
    lines = [line for line in text.split("\n", 9)[:9] if line.strip()] or [""]
    below = next((line for line in lines if len(column_names(line) - {""}) > 1), "")
    return below if _KNOWN & column_names(below) else lines[0]


def _title_rows(rows: Sequence[tuple[int, list[str]]]) -> int:
    """Return the number of rows above the names of the columns; each has one cell, which is no name of a column."""
    filled = [[folded(cell) for cell in row if cell.strip()] for _, row in rows[:9]]
    above = next((place for place, row in enumerate(filled) if len(row) > 1), 0)
    if any(_KNOWN & set(row) for row in filled[:above]):
        return 0
    if above and not _KNOWN & set(filled[above]):
        message = (
            f"looks like a title, and line {rows[above][0]} like the names of the columns; remove what is above them"
        )
        raise FormatError(message, line=rows[0][0])
    return above


def column_of(cells: Cells, role: str, said: str | None) -> int | None:
    """Return the column that the user gave a role, or the first with a known name of it."""
    explicit = named_columns(said)
    named = [place for place, name in enumerate(cells.header) if role_of(name) == role]
    return next(iter(_places(cells, explicit[role]) if role in explicit else named), None)


def read_cells(path: Path, delimiter: str | None) -> Cells:
    """Read a table without the nameless empty columns that spreadsheets add."""
    text = read_raw_text(path)
    said = _SEPARATOR_LINE.match(text)
    body = text[said.end() :] if said else text
    mark = delimiter or (said["mark"] if said else delimiter_of(header_line(body.lstrip())))
    rows: list[tuple[int, list[str]]] = []
    empty, apart = False, None
    for line, row in table_rows(body, mark, first=2 if said else 1):
        filled = any(cell.strip() for cell in row)
        if filled:
            rows.append((line, row))
            apart = line if empty and len(rows) > 2 and apart is None else apart
        empty = not filled
    return cells_of(rows, apart)


def table_rows(text: str, delimiter: str, *, first: int = 1, quoted: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table with their lines; ``first`` is the line of the first."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)
    except (TypeError, ValueError) as error:
        raise FormatError(f"delimiter {delimiter!r} is invalid: {error}") from None
    line = first
    try:
        for row in reader:
            yield line, row
            line = first + reader.line_num
    except csv.Error as error:
        raise FormatError(f"is not a valid table row ({error}); correct it", line=line) from None


def cells_of(rows: Sequence[tuple[int, list[str]]], apart: int | None = None) -> Cells:
    """Return rows, of which the first has the names, as a table; ``apart`` is the first one after an empty row."""
    if len(rows) < 2:
        raise FormatError("the table has no rows; it holds no document")
    above = _title_rows(rows)
    (first, header), *cells = rows[above:]
    titles = (f"the columns are named on line {first}; what is above is left out as a title",) if above else ()
    check_columns(cells, len(header))
    again = next((line for line, row in cells if row == header), None)
    if again is not None:
        raise FormatError(
            "the row repeats the names of the columns; remove it, or write names before the first row if that is data",
            line=again,
        )
    kept = [place for place, name in enumerate(header) if name.strip() or any(row[place].strip() for _, row in cells)]
    names = [header[place].strip() or f"column {place + 1}" for place in kept]
    same = [folded(name) for name in names]
    for name in names:
        if same.count(folded(name)) > 1:
            raise FormatError(
                f"two columns are named {name!r}; the first row must give each column a unique name", line=1
            )
    return Cells(names, [(line, [row[place] for place in kept]) for line, row in cells], apart, titles)


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


def numbered(columns: str | None, cells: Cells) -> str | None:
    """Return what the user says of the columns, with those of annotators by their places: ``annotators=#2+#3``."""
    if "annotators" not in named_columns(columns):
        return columns
    places = "+".join(f"#{place + 1}" for place in roles_of(cells, columns)["annotators"])
    parts = (columns or "").split(",")
    return ",".join(f"annotators={places}" if part.strip().startswith("annotators") else part for part in parts)


def roles_of(cells: Cells, said: str | None) -> dict[str, list[int]]:
    """Return the column indices of each role: those of `NAMES`, and ``annotators`` with one column each."""
    explicit = {role: _places(cells, names) for role, names in named_columns(said).items()}
    nested = any("[]" in name for name in cells.header)
    # A role given as empty is not searched: the file is one document, or has texts without labels.
    roles = {role: places for role, places in explicit.items() if places or role in ("doc", "label")}
    taken = {place for places in explicit.values() for place in places}
    for role in NAMES:
        if role in explicit or (role in CODINGS and explicit.keys() & CODINGS):
            continue
        candidates = [
            place
            for place, name in enumerate(cells.header)
            if place not in taken
            and role_of(name) == role
            and _fits(role, cells, place)
            and (not nested or ("[]" in name) != (role in _OF_DOCUMENTS))
        ]
        strong = [place for place in candidates if last_name(cells.header[place]) not in WEAK]
        candidates = strong if len(candidates) > 1 and strong else candidates
        if len(candidates) > 1:
            shown = " and ".join(repr(cells.header[place]) for place in candidates)
            raise FormatError(
                f"the columns {shown} are ambiguous; choose one: --columns {role}={cells.header[candidates[0]]}", line=1
            )
        if candidates:
            roles[role] = candidates
            taken.update(candidates)
    if "text" not in roles and "text" not in explicit:
        words = [p for p, name in enumerate(cells.header) if p not in taken and folded(name) == "unit"]
        roles |= {"text": words} if words else {}
    return roles


def annotator_columns(cells: Cells, roles: Mapping[str, list[int]]) -> list[int]:
    """Return the columns that can only be codings: flags, or segment numbers without gaps."""
    used = {place for places in roles.values() for place in places}
    free = [place for place in range(len(cells.header)) if place not in used]
    key = next(iter(roles.get("doc", ())), None)
    codings = [place for place in free if is_coding(cells, place, key)]
    if len(codings) < 2:
        like = cells.header[codings[0]] if codings else "NAME"
        raise Unmapped(
            f"no column is named label, segment, topic or boundary; the columns are {', '.join(cells.header)}; several annotators are "
            "named with annotators=A+B, lists of lengths such as 6-3-4 with masses=NAME, and label= says that there is none",
            f"label={like}",
            line=1,
        )
    return codings


def are_ticks(column: Sequence[str]) -> bool:
    """Return whether some cells have a tick, and the others nothing."""
    return {"", *TICKS} >= {cell.casefold() for cell in column} != {""}


def is_coding(cells: Cells, place: int, key: int | None = None) -> bool:
    """Return whether a column can only be a coding: ticks, flags, or segment numbers without gaps."""
    column = cells.column(place)
    if not any(column):
        return False
    if look_like_flags(column) or are_ticks(column):
        return True
    filled = [
        (row[key] if key is not None else "", cell) for (_, row), cell in zip(cells.rows, column, strict=True) if cell
    ]
    if not is_numbers([cell for _, cell in filled]):
        return False
    steps = {int(after) - int(before) for (name, before), (other, after) in itertools.pairwise(filled) if other == name}
    return 0 in steps and steps <= {0, 1}  # without a 0 it numbers the units


def _places(cells: Cells, names: Sequence[str]) -> list[int]:
    """Return the places of columns; of a nested one, such as ``turns[].text``, the last part of the name is enough."""
    places = []
    for name in names:
        whole = [place for place, other in enumerate(cells.header) if folded(other) == folded(name)]
        found = whole or [place for place, other in enumerate(cells.header) if last_name(other) == folded(name)]
        if not found and (number := re.fullmatch(r"#([1-9][0-9]{0,5})", name)) and int(number[1]) <= len(cells.header):
            found = [int(number[1]) - 1]
        if len(found) != 1:
            raise FormatError(f"no column is named {name!r}; {nearest(name, cells.header)}", line=1)
        places += found
    return places


def _fits(role: str, cells: Cells, place: int) -> bool:
    """Return whether the content of a column fits its name: unit numbers are whole numbers, texts are not, positions are lists."""
    if role == "order":
        return is_numbers(cells.column(place))
    if role == "boundaries":
        return not look_like_flags(cells.column(place))
    return role != "text" or folded(cells.header[place]) == "text" or not is_numbers(cells.column(place))


def is_numbers(column: Sequence[str]) -> bool:
    """Return whether all cells are whole numbers."""
    return all(cell.isascii() and cell.isdigit() and len(cell) < 19 for cell in column)
