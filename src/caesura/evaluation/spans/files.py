# SPDX-License-Identifier: Apache-2.0
"""Reading and locating spans: offsets in characters or units, or the words themselves."""

from __future__ import annotations

import bisect
import contextlib
import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from caesura.errors import ComparabilityError, FormatError
from caesura.evaluation.spans.page import Page
from caesura.files import suffix
from caesura.formats import read_bytes
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["Asked", "Counted", "Place", "SpanRecord", "placed", "read_spans", "skip"]

Counted = Literal["character", "units"]
_QUESTION = ("question", "query")
_ANSWERS = ("answer", "answers", "references")
_NAMES = ("doc_id", "document_id", "corpus_id", "document", "doc", "id")
_TABLES = {".csv": ",", ".tsv": "\t"}


class SpanRecord(NamedTuple):
    """The spans and questions of one document as read, the unit of their offsets, and the location for messages."""

    spans: Sequence[object]
    counted: Counted | None
    where: str


class Place(NamedTuple):
    """A span on the scale of its document, its words if they are known, and whether they also occur elsewhere.

    ``inside`` is its range in characters of the text, or in units.
    """

    start: int
    end: int
    words: str
    repeated: bool = False
    inside: tuple[int, int] = (0, 0)


class Asked(NamedTuple):
    """One passage that a question needs: any of its interchangeable ``places`` will do.

    Passages with the same ``key`` belong to one question; ``text`` is empty if only spans were given.
    """

    key: str
    text: str
    tags: tuple[str, ...]
    places: tuple[Place, ...]


def read_spans(path: str | os.PathLike[str], bad: list[str] | None = None) -> dict[str | None, SpanRecord]:
    """Read spans by document: JSON lines, a JSON list, or a table (.csv, .tsv) with a header.

    A line holds the spans of a document, ``{"id": "d1", "spans": [[0, 12], {"text": "the words"}]}``, or a question,
    ``{"doc_id": "d1", "question": "…", "answer": "the words"}``, of which a document may have many; ``questions`` lists several in one
    line. Several ``spans`` of a question are all needed, ``answers`` and ``{"any": [...]}`` are interchangeable, ``tags`` group questions.
    ``"unit"`` says what offsets count: ``"character"``, or any other word for units; ``"spans_in"`` says so instead where the
    line is a document, whose unit is that of its boundaries. A file with a single line may omit the id, which is then None.
    Lines that cannot be read are noted in ``bad``, if there is such a list.
    """
    place = Path(path)
    try:
        with place.open("rb"):
            pass
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", place) from None
    data = read_bytes(place)
    records: dict[str | None, SpanRecord] = {}
    for number, line in _lines(data, place):
        try:
            record = _record(line, place, number)
            name = _id(record, place, number)
        except FormatError as error:
            skip(error, bad, "lines")
            continue
        if records and (name is None or None in records):
            raise FormatError("there are several lines, and one has no id; add the id of its document", place, number)
        where = f"{place}:{number}:" if name is None else f"{place}:{number}: document {name!r}:"
        entries, asks = _entries(record, where)
        if name in records and asks:
            before = records[name]
            records[name] = before._replace(spans=[*before.spans, *entries])
            continue
        if name in records:
            raise FormatError(f"document {name!r} occurs twice; put all its spans in one line", place, number)
        unit = record.get("spans_in", record.get("unit"))
        counted: Counted | None = None if unit is None else "character" if unit == "character" else "units"
        records[name] = SpanRecord(entries, counted, where)
    if not records:
        raise FormatError("is empty; write one object per line", place)
    return records


def _lines(data: bytes, path: Path) -> Iterator[tuple[int, object]]:
    """Yield every record with its line: bytes of JSON, or a row of a table."""
    comma = _TABLES.get(suffix(path))
    if comma is not None:
        yield from _rows(data, comma, path)
    elif suffix(path) == ".json" and data.lstrip().startswith(b"["):
        try:
            yield from enumerate(decode(data, list[object]), start=1)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise FormatError("is not JSON; write a list of records", path) from None
    else:
        yield from ((number, line) for number, line in enumerate(data.split(b"\n"), start=1) if line.strip())


def _rows(data: bytes, comma: str, path: Path) -> Iterator[tuple[int, object]]:
    try:
        rows = csv.DictReader(io.StringIO(data.decode("utf-8"), newline=""), delimiter=comma)
        for row in rows:
            record: dict[str, object] = {
                str(key).strip().lower(): value for key, value in row.items() if key is not None and value
            }
            for key in (*_ANSWERS, "tags"):
                if str(record.get(key, "")).lstrip().startswith(("[", "{")):
                    with contextlib.suppress(msgspec.DecodeError):
                        record[key] = decode(str(record[key]).encode())
            yield rows.line_num, record
    except (csv.Error, UnicodeDecodeError) as error:
        raise FormatError(f"is not a table in UTF-8 ({error}); check the file", path) from None


