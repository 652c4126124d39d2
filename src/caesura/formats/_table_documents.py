# SPDX-License-Identifier: Apache-2.0
"""From the cells of a table to documents: one row per unit, per unit and annotator, or per document."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from caesura.corpus import Corpus, Document
from caesura.errors import ComparabilityError, FormatError
from caesura.files import stem
from caesura.formats._annotators import Gathering
from caesura.formats._files import faults, notice, plural
from caesura.formats._flags import FLAGS, Coded, Unclear, flagged, look_like_flags, settled
from caesura.formats._roles import CODINGS, Unmapped, meaning_of
from caesura.formats._tables import Cells, annotator_columns, are_ticks, is_coding, is_numbers
from caesura.segmentation import Segmentation

Row = tuple[int, list[str]]
Roles = Mapping[str, list[int]]

_WHOLE = {"masses", "boundaries", "bits"}
"""Roles of a column that holds the segmentation of a whole document."""


def documents_of(
    cells: Cells, roles: Roles, marks: str | None, path: Path, *, strict: bool, units: Corpus | None = None
) -> Corpus:
    """Return the documents of a table, given the roles of its columns; ``units`` has the documents of one of boundaries only."""
    roles = dict(roles)
    guessed: list[str] = []
    remarks = list(cells.remarks)
    if not roles.keys() & CODINGS:
        if "text" in roles and sum(map(len, roles.values())) == len(cells.header):
            roles["label"] = []  # texts without any label column
        elif len(ticked := [p for p in range(len(cells.header)) if are_ticks(cells.column(p))]) == 1:
            roles["boundary"] = ticked
            remarks.append(f"read as boundaries: {cells.header[ticked[0]]}")
        elif _are_positions(cells, roles):
            documents, note = _of_positions(cells, roles, marks, units, path)
            notice("; ".join([*remarks, note]), path, strict=strict)
            return Corpus(documents, name=str(path), ids_are_given=True)
        else:
            roles["annotators"] = annotator_columns(cells, roles)
            guessed = [cells.header[place] for place in roles["annotators"]]
    used = {place for places in roles.values() for place in places}
    ignored = [name for place, name in enumerate(cells.header) if place not in used]
    if "doc" not in roles:
        _check_one_document(cells, roles, ignored)
    named = _documents(cells, roles, path)
    remarks += [f"read as annotators: {', '.join(guessed)}"] if guessed else []
    if roles.keys() & _WHOLE:
        documents = _one_row_each(cells, roles, named)
    else:
        reader = _Reader(cells, roles, marks)
        documents = reader.documents(named)
        remarks += [reader.note] if reader.note else []
        if reader.unmarked:
            remarks.append(f"{plural(reader.unmarked, 'column', 'columns')} without a mark in a document: not coded")
    if ignored:
        remarks.append(f"{'column' if len(ignored) == 1 else 'columns'} ignored: {', '.join(ignored)}")
    blank = 0 if ticked_only(cells, roles) else _blank_labels(cells, roles)
    if blank:
        remarks.append(f"{plural(blank, 'row has', 'rows have')} no label; an empty label is a label of its own")
    if remarks:
        notice("; ".join(remarks), path, strict=strict)
    return Corpus(documents, name=str(path), ids_are_given=bool(roles.get("doc")))


def _documents(cells: Cells, roles: Roles, path: Path) -> list[str]:
    """Return the document of each row; rows of a document must be adjacent, and some document must have two."""
    if not roles.get("doc"):
        return [stem(path)] * len(cells.rows)
    (place,) = roles["doc"]
    names = cells.column(place)
    if "" in names:
        line = cells.rows[names.index("")][0]
        raise FormatError(f"the row has no {cells.header[place]!r}; name its document", line=line)
    per_unit = not roles.keys() & _WHOLE
    doubtful = cells.header[place].casefold() == "id" or roles.get("label") == []
    if per_unit and doubtful and 2 < len(names) == len(set(names)):
        raise FormatError(
            f"every row has its own {cells.header[place]!r}, so no document has two units; name the column of the "
            "documents with --columns doc=NAME (columns='doc=NAME'), or doc= if the file is one document",
            line=1,
        )
    if "annotator" not in roles and per_unit:
        seen: set[str] = set()
        for number, name in enumerate(names):
            if name in seen and names[number - 1] != name:
                message = f"the rows of document {name!r} are not adjacent; sort the table by document"
                raise ComparabilityError(str(FormatError(message, path, cells.rows[number][0])))
            seen.add(name)
    return names


def _one_row_each(cells: Cells, roles: Roles, named: Sequence[str]) -> list[Document]:
    """Return the documents of a table with one row per document, or per document and annotator."""
    kind = next(role for role in ("masses", "boundaries", "bits") if role in roles)
    gathering = Gathering()
    if kind == "boundaries" and "n_units" not in roles:
        raise Unmapped(
            f"the boundaries are positions, and no column says how many units a document has; the columns are {', '.join(cells.header)} "
            "(lists of lengths such as 6-3-4: masses=NAME)",
            "n_units=NAME",
            line=1,
        )
    for name, (line, row) in zip(named, cells.rows, strict=True):
        words = re.sub(r"[\[\](),-]", " ", row[roles[kind][0]]).split()  # also a list as Python prints it
        who = row[roles["annotator"][0]].strip() if "annotator" in roles else "1"
        with faults(line=line):
            if kind != "bits" and (not is_numbers(words) or (kind == "masses" and not words)):
                raise FormatError(f"{' '.join(words)[:30]!r} are not {kind}; write integers, such as 6 3 4")
            if kind == "masses":
                segmentation = Segmentation.from_masses([int(word) for word in words])
            elif kind == "boundaries":
                segmentation = Segmentation(_length(cells, roles, row), [int(word) for word in words])
            else:
                segmentation = Segmentation.from_bits("".join(words))
            gathering.add(Document(id=name, n_units=segmentation.n_units), who, segmentation, place=f"line {line}")
    documents = gathering.documents()
    return documents if "annotator" in roles else [dataclasses.replace(d, annotations={}) for d in documents]


def _length(cells: Cells, roles: Roles, row: Sequence[str]) -> int:
    """Return the number of units that a row gives its document."""
    found = row[roles["n_units"][0]].strip()
    if not is_numbers([found]) or not found:
        raise FormatError(f"{cells.header[roles['n_units'][0]]!r} is {found[:30]!r}; it must be a whole number")
    return int(found)


def _are_positions(cells: Cells, roles: Roles) -> bool:
    """Return whether the rows are boundaries, not units: a document and a number that skips units, and no text or label."""
    used = {place for places in roles.values() for place in places}
    free = [place for place in range(len(cells.header)) if place not in used]
    if "text" in roles or not (roles.get("doc") and roles.get("order")) or any(is_coding(cells, p) for p in free):
        return False
    (doc,), (order,) = roles["doc"], roles["order"]
    steps = [
        int(after[order]) - int(before[order])
        for (_, before), (_, after) in itertools.pairwise(cells.rows)
        if before[doc] == after[doc]
    ]
    return "n_units" in roles or any(step > 1 for step in steps)


def _of_positions(
    cells: Cells, roles: Roles, marks: str | None, units: Corpus | None, path: Path
) -> tuple[list[Document], str]:
    """Return the documents of a table with one row per boundary, and what to say of them."""
    (doc,), (order,) = roles["doc"], roles["order"]
    name = cells.header[order]
    groups: dict[tuple[str, str], list[Row]] = {}
    for line, row in cells.rows:
        who = row[roles["annotator"][0]].strip() if "annotator" in roles else ""
        groups.setdefault((row[doc].strip(), who), []).append((line, row))
    base = 0 if any(int(cell) == 0 for cell in cells.column(order)) else 1
    line, first = cells.rows[0]
    if marks not in ("first", "last"):
        at = int(first[order])
        raise Unclear(
            f"{name} {at} of document {first[doc].strip()!r} may be the first unit of a segment (a boundary after unit {at - 1}, "
            f"marks='first') or the last (after unit {at}, marks='last'); say which, as in",
            "first",
            line=line,
        )
    known = {document.id: document for document in units or ()}
    gathering = Gathering()
    for (key, who), rows in groups.items():
        with faults(line=rows[0][0]):
            if key not in known and "n_units" not in roles:
                raise Unmapped(
                    f"the rows are boundaries, and nothing says how many units document {key!r} has; give the documents, as in "
                    f"\"{path.name}::labels(units='documents.jsonl', marks={marks!r})\", or a column with the number",
                    "n_units=NAME",
                )
            whole = known.get(key) or Document(id=key, n_units=_length(cells, roles, rows[0][1]))
            gaps = {int(row[order]) - base + (marks == "last") for _, row in rows} - {0, whole.n_units}
            coding = Segmentation(whole.n_units, sorted(gaps))
            gathering.add(whole, who or "1", coding, place=f"line {rows[0][0]}")
    documents = gathering.documents()
    if "annotator" not in roles:
        documents = [dataclasses.replace(document, annotations={}) for document in documents]
    note = f"one row per boundary: {name} is the {marks} unit of a segment, counted from {base}"
    without = len(known.keys() - {key for key, _ in groups})
    return documents, note + (f"; {plural(without, 'document', 'documents')} without a row left out" if without else "")


class _Reader:
    """Reads a table with one row per unit, or per unit and annotator."""

    def __init__(self, cells: Cells, roles: Roles, marks: str | None) -> None:
        self.cells, self.roles, self.marks = cells, roles, marks
        self.coded = next(role for role in ("annotators", "label", "boundary") if role in roles)
        self.note = ""
        self.ticked = ticked_only(cells, roles)
        self.unmarked = 0

    def _labels(self, rows: Sequence[Row], place: int) -> list[str]:
        """Return the labels of a column; where marks alone are written, a blank is no mark."""
        labels = [row[place].strip() for _, row in rows]
        if not self.ticked or (self.coded == "annotators" and not any(labels)):
            return labels
        return ["mark" if label else "blank" for label in labels]

    def documents(self, named: Sequence[str]) -> list[Document]:
        """Return the documents; ``named`` is the document of each row."""
        groups: dict[str, dict[str, list[Row]]] = {}
        for name, (line, row) in zip(named, self.cells.rows, strict=True):
            who = row[self.roles["annotator"][0]].strip() if "annotator" in self.roles else ""
            if "annotator" in self.roles and not who:
                raise FormatError("the row has no annotator; name who coded it", line=line)
            groups.setdefault(name, {}).setdefault(who, []).append((line, row))
        if self.marks is None:
            self._settle(groups)
        gathering = Gathering()
        alone: list[Document] = []
        for name, by_annotator in groups.items():
            made = {who: self._document(name, who, rows) for who, rows in by_annotator.items()}
            self._check_numbers(name, by_annotator)
            for who, rows in by_annotator.items():
                document = made[who]
                codings = self._codings(rows)
                if self.coded == "annotators" or who:
                    if not codings:
                        gathering.add(document, None, None)
                    for annotator, coding in codings.items():
                        with faults(line=rows[0][0]):
                            gathering.add(document, who or annotator, coding, place=f"line {rows[0][0]}")
                else:
                    alone.append(dataclasses.replace(document, segmentation=next(iter(codings.values()), None)))
        return alone or gathering.documents()

    def _settle(self, groups: Mapping[str, Mapping[str, list[Row]]]) -> None:
        """Find out what the labels mean, or raise if all are 0 and 1 and can mean several things."""
        places = self.roles[self.coded]
        filled = [cell for place in places for cell in self._labels(self.cells.rows, place) if cell]
        if self.coded == "boundary" and not look_like_flags([*filled, "1"]):
            name = self.cells.header[places[0]]
            message = (
                f"the column {name!r} holds more than 0 and 1; name it as a label: --columns label={name}, or, if each row is a "
                f"boundary and this its unit, --columns order={name}"
            )
            raise FormatError(message, line=1)
        if self.coded != "boundary" and not look_like_flags(filled):
            return
        codings = [
            (name, self._labels(rows, place), rows[0][0])
            for name, by_annotator in groups.items()
            for rows in by_annotator.values()
            for place in places
        ]
        named = self.cells.header[places[0]]
        if self.coded == "boundary" and (said := meaning_of(named)):
            self.marks, self.note = said, f"flags in {named!r} are read as marks={said!r}, as the name says"
            return
        coded = [Coded(name, [cell or "0" for cell in row], line) for name, row, line in codings if any(row)]
        whole = all(all(row) for _, row, _ in codings if any(row))  # an empty cell is no flag
        topics = self.coded != "boundary" and self.ticked != "ticks"
        self.marks, self.note = settled(coded, topics=topics, whole=whole)

    def _check_numbers(self, name: str, by_annotator: Mapping[str, list[Row]]) -> None:
        """Refuse annotators who coded different units of a document."""
        for place in self.roles.get("order", ()):
            (first, rows), *others = by_annotator.items()
            wanted = [row[place].strip() for _, row in rows]
            for who, theirs in others:
                numbers = [row[place].strip() for _, row in theirs]
                if numbers != wanted:
                    apart = [n for n in [*wanted, *numbers] if (n in wanted) != (n in numbers)]
                    lacking = next(iter(apart or numbers))
                    raise FormatError(
                        f"document {name!r}: annotators {first!r} and {who!r} coded different units, such as "
                        f"{self.cells.header[place]} {lacking}; all must code the same",
                        line=theirs[0][0],
                    )

    def _document(self, name: str, who: str, rows: Sequence[Row]) -> Document:
        for place in self.roles.get("order", ()):
            for (_, before), (line, after) in itertools.pairwise(rows):
                numbers = [cell[place].strip() for cell in (before, after)]
                if not is_numbers(numbers) or int(numbers[1]) <= int(numbers[0]):
                    of = f" of annotator {who!r}" if who else ""
                    raise FormatError(
                        f"document {name!r}: {self.cells.header[place]!r}{of} goes from {numbers[0]!r} to {numbers[1]!r}; "
                        "the rows of a document must be in order, and each unit once",
                        line=line,
                    )
        texts, speakers = (
            tuple(row[self.roles[role][0]] for _, row in rows) if role in self.roles else None
            for role in ("text", "speaker")
        )
        return Document(id=name, n_units=len(rows), units=texts, speakers=speakers)

    def _codings(self, rows: Sequence[Row]) -> dict[str, Segmentation]:
        """Return the segmentation in each coded column; an annotator whose cells are all empty did not code."""
        codings: dict[str, Segmentation] = {}
        for place in self.roles[self.coded]:
            labels = self._labels(rows, place)
            many = self.coded == "annotators"
            if many and not any(labels):
                self.unmarked += bool(self.ticked)
                continue
            if many and "" in labels:
                message = (
                    f"annotator {self.cells.header[place]!r} has no label here; fill it, or empty the whole column"
                )
                raise FormatError(message, line=rows[labels.index("")][0])
            with faults(line=rows[0][0]):
                flags = self.marks not in (None, "topics")
                segmentation = flagged(labels, self.marks or "") if flags else Segmentation.from_labels(labels)
            codings[self.cells.header[place]] = segmentation
        return codings


def ticked_only(cells: Cells, roles: Roles) -> str:
    """Return ``"ticks"`` or ``"flags"`` if all coded cells are those that say yes and others are blank, which then say no."""
    coded = next((role for role in ("annotators", "label", "boundary") if roles.get(role)), None)
    column = [cell for place in roles.get(coded or "", ()) for cell in cells.column(place)]
    if "" not in column or not any(column):
        return ""
    if are_ticks(column):
        return "ticks"
    return "flags" if all(not cell or FLAGS.get(cell.casefold()) == "1" for cell in column) else ""


def _blank_labels(cells: Cells, roles: Mapping[str, list[int]]) -> int:
    """Return the number of rows without a label; labels on single rows only, with none between, are refused."""
    blank = 0
    for place in (place for role in ("label", "boundary") for place in roles.get(role, ())):
        column = cells.column(place)
        blank += column.count("")
        alone = all(not before or before != after for before, after in itertools.pairwise(column))
        if "label" in roles and 2 * column.count("") > len(column) and alone and any(column):
            raise FormatError(
                f"only single rows have a {cells.header[place]!r}; write it on every row of its segment",
                line=cells.rows[column.index("")][0],
            )
    return blank


def _check_one_document(cells: Cells, roles: Mapping[str, list[int]], ignored: Sequence[str]) -> None:
    """Refuse a table without a document column that seems to hold several documents."""
    way = "--columns doc={} (columns='doc={}'), or doc= if the file is one document"
    coded = [cells.column(place) for role in ("label", "boundary") for place in roles.get(role, ())]
    turns = [_changes(column) for column in coded]
    for name in ignored:
        column = cells.column(cells.header.index(name))
        changes = _changes(column)
        if changes and len(changes) + 1 == len(set(column)) < len(column) and changes not in turns:
            raise FormatError(
                f"no column names the documents, but {name!r} has {len(set(column))} values, each in adjacent rows; "
                f"say what it is: {way.format(name, name)}",
                line=1,
            )
    if "annotator" in roles:
        return
    if cells.apart is not None:
        raise FormatError(
            f"no column names the documents, but an empty row precedes this one; name the documents: "
            f"{way.format('NAME', 'NAME')}",
            line=cells.apart,
        )
    for place in roles.get("order", ()):
        for (_, before), (line, after) in itertools.pairwise(cells.rows):
            if int(after[place]) <= int(before[place]):
                raise FormatError(
                    f"no column names the documents, but {cells.header[place]!r} goes back from {before[place].strip()} "
                    f"to {after[place].strip()} here; name the documents: {way.format('NAME', 'NAME')}",
                    line=line,
                )


def _changes(column: Sequence[str]) -> list[int]:
    return [place for place, (before, after) in enumerate(itertools.pairwise(column)) if before != after]
