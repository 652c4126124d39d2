# SPDX-License-Identifier: Apache-2.0
"""Sheets as people keep them: rows of totals, merged cells, and several spellings of a name.

Each is mended only if nothing speaks against it, and a note says what was done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from caesura.formats._files import plural
from caesura.formats._tables import Cells, column_of, is_numbers

_TOTALS = frozenset({"total", "totals", "sum", "sums", "summe", "gesamt", "average", "mean", "count", "n"})


def tidied(cells: Cells, said: str | None) -> Cells:
    """Return a table without totals, with the values of merged cells on every row, and one spelling of each annotator."""
    doc, who, order = (column_of(cells, role, said) for role in ("doc", "annotator", "order"))
    text = column_of(cells, "text", said)
    if any(column_of(cells, role, said) is not None for role in ("masses", "bits")):
        return cells  # a row per document
    cells = _without_totals(cells, doc, order if order is not None else text)
    if order is not None and not is_numbers(cells.column(order)):
        order = None
    for place in (doc, who):
        if place is not None:
            cells = _filled_down(cells, place, order, who if place == doc else None)
    return cells if who is None else _one_spelling(cells, who, doc, order)


def _without_totals(cells: Cells, doc: int | None, unit: int | None) -> Cells:
    """Leave out rows that have no unit, and no document or the word for a total."""

    def is_total(row: Sequence[str]) -> bool:
        words = {cell.strip(" :").casefold() for cell in row}
        nothing = unit is not None and not row[unit].strip(" :")
        return nothing and (bool(words & _TOTALS) or (doc is not None and not row[doc].strip()))

    lines = [line for line, row in cells.rows if is_total(row)]
    if not lines or len(lines) == len(cells.rows):
        return cells
    shown = ", ".join(map(str, lines[:5])) + (", …" if len(lines) > 5 else "")
    remark = f"{'line' if len(lines) == 1 else 'lines'} {shown} left out as a total: there is no unit"
    rows = [(line, row) for line, row in cells.rows if line not in set(lines)]
    return cells._replace(rows=rows, remarks=(*cells.remarks, remark))


def _filled_down(cells: Cells, place: int, order: int | None, who: int | None) -> Cells:
    """Repeat the value of a merged cell on its rows, unless a value stands on two rows or the numbers restart without one."""
    column = cells.column(place)
    blank = column.count("")
    if not blank or not column[0] or any(before and before == after for before, after in pairwise(column)):
        return cells
    for number, ((_, before), (_, after)) in enumerate(pairwise(cells.rows), start=1):
        another = who is not None and after[who].strip() not in ("", before[who].strip())
        step = 1 if order is None else int(after[order]) - int(before[order])
        if not column[number] and not another and (step < 0 or (step == 0 and who is None)):
            return cells
    rows: list[tuple[int, list[str]]] = []
    name = ""
    for line, row in cells.rows:
        name = row[place].strip() or name
        rows.append((line, [*row[:place], name, *row[place + 1 :]]))
    remark = f"{cells.header[place]!r} is filled down over {plural(blank, 'blank row', 'blank rows')} (merged cells)"
    return cells._replace(rows=rows, remarks=(*cells.remarks, remark))


def _one_spelling(cells: Cells, who: int, doc: int | None, order: int | None) -> Cells:
    """Give names of annotators that differ only in case and blanks their usual spelling, unless both coded a unit."""
    spelled: dict[str, Counter[str]] = {}
    for name in cells.column(who):
        spelled.setdefault("".join(name.split()).casefold(), Counter())[name] += 1
    usual: dict[str, str] = {}
    remarks: list[str] = []
    for names in spelled.values():
        if len(names) > 1 and not _two_people(cells, set(names), who, doc, order):
            chosen = names.most_common(1)[0][0]
            usual |= dict.fromkeys(names, chosen)
            remarks.append(f"{' and '.join(map(repr, sorted(names)))} are read as one annotator, {chosen!r}")
    named = [[*row[:who], usual.get(row[who].strip(), row[who]), *row[who + 1 :]] for _, row in cells.rows]
    rows = [(line, row) for (line, _), row in zip(cells.rows, named, strict=True)]
    return cells._replace(rows=rows, remarks=(*cells.remarks, *remarks))


def _two_people(cells: Cells, names: set[str], who: int, doc: int | None, order: int | None) -> bool:
    """Return whether two names coded the same unit or, where units have no number, as many units of a document."""
    units = Counter(
        (row[who].strip(), "" if doc is None else row[doc].strip(), "" if order is None else int(row[order]))
        for _, row in cells.rows
        if row[who].strip() in names
    )
    coded = [(key[1:], count if order is None else 0) for key, count in units.items()]
    return len(set(coded)) < len(coded)