def _entries(record: Mapping[str, object], where: str) -> tuple[Sequence[object], bool]:
    """Return the spans and questions of a line, and whether it is a question: a document may then have several lines."""
    several = record.get("questions")
    if several is not None:
        if not isinstance(several, list):
            raise FormatError(f"{where} questions is {_shown(several)}; write a list of objects")
        return several, False
    asked = next((str(record[key]) for key in _QUESTION if record.get(key) is not None), None)
    key = next((key for key in _ANSWERS if key in record), None)
    if asked is None and key is None:
        if not isinstance(record["spans"], list):
            raise FormatError(f"{where} spans is {_shown(record['spans'])}; write a list, such as [[0, 12], [40, 71]]")
        return record["spans"], False
    own = {"question": asked or "", "tags": record.get("tags", record.get("tag")), "id": record.get("question_id")}
    return [{**own, "spans": record["spans"] if "spans" in record else _answers_of(record)}], True


def _answers_of(record: Mapping[str, object]) -> list[object]:
    """Return the spans that answer a question: all of ``answer`` and of Chroma's ``references``, any of ``answers``."""
    if "references" in record and isinstance(record["references"], list):
        keys = {"start_index": "start", "end_index": "end", "content": "text"}
        return [
            {keys.get(key, key): value for key, value in each.items()} if isinstance(each, dict) else each
            for each in record["references"]
        ]
    if "answer" in record:
        return list(record["answer"]) if isinstance(record["answer"], list) else [record["answer"]]
    given = record.get("answers", record.get("references"))
    return [{"any": given}] if isinstance(given, list) and given else [] if not given else [given]


def _id(record: Mapping[str, object], path: Path, number: int) -> str | None:
    # A question may have its own id, so the document's id takes precedence.
    key = next((key for key in _NAMES if key in record), None)
    if key is None:
        return None
    name = record[key]
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        raise FormatError(f"the id of a document is {_shown(name)}; write a string or an integer", path, number)
    return str(name)


def _record(line: object, path: Path, number: int) -> Mapping[str, object]:
    record = line
    try:
        if isinstance(line, bytes):
            record = decode(line)
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, number) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FormatError("is not JSON; write one object per line", path, number) from None
    if not isinstance(record, dict) or not any(key in record for key in ("spans", "questions", *_ANSWERS)):
        found = f", but has {', '.join(map(_shown, list(record)[:6]))}" if isinstance(record, dict) else ""
        raise FormatError(
            'is not a record such as {"id": "d1", "spans": [[0, 12], [40, 71]]}, or of question, answer and document'
            + found,
            path,
            number,
        )
    return record


def skip(error: FormatError | ComparabilityError, bad: list[str] | None, what: str) -> None:
    """Note what cannot be used in ``bad``; without such a list it is an error, which says how to skip such lines or spans."""
    if bad is None:
        raise type(error)(f"{error}, or skip and count such {what} with missing='skip' (--missing skip)") from None
    bad.append(str(error))


def placed(record: SpanRecord, page: Page, counted: Counted | None, bad: list[str] | None = None) -> list[Asked]:
    """Locate the spans of a document on its scale; ``counted`` is the unit of offsets if the record gives none.

    By default they count characters if there are texts. Spans that are not there are noted in ``bad``, if there is such a list.
    """
    counts: Counted = record.counted or counted or ("units" if page.text is None else "character")
    if counts == "character" and page.text is None:
        raise ComparabilityError(f"{record.where} offsets in characters need the texts of the documents; give 'units'")
    document = page.document.id
    found: list[Asked] = []
    for number, entry in enumerate(record.spans, start=1):
        question = _question(entry)
        name = f"{record.where} span {number}"
        text, tags, passages, own = question or ("", (), [entry], None)
        key = own or (f"{document}\n{text}" if text else f"{document} {number}")
        try:
            if not passages:
                raise ComparabilityError(f"{name} ({_shown(text)}) has no span; give its answer")
            for passage in passages:
                variants = passage["any"] if isinstance(passage, dict) and "any" in passage else [passage]
                if not isinstance(variants, list) or not variants:
                    raise ComparabilityError(f"{name}: 'any' is {_shown(variants)}; write a list of spans")
                found.append(Asked(key, text, tags, tuple(_variants(variants, name, page, counts))))
        except ComparabilityError as error:
            skip(error, bad, "spans")
            found = [each for each in found if question is None or each.key != key]
    return found


def _variants(variants: Sequence[object], name: str, page: Page, counts: Counted) -> Iterator[Place]:
    """Yield the interchangeable places of a passage that are in the text; if none is, that is an error."""
    errors: list[ComparabilityError] = []
    for variant in variants:
        try:
            yield _place(variant, name, page, counts)
        except ComparabilityError as error:
            errors.append(error)
    if len(errors) == len(variants):
        raise errors[0]


