# SPDX-License-Identifier: Apache-2.0
"""JSONL exported from a sequence labelling project of doccano."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._annotators import Gathering
from caesura.formats._base import FORMATS, Sample
from caesura.formats._files import faults, filled_lines, plural, read_text
from caesura.formats._json import json_object, top_keys
from caesura.formats._jsonl_line import OWN_KEYS
from caesura.formats._spans import Span, SpanFormat, Tally, layout, trimmed

__all__ = ["Doccano"]

_SPANS = ("label", "labels", "entities")
_PEOPLE = ("username", "annotator")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Doccano(SpanFormat):
    """JSONL exported from a doccano sequence labelling project: ``{"id": 1, "text": "…", "label": [[0, 9, "topic"]]}``.

    The spans, in characters, may also be given as ``labels`` or ``entities``, or as objects with ``start_offset``,
    ``end_offset`` and ``label``. doccano writes one file per project member, named after the member: that is the
    annotator, unless the record has a ``username`` or ``annotator``. A folder of such files is one corpus. Older versions
    export ``annotations``, each with a ``user``. doccano also writes a record without spans for every member who has not
    coded it yet, so by default such records are skipped with a warning.
    """

    card: ClassVar[Card] = Card(
        title="doccano's JSONL of labelled spans, one file per annotator",
        citation="Nakayama, H., et al. (2018). doccano: text annotation tool for human.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson", ".json")
    sample: ClassVar[Sample] = {"1": (2, 1)}
    many: ClassVar[bool] = True

    label: str | None = param(None, "the label of the spans to read [all]")
    empty: str = param(
        "skip", "whether a record without spans is skipped or is one whole segment", choices=("skip", "whole")
    )

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the first line has text and spans."""
        keys = top_keys(head.lstrip().partition(b"\n")[0])
        return "text" in keys and bool(keys & {*_SPANS, "annotations"}) and not keys & OWN_KEYS

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        gathering = Gathering()
        tally = Tally()
        skipped = numbered = 0
        for number, line in filled_lines(read_text(path)):
            with faults(line=number):
                record = _record(line)
                numbered += "id" not in record
                name = _name(record.get("id", number), "id")
                places = layout(record["text"], self.unit)
                if not places.spans:
                    raise FormatError(f"document {name!r} has no text; remove the record")
                document = Document(id=name, n_units=len(places.spans), unit=places.unit, units=places.units)
                for annotator, spans in self._codings(record, stem(path)).items():
                    coding = self.segmented(spans, places, tally) if spans or self.empty == "whole" else None
                    skipped += coding is None
                    gathering.add(document, annotator, coding)
        if skipped:
            records = plural(skipped, "record without spans is", "records without spans are")
            tally.others.append(f"{records} skipped as not coded yet; empty='whole' reads each as one segment")
        self.finish(tally, self.unit, path, strict)
        return Corpus(gathering.documents(), name=str(path), ids_are_given=not numbered)

    def _codings(self, record: Mapping[str, Any], member: str) -> Mapping[str, Sequence[Span]]:
        """Return the annotators of a record with their spans; by default the annotator is the project member."""
        keys = [key for key in (*_SPANS, "annotations") if key in record]
        if len(keys) != 1:
            what = f"both {keys[0]!r} and {keys[1]!r}" if keys else "no 'label' with the spans"
            raise FormatError(f"the record has {what}; export the project as JSONL from doccano")
        entries = record[keys[0]]
        if not isinstance(entries, list):
            raise FormatError(f"{keys[0]} is not a list of spans; write [[start, end, label], …]")
        people = [key for key in _PEOPLE if record.get(key) is not None]
        owner = _name(record[people[0]], people[0]) if people else member
        found: dict[str, list[Span]] = {}
        for place, entry in enumerate(entries, start=1):
            who = owner
            if keys[0] == "annotations" and isinstance(entry, dict) and "user" in entry:
                who = _name(entry["user"], "user")
            spans = found.setdefault(who, [])
            span, label = _span(entry, place, len(record["text"]))
            if self.label is None or label == self.label:
                spans.append(trimmed(span, record["text"]))
        return found or {owner: []}


def _record(line: str) -> dict[str, Any]:
    record = json_object(line, "doccano writes one per line, export the project again")
    if not isinstance(record.get("text"), str):
        raise FormatError("the record has no 'text'; export the project as JSONL from doccano")
    return record


def _name(value: object, what: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, str)) or value == "":
        raise FormatError(f"{what} is {str(value)[:30]!r}; it must be a string or an integer")
    return str(value)


def _span(entry: object, place: int, length: int) -> tuple[Span, str]:
    if isinstance(entry, dict):
        start = entry.get("start_offset", entry.get("start"))
        end = entry.get("end_offset", entry.get("end"))
        label = entry.get("label", "")
    elif isinstance(entry, list) and len(entry) == 3:
        start, end, label = entry
    else:
        raise FormatError(f"span {place} is not [start, end, label]; export a sequence labelling project")
    if type(start) is not int or type(end) is not int or not 0 <= start <= end <= length:
        what = f"span {place} is {repr(start)[:20]} to {repr(end)[:20]}, but the text has {length} characters"
        raise FormatError(f"{what}; spans must lie inside the text")
    return Span(start, end), str(label)
