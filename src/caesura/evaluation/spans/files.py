# SPDX-License-Identifier: Apache-2.0
"""Reading and locating spans: offsets in characters or units, or the words themselves."""

from __future__ import annotations

import bisect
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from caesura.errors import ComparabilityError, FormatError
from caesura.evaluation.spans.page import Page
from caesura.limits import CONTENT
from caesura.strict_json import RepeatedKeyError, decode

__all__ = ["Counted", "Place", "SpanRecord", "placed", "read_spans", "skip"]

_ANSWER = "answer"
Counted = Literal["character", "units"]


class SpanRecord(NamedTuple):
    """The spans of one document as read, the unit of their offsets, and the location of the record for messages."""

    spans: Sequence[object]
    counted: Counted | None
    where: str


class Place(NamedTuple):
    """A span on the scale of its document, its words if they are known, and whether they also occur elsewhere."""

    start: int
    end: int
    words: str
    repeated: bool = False


def read_spans(path: str | os.PathLike[str], bad: list[str] | None = None) -> dict[str | None, SpanRecord]:
    """Read a file of spans: one object per line, ``{"id": "d1", "spans": [[0, 12], {"text": "the words"}]}``.

    ``"unit"`` says what offsets count: ``"character"``, or any other word for units; ``"spans_in"`` says so instead where the
    line is a document, whose unit is that of its boundaries. A file with a single line may omit
    the id, which is then None. Lines that cannot be read are noted in ``bad``, if there is such a list. A line may also be a question and its answer, ``{"doc_id": "d1", "question": "…", "answer":
    "the words"}``; a document then has one line per answer.
    """
    place = Path(path)
    try:
        if place.stat().st_size > CONTENT.value:
            raise FormatError(CONTENT.refusal("is larger than"), place)
        data = place.read_bytes()
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error}); check the path", place) from None
    records: dict[str | None, SpanRecord] = {}
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            record = _record(line, place, number)
            name = _id(record, place, number)
        except FormatError as error:
            skip(error, bad, "lines")
            continue
        if records and (name is None or None in records):
            raise FormatError("there are several lines, and one has no id; add the id of its document", place, number)
        if name in records and _ANSWER in record:
            before = records[name]
            records[name] = before._replace(spans=[*before.spans, *record["spans"]])
            continue
        if name in records:
            raise FormatError(f"document {name!r} occurs twice; put all its spans in one line", place, number)
        where = f"{place}:{number}:" if name is None else f"{place}:{number}: document {name!r}:"
        if not isinstance(record["spans"], list):
            raise FormatError(f"{where} spans is {_shown(record['spans'])}; write a list, such as [[0, 12], [40, 71]]")
        unit = record.get("spans_in", record.get("unit"))
        counted: Counted | None = None if unit is None else "character" if unit == "character" else "units"
        records[name] = SpanRecord(record["spans"], counted, where)
    if not records:
        raise FormatError("is empty; write one object per line", place)
    return records


def _id(record: Mapping[str, object], path: Path, number: int) -> str | None:
    # A question may have its own id, so the document's id takes precedence.
    key = next((key for key in ("doc_id", "document_id", "id") if key in record), None)
    if key is None:
        return None
    name = record[key]
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        raise FormatError(f"the id of a document is {_shown(name)}; write a string or an integer", path, number)
    return str(name)


def _record(line: bytes, path: Path, number: int) -> Mapping[str, Any]:
    try:
        record = decode(line)
    except RepeatedKeyError as error:
        raise FormatError(str(error), path, number) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FormatError("is not JSON; write one object per line", path, number) from None
    if isinstance(record, dict) and _ANSWER in record and "spans" not in record:
        record = {**record, "spans": [record[_ANSWER]]}
    if not isinstance(record, dict) or "spans" not in record:
        raise FormatError('is not a record such as {"id": "d1", "spans": [[0, 12], [40, 71]]}', path, number)
    return record


def skip(error: FormatError | ComparabilityError, bad: list[str] | None, what: str) -> None:
    """Note what cannot be used in ``bad``; without such a list it is an error, which says how to skip such lines or spans."""
    if bad is None:
        raise type(error)(f"{error}, or skip and count such {what} with missing='skip' (--missing skip)") from None
    bad.append(str(error))


def placed(record: SpanRecord, page: Page, counted: Counted | None, bad: list[str] | None = None) -> list[Place]:
    """Locate the spans of a document on its scale; ``counted`` is the unit of offsets if the record gives none.

    By default they count characters if there are texts. Spans that are not there are noted in ``bad``, if there is such a list.
    """
    counts: Counted = record.counted or counted or ("units" if page.text is None else "character")
    if counts == "character" and page.text is None:
        raise ComparabilityError(f"{record.where} offsets in characters need the texts of the documents; give 'units'")
    places: list[Place] = []
    for number, entry in enumerate(record.spans, start=1):
        try:
            places.append(_place(entry, number, page, counts, record.where))
        except ComparabilityError as error:
            skip(error, bad, "spans")
    return places


def _place(entry: object, number: int, page: Page, counts: Counted, where: str) -> Place:
    name = f"{where} span {number}"
    words: str | None = None
    if isinstance(entry, str):
        words, offsets = entry, (None, None)
    elif isinstance(entry, dict):
        words, offsets = entry.get("text"), (entry.get("start"), entry.get("end"))
    elif isinstance(entry, list) and len(entry) == 2:
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
    return Place(*on_scale, there or "")


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
    whole = "".join(page.text.split())
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
    return Place(whole_words[0], whole_words[0] + len(bare), words, len(whole_words) > 1)


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