def _question(entry: object) -> tuple[str, tuple[str, ...], Sequence[object], str | None] | None:
    """Return text, tags, passages and id of a question, or None if an entry is a span."""
    if not isinstance(entry, dict) or not ("question" in entry or "spans" in entry):
        return None
    tags = entry.get("tags", entry.get("tag")) or ()
    listed = tags if isinstance(tags, (list, tuple)) else re.split(r"[;,]", str(tags))
    passages = entry["spans"] if "spans" in entry else _answers_of(entry)
    own = entry.get("id", entry.get("question_id"))
    return (
        str(entry.get("question") or "").strip(),
        tuple(dict.fromkeys(str(tag).strip() for tag in listed if str(tag).strip())),
        passages if isinstance(passages, (list, tuple)) else [passages],
        None if own is None else str(own),
    )


def _place(entry: object, name: str, page: Page, counts: Counted) -> Place:
    words: str | None = None
    if isinstance(entry, str):
        words, offsets = entry, (None, None)
    elif isinstance(entry, dict):
        words, offsets = entry.get("text"), (entry.get("start"), entry.get("end"))
    elif isinstance(entry, (list, tuple)) and len(entry) == 2:
        offsets = (entry[0], entry[1])
    else:
        raise ComparabilityError(f"{name} is {_shown(entry)}; write [start, end], or the words as a string")
    if words is not None and not isinstance(words, str):
        raise ComparabilityError(f"{name}: its text is {_shown(words)}; write a string")
    if offsets == (None, None):
        if words is None:
            raise ComparabilityError(f"{name} has neither offsets nor a text; give 'start' and 'end', or 'text'")
        return _quoted(words, page, name)
    start, end = (_offset(value, name) for value in offsets)
    longest = page.document.n_units if counts == "units" or page.text is None else len(page.text)
    if start >= end:
        what = "is empty" if start == end else "ends before it starts"
        raise ComparabilityError(f"{name} ({start}..{end}) {what}; offsets start at 0, and the end is exclusive")
    if not 0 <= start < end <= longest:
        unit = "units" if counts == "units" else "characters"
        raise ComparabilityError(
            f"{name} is {start}..{end}, but the document has {longest} {unit}; check the unit of the offsets"
        )
    on_scale = page.units_at(start, end) if counts == "units" else page.at(start, end)
    if on_scale[0] == on_scale[1]:
        raise ComparabilityError(f"{name} ({start}..{end}) is only white space; give a span with words")
    there = _words(page, start, end, counts)
    if words is not None and there is not None and words.split() != there.split():
        raise ComparabilityError(
            f"{name} says {_shown(words)}, but at {start}..{end} the text is {_shown(there)}; "
            "omit the offsets to locate the span by its words"
        )
    inside = page.in_text(*on_scale) if counts == "units" else (start, end)
    return Place(*on_scale, there or "", inside=inside)


def _words(page: Page, start: int, end: int, counts: Counted) -> str | None:
    if counts == "units":
        units = page.document.units
        return None if units is None else " ".join(units[start:end])
    return None if page.text is None else page.text[start:end]


def _quoted(words: str, page: Page, name: str) -> Place:
    """Locate a span by its words, ignoring white space; the first occurrence counts."""
    if page.text is None:
        raise ComparabilityError(f"{name} is given by its words, but the documents have no texts; give 'units'")
    bare = "".join(words.split())
    if not bare:
        raise ComparabilityError(f"{name} is only white space; give a span with words")
    # The scale omits white space, so a position in the bare text is a position on the scale.
    whole = page.bare
    if bare not in whole and len(whole.lower()) == len(whole):
        whole, bare = whole.lower(), bare.lower()
    starts, ends = page.tokens.tolist(), [*page.tokens.tolist()[1:], page.length]
    places: list[int] = []
    start = whole.find(bare)
    while start >= 0:
        places.append(start)
        start = whole.find(bare, start + 1)
    if not places:
        raise ComparabilityError(f"{name} ({_shown(words)}) is not in the text; quote it exactly")
    # The same letters may occur inside other words; occurrences that begin and end with words take precedence.
    whole_words = [start for start in places if _at_words(start, start + len(bare), starts, ends)] or places
    place = whole_words[0], whole_words[0] + len(bare)
    return Place(*place, words, len(whole_words) > 1, page.in_text(*place))


def _at_words(start: int, end: int, starts: Sequence[int], ends: Sequence[int]) -> bool:
    place, last = bisect.bisect_left(starts, start), bisect.bisect_left(ends, end)
    return place < len(starts) and starts[place] == start and last < len(ends) and ends[last] == end


def _offset(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ComparabilityError(f"{name}: an offset is {_shown(value)}; it must be an integer")
    return value


def _shown(value: object) -> str:
    text = repr(" ".join(value.split()) if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:57] + "..."
