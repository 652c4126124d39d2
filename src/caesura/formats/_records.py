# SPDX-License-Identifier: Apache-2.0
"""Records of any keys as the cells of a table: rows of a frame or data set, objects of JSON, rows with lists in their cells.

A record is a unit, or a document whose units stand in lists: of texts and labels of equal length, of objects
(``turns[].text``), or of segments. Every such record becomes one row per unit, and then tables are read as ever
(`caesura.formats._table_documents`), so that names, flags and questions are the same everywhere. Where only the lengths of segments are known, a
document is one row with its masses.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError, SegmentationError
from caesura.formats._files import faults, notice
from caesura.formats._flags import Unclear
from caesura.formats._roles import CODINGS, Unmapped, last_name, named_columns, role_of
from caesura.formats._sheets import tidied
from caesura.formats._table_documents import documents_of
from caesura.formats._tables import Cells, roles_of
from caesura.segmentation import Segmentation
from caesura.strict_json import decode

Record = Mapping[str, object]
Located = tuple[int, Record]
"""A record, and its line or the number of its row."""

_DEPTH = 8
_LIST = re.compile(r"\s*\[.*\]\s*", re.DOTALL)
_SEGMENTS = {"segments", "topics", "sections", "chunks", "parts", "blocks"}
_STARTS = {"start", "begin", "from", "first", "start_index", "start_idx", "start_turn", "start_unit", "start_id"}
_ENDS = {"end", "to", "last", "stop", "end_index", "end_idx", "end_turn", "end_unit", "end_id"}
_PER_UNIT = ("text", "label", "boundary", "speaker", "order")
_LABEL = "segment[]"
_NUMBER = "document"


class _Opened(NamedTuple):
    """A record: its single values and its lists, each under the keys that lead to it."""

    values: dict[str, object]
    lists: dict[str, list[object]]


class _Range(NamedTuple):
    start: int
    end: int


def read_records(
    records: Sequence[Located], columns: str | None, marks: str | None, name: str | Path, *, strict: bool = False
) -> Corpus:
    """Return the documents of records; see `caesura.formats.labels.Labels` for ``columns`` and ``marks``."""
    chosen = {_plain(place): role for role, places in named_columns(columns).items() for place in places}
    opened = [(line, _open(record)) for line, record in records]
    if not opened:
        raise FormatError("holds no record; it has no document")
    if chunked := _chunks(opened, chosen):
        return _chunk_corpus(chunked, name)
    if not any(_lists_of(each, chosen) for _, each in opened):
        _refuse_whole_texts(opened, chosen)
        cells, roles = _as_cells([(line, each.values) for line, each in opened], columns)
        line, first = opened[0]
        if first.lists and not roles.keys() & {*CODINGS, "text"}:
            what = f"no key is known to hold texts, labels or boundaries; the keys are {_keys(first)}"
            raise Unmapped(what, "label=NAME", line)
        return documents_of(cells, roles, marks, Path(name), strict=strict)
    rows: list[tuple[int, dict[str, object]]] = []
    extras: list[dict[str, object]] = []
    unread: set[str] = set()
    ranges = _Ranges([each for _, each in opened], chosen)
    numbered = not any(role_of(key, chosen) == "doc" for _, each in opened for key in each.values)
    for place, (line, each) in enumerate(opened):
        try:
            units = _units(each, chosen, ranges)
        except Unmapped as error:
            raise Unmapped(error.what, error.columns, line) from None
        except (FormatError, SegmentationError) as error:
            raise FormatError(str(error), line=line) from None
        kept = {key: value for key, value in each.values.items() if role_of(key, chosen) in ("doc", "annotator")}
        kept |= {_NUMBER: str(place + 1)} if numbered else {}
        unread.update(key for key, items in each.lists.items() if not _is_read(key, items, chosen))
        others = {key: value for key, value in each.values.items() if key not in kept}
        extras.append({key: value for key, value in others.items() if role_of(key, chosen) != "n_units"})
        rows.extend((line, kept | unit) for unit in units)
    cells, roles = _as_cells(rows, columns)
    try:
        corpus = documents_of(cells, roles, marks, Path(name), strict=strict)
    except Unmapped as error:  # its columns are those of the rows that were made here
        keys = _keys(opened[0][1], [key for key in cells.header if "[]" in key])
        what = f"no key is known to hold labels or boundaries; the keys are {keys}; label= says that there is none"
        raise Unmapped(what, error.columns, opened[0][0]) from None
    documents = list(corpus)
    if unread and not any(document.segmentation or document.annotations for document in documents):
        what = f"no boundaries are read; lists that nothing is known of: {', '.join(sorted(unread))}"
        notice(what, name, strict=strict)
    if len(documents) == len(extras):  # of several annotators one document
        documents = [dataclasses.replace(d, extra={**d.extra, **more}) for d, more in zip(corpus, extras, strict=True)]
    return Corpus(documents, name=str(name), ids_are_given=not numbered)


def read_rows(
    rows: Iterable[Record], columns: str | None, marks: str | None, name: str, *, strict: bool = False
) -> Corpus:
    """Return the documents of rows in Python, which have no file; errors name the row."""
    records: list[Located] = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise FormatError(f"{name or 'row'} {number} is a {type(row).__name__}; rows must be dictionaries")
        records.append((number, {str(key): value for key, value in row.items()}))
    try:
        return read_records(records, columns, marks, name or "rows", strict=strict)
    except Unclear as error:
        raise FormatError(f"row {error.line} of {name or 'the rows'}: {error.what} marks={error.marks!r}") from None
    except FormatError as error:
        where = "" if error.line is None else f"row {error.line} of {name or 'the rows'}: "
        raise FormatError(f"{where}{error}") from None


def read_table(
    cells: Cells,
    columns: str | None,
    marks: str | None,
    path: Path,
    *,
    strict: bool = False,
    units: Corpus | None = None,
) -> Corpus:
    """Return the documents of a table, whose cells may hold lists, and which may be kept as people keep sheets."""
    cells = tidied(cells, columns)
    listed = [place for place in range(len(cells.header)) if all(map(_LIST.fullmatch, cells.column(place)))]
    roles = {role_of(cells.header[place]) for place in listed}
    if not (roles & {"text", "label", "boundary"} or (listed and columns is not None)):
        return documents_of(cells, roles_of(cells, columns), marks, path, strict=strict, units=units)
    records: list[Located] = []
    for line, row in cells.rows:
        values = [_listed(cell, line) if place in listed else cell for place, cell in enumerate(row)]
        if any(map(_are_regions, values)):
            what = "a cell holds the regions of an annotation tool"
            raise FormatError(f"{what}; export the project as JSON, which is read as it is", line=line)
        records.append((line, dict(zip(cells.header, values, strict=True))))
    return read_records(records, columns, marks, path, strict=strict)


def _are_regions(value: object) -> bool:
    """Return whether a value is a list of regions, as Label Studio writes them into the cells of a table."""
    return isinstance(value, list) and _are(value, Mapping) and {"start", "end", "labels"} <= value[0].keys()


def _listed(cell: str, line: int) -> list[object]:
    """Return the list in a cell, as JSON or as Python and NumPy print it."""
    text = cell.strip()
    readings: tuple[Callable[[], object], ...] = (lambda: decode(text.encode()), lambda: ast.literal_eval(text))
    for reading in readings:
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            found = reading()
            return list(found) if isinstance(found, (list, tuple)) else [found]
    words = re.sub(r"[\[\],]", " ", text).split()
    if all(re.fullmatch(r"-?[0-9.]+|True|False", word) for word in words):
        return [*words]  # without commas, as NumPy prints it
    raise FormatError(f"the list {text[:30]!r} cannot be read; write it as JSON", line=line)


def _refuse_whole_texts(opened: Sequence[tuple[int, _Opened]], chosen: Mapping[str, str]) -> None:
    """Refuse records that are documents of one text each."""
    roles = [{role_of(key, chosen): value for key, value in each.values.items()} for _, each in opened]
    names = [str(found.get("doc")) for found in roles]
    texts = all("text" in found and not found.keys() & {"label", "boundary"} for found in roles)
    if texts and len(set(names)) == len(names):
        what = f"document {names[0]!r}: has a text that is not split; give its units as a list"
        raise FormatError(f"{what}, or add ::text to the file name to split it into sentences", line=opened[0][0])


def _open(record: Record, before: str = "", depth: int = 0) -> _Opened:
    """Return the values of a record and of the objects inside it."""
    values: dict[str, object] = {}
    lists: dict[str, list[object]] = {}
    for key, value in record.items():
        name = f"{before}{key}"
        if hasattr(value, "tolist"):
            value = value.tolist()
        if isinstance(value, Mapping):
            if depth == _DEPTH:
                raise FormatError(f"{name[:60]!r} is nested too deeply; bring the documents into one list")
            inner = _open(value, f"{name}.", depth + 1)
            values |= inner.values
            lists |= inner.lists
        elif isinstance(value, (list, tuple)):
            lists[name] = list(value)
        else:
            values[name] = value
    return _Opened(values, lists)


def _plain(name: str) -> str:
    return name.replace("[]", "")


def _lists_of(each: _Opened, chosen: Mapping[str, str]) -> bool:
    """Return whether the units of a document stand in lists of its record."""
    return any(_is_read(name, items, chosen) for name, items in each.lists.items())


def _is_read(name: str, items: Sequence[object], chosen: Mapping[str, str]) -> bool:
    return _holds_units(name, items, chosen) or role_of(name, chosen) in ("masses", "boundaries")


def _holds_units(name: str, items: Sequence[object], chosen: Mapping[str, str]) -> bool:
    if any(key == name or key.startswith(f"{name}.") for key in chosen):
        return True
    if _are(items, Mapping) or _are(items, list):
        return True
    return role_of(name, chosen) in _PER_UNIT


def _objects(items: Sequence[object]) -> list[Record]:
    """Return the items of a list of objects; none of any other list."""
    found = [item for item in items if isinstance(item, Mapping)]
    return found if len(found) == len(items) else []


def _are(items: Sequence[object], kind: type) -> bool:
    return bool(items) and all(isinstance(item, kind) for item in items)


def _units(each: _Opened, chosen: Mapping[str, str], ranges: _Ranges) -> list[dict[str, object]]:
    """Return the rows of a document: one per unit, or a single one with its masses."""
    said = {name: items for name, items in each.lists.items() if any(key.startswith(f"{name}.") for key in chosen)}
    tables = said or {name: items for name, items in each.lists.items() if _are(items, Mapping) or _are(items, list)}
    plain = {
        name: items
        for name, items in each.lists.items()
        if name not in tables and role_of(name, chosen) in (*_PER_UNIT, "masses", "boundaries")
    }
    segments = next((name for name in tables if _is_segments(name, tables[name], chosen)), None)
    if segments is not None:
        rows = _nested(segments, tables[segments]) or []
        return rows or _coded(each, plain, chosen, masses=ranges.masses(each, tables[segments]))
    if len(tables) > 1:
        shown = " and ".join(repr(name) for name in list(tables)[:3])
        raise Unmapped(
            f"the lists {shown} both hold objects, and either may be the units", f"text={next(iter(tables))}[].text"
        )
    for name, items in tables.items():
        rows = [{f"{name}[].{key}": value for key, value in _open(item).values.items()} for item in _objects(items)]
        own = {role_of(key, chosen) for row in rows[:1] for key in row}
        beside = {key: column for key, column in plain.items() if role_of(key, chosen) not in own}
        more = _coded(each, beside, chosen, n_units=len(rows)) if beside else [{}] * len(rows)
        return [row | coded for row, coded in zip(rows, more, strict=True)]
    return _coded(each, plain, chosen)


def _is_segments(name: str, items: Sequence[object], chosen: Mapping[str, str]) -> bool:
    """Return whether a list holds segments, not units: lists of units, or objects with a list, a text or a range of their own."""
    if _are(items, list):
        return True
    objects = _objects(items)
    if not objects or any(key.startswith(f"{name}.") for key in chosen):
        return False
    if not all(any(_is_text(key, value) for key, value in item.items()) for item in objects):
        if any(isinstance(value, (list, tuple)) and value for item in objects for value in item.values()):
            return True
        if None not in map(_range, objects) and not any(role_of(key, chosen) == "label" for key in objects[0]):
            return True
    labels = [next((item[key] for key in item if role_of(key, chosen) == "label"), None) for item in objects]
    repeats = any(before is not None and before == after for before, after in itertools.pairwise(labels))
    return last_name(name) in _SEGMENTS and not repeats


def _is_text(key: str, value: object) -> bool:
    return role_of(key) == "text" and isinstance(value, str)


def _nested(name: str, items: Sequence[object]) -> list[dict[str, object]] | None:
    """Return the units inside segments, with the number of their segment; None if segments have no list of units."""
    rows: list[dict[str, object]] = []
    for number, item in enumerate(items):
        opened = _open(item if isinstance(item, Mapping) else {"text": item})
        inner = {key: value for key, value in opened.lists.items() if _are(value, str) or _are(value, Mapping)}
        if len(inner) != 1:
            return None
        ((key, units),) = inner.items()
        for unit in units:
            fields = _open(unit).values if isinstance(unit, Mapping) else {"text": unit}
            rows.append(
                {_LABEL: f"s{number}"} | {f"{name}[].{key}[].{field}": value for field, value in fields.items()}
            )
    return rows


def _coded(
    each: _Opened,
    plain: Mapping[str, Sequence[object]],
    chosen: Mapping[str, str],
    *,
    masses: Sequence[int] | None = None,
    n_units: int | None = None,
) -> list[dict[str, object]]:
    """Return the rows of a document whose units and codings are lists of the same length, or whose segments have lengths."""
    by_role = {role_of(name, chosen): name for name in plain}
    columns = {name: items for name, items in plain.items() if role_of(name, chosen) in _PER_UNIT}
    lengths = {name: len(items) for name, items in columns.items()} | ({} if n_units is None else {"units": n_units})
    n_units = next(iter(lengths.values()), None)
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise FormatError(f"the lists of one document differ in length ({shown}); give one entry per unit")
    if masses is None and "masses" in by_role:
        masses = [_whole(value, by_role["masses"]) for value in plain[by_role["masses"]]]
    elif masses is None and "boundaries" in by_role:
        masses = _masses(each, plain[by_role["boundaries"]], by_role["boundaries"], n_units, chosen)
    if masses is not None and n_units is not None and sum(masses) != n_units:
        raise FormatError(
            f"the segments have {sum(masses)} units, but {next(iter(lengths))!r} has {n_units}; they must agree"
        )
    if n_units is None:
        if masses is None:
            raise Unmapped(f"no list holds texts, labels or boundaries; the keys are {_keys(each)}", "label=NAME")
        return [{"masses": " ".join(map(str, masses))}]
    rows = [{f"{name}[]": items[place] for name, items in columns.items()} for place in range(n_units)]
    if masses is not None:
        rows = [{_LABEL: label} | row for label, row in zip(_labels(masses), rows, strict=True)]
    return rows


def _keys(each: _Opened, listed: Sequence[str] = ()) -> str:
    return ", ".join([*each.values, *(listed or (f"{name}[]" for name in each.lists))][:12])


def _labels(masses: Sequence[int]) -> list[str]:
    return [f"s{number}" for number, mass in enumerate(masses) for _ in range(mass)]  # a number may be taken for a flag


def _masses(
    each: _Opened, gaps: Sequence[object], name: str, n_units: int | None, chosen: Mapping[str, str]
) -> tuple[int, ...]:
    """Return the masses that positions of boundaries give."""
    given = next((value for key, value in each.values.items() if role_of(key, chosen) == "n_units"), None)
    length = n_units if given is None else _whole(given, "n_units")
    if length is None:
        raise Unmapped(
            f"{name!r} holds positions, and nothing says how many units the document has; the keys are {_keys(each)}",
            "n_units=NAME",
        )
    return Segmentation(length, [_whole(gap, name) for gap in gaps]).masses


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
        raise FormatError(f"{name!r} holds {str(value)[:30]!r}; it must hold whole numbers")
    return int(value)


def _range(item: object) -> _Range | None:
    """Return the first and last unit that an object names, if it names units by whole numbers."""
    if not isinstance(item, Mapping):
        return None
    found = [[v for key, v in item.items() if last_name(key) in names and type(v) is int] for names in (_STARTS, _ENDS)]
    return _Range(found[0][0], found[1][0]) if len(found[0]) == len(found[1]) == 1 else None


class _Ranges:
    """How ranges of units are counted, from all documents: where they begin, and whether the last unit belongs to them."""

    def __init__(self, records: Iterable[_Opened], chosen: Mapping[str, str]) -> None:
        found = [
            [_range(item) for item in items]
            for each in records
            for name, items in each.lists.items()
            if _are(items, Mapping) and _is_segments(name, items, chosen)
        ]
        self.lists = [[r for r in ranges if r is not None] for ranges in found if ranges and None not in ranges]
        pairs = [pair for ranges in self.lists for pair in itertools.pairwise(ranges)]
        self.closed = bool(pairs) and all(after.start == before.end + 1 for before, after in pairs)
        self.open = bool(pairs) and all(after.start == before.end for before, after in pairs)

    def masses(self, each: _Opened, items: Sequence[object]) -> list[int] | None:
        """Return the masses of a document whose segments are ranges, or None if they are not."""
        ranges = [r for r in map(_range, items) if r is not None]
        if len(ranges) != len(items):
            return None
        if not (self.closed or self.open):
            raise FormatError(
                f"the ranges of segments do not follow each other, such as {_shown(ranges)}; "
                "each must begin where the one before ends, or at the next unit"
            )
        masses = [end - start + self.closed for start, end in ranges]
        if min(masses) < 1:
            raise FormatError(f"a range of units is empty, in {_shown(ranges)}; each segment has a unit at least")
        return masses


def _shown(ranges: Sequence[_Range]) -> str:
    return ", ".join(f"{start} to {end}" for start, end in ranges[:3])


def _chunks(opened: Sequence[tuple[int, _Opened]], chosen: Mapping[str, str]) -> list[tuple[int, _Opened, list[str]]]:
    """Return the texts of the segments of each document, if that is all its record has."""
    found = []
    for line, each in opened:
        lists = [
            items
            for name, items in each.lists.items()
            if last_name(name) in _SEGMENTS and _are(items, Mapping) and _is_segments(name, items, chosen)
        ]
        texts = [
            [str(value) for key, value in item.items() if _is_text(key, value)]
            for items in lists
            for item in _objects(items)
        ]
        others = any(role_of(name, chosen) in _PER_UNIT for name in each.lists if not _are(each.lists[name], Mapping))
        if len(lists) != 1 or others or not texts or any(len(text) != 1 for text in texts):
            return []
        found.append((line, each, [text for (text,) in texts]))
    return found


def _chunk_corpus(chunked: Sequence[tuple[int, _Opened, list[str]]], name: str | Path) -> Corpus:
    from caesura.formats.chunks import chunk_document

    documents: list[Document] = []
    numbered = False
    for place, (line, each, texts) in enumerate(chunked):
        named = (value for key, value in each.values.items() if role_of(key) == "doc" and value is not None)
        key = next(map(str, named), None)
        numbered = numbered or key is None
        whole = each.values.get("text")
        with faults(line=line):
            record = {"chunks": texts} | ({"text": whole} if isinstance(whole, str) else {})
            try:
                documents.append(chunk_document(key or str(place + 1), record)[0])
            except SegmentationError as error:
                raise FormatError(f"document {key!r}: {error}") from None
    return Corpus(documents, name=str(name), ids_are_given=not numbered)


def _as_cells(rows: Sequence[tuple[int, Record]], columns: str | None) -> tuple[Cells, dict[str, list[int]]]:
    """Return rows as a table, and the roles of its columns."""
    header = list(dict.fromkeys(key for _, row in rows for key in row))
    if not header:
        raise FormatError("the records have no keys; they hold no document")
    cells = Cells(header, [(line, [_cell(row.get(key)) for key in header]) for line, row in rows])
    return cells, roles_of(cells, columns)


def _cell(value: object) -> str:
    """Return a value as the cell of a table."""
    if value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("NaT", "<NA>"):
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return str(value)
