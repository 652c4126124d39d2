# SPDX-License-Identifier: Apache-2.0
"""The tasks of Label Studio: how its JSON and JSON-MIN are decoded, and how documents with annotations become tasks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caesura.corpus import DATES, MAJOR, SECONDS, TITLES, Document
from caesura.errors import FormatError
from caesura.formats._json import read_json
from caesura.segmentation import Segmentation
from caesura.strict_json import decode

TEXT_KINDS = ("labels", "hypertextlabels")
DIALOGUE_KIND = "paragraphlabels"
KINDS = (*TEXT_KINDS, DIALOGUE_KIND)
MIN_KEY = "annotation_id"
"""The key that every record of JSON-MIN has, and that no task has."""
_OF_ANNOTATION = frozenset({"id", "annotator", MIN_KEY, "created_at", "updated_at", "lead_time"})
UNIT = "unit_name"
"""The key of data under which a written task says what its paragraphs are."""
TITLE = "title"
"""The name of the text area of a region that holds the title of its segment."""
KEPT = (DATES, SECONDS, TITLES, MAJOR)
"""What of ``extra`` a task has."""
_NOBODY = 1


class Region(msgspec.Struct):
    """A region: its type and its position."""

    type: str = ""
    value: dict[str, Any] = {}
    id: object = None
    from_name: object = None


class Annotation(msgspec.Struct):
    """The annotation of a task by one annotator."""

    id: int | str | None = None
    completed_by: int | str | dict[str, Any] | None = None
    result: list[Region] | None = None
    was_cancelled: bool | None = None
    created_at: object = None
    lead_time: object = None


class Task(msgspec.Struct):
    """A text or dialogue with its annotations."""

    data: dict[str, Any]
    id: int | str | None = None
    annotations: list[Annotation] | None = None
    completions: list[Annotation] | None = None


_CONTENT: Any = Task | list[Task]


def read_tasks(path: Path) -> list[tuple[int | None, Task]]:
    """Return the tasks of a file with their list positions; a file that is a single task has no position."""
    content: Any = read_json(path, msgspec.Raw)
    try:
        records = decode(bytes(content), list[dict[str, Any]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        records = []
    if any(MIN_KEY in record and "data" not in record for record in records):
        return _joined(records)
    tasks: Task | list[Task] = read_json(path, _CONTENT)
    return [(None, tasks)] if isinstance(tasks, Task) else list(enumerate(tasks))


def _joined(records: list[dict[str, Any]]) -> list[tuple[int | None, Task]]:
    """Return the records of JSON-MIN as tasks, each with the annotations of all its records."""
    tasks: dict[object, tuple[int | None, Task]] = {}
    for place, record in enumerate(records):
        name = record.get("id")
        known = isinstance(name, (int, str)) and not isinstance(name, bool)
        regions = {key: _regions(value) for key, value in record.items() if key not in _OF_ANNOTATION}
        data = {key: record[key] for key, found in regions.items() if found is None and not _is_answer(record[key])}
        annotation = Annotation(
            id=record.get(MIN_KEY) if isinstance(record.get(MIN_KEY), (int, str)) else None,
            completed_by=record.get("annotator"),
            created_at=record.get("created_at"),
            lead_time=record.get("lead_time"),
            result=[region for found in regions.values() for region in found or ()],
        )
        # Records of one task repeat its data; another text under the same id would be another task.
        key = (str(name), msgspec.json.encode(data)) if known else ("", place)
        _, task = tasks.setdefault(key, (place, Task(data=data, id=name if known else None, annotations=[])))
        task.annotations = [*(task.annotations or ()), annotation]
    return list(tasks.values())


def _regions(value: object) -> list[Region] | None:
    """Return the regions in the value of a control tag, or None if it has no regions that mark text."""
    entries = value if isinstance(value, list) else []
    kinds = [next((k for k in KINDS if isinstance(each, Mapping) and k in each), None) for each in entries]
    if not kinds or None in kinds:
        return None
    return [Region(type=kind or "", value=dict(each)) for kind, each in zip(kinds, entries, strict=True)]


def _is_answer(value: object) -> bool:
    """Return whether a value is an answer (a list of strings), not a dialogue (a list of records)."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def written_task(number: int, document: Document) -> dict[str, object]:
    """Return a document as a task: its units as the paragraphs of a dialogue, and every annotator's segments as regions."""
    if document.units is None:
        raise FormatError(f"document {document.id!r} has no text; Label Studio shows nothing else")
    speakers = document.speakers or ("",) * document.n_units
    turns = [
        {"author": who, "text": text} if who else {"text": text}
        for who, text in zip(speakers, document.units, strict=True)
    ]
    codings = dict(document.annotations)
    if not codings and document.segmentation is not None:
        codings = {str(_NOBODY): document.segmentation}
    annotations = [
        {
            "id": 1000 * number + place,
            "completed_by": int(name) if name.isdecimal() and str(int(name)) == name else {"email": name},
            "result": list(_written_regions(document, name, coding)),
            "was_cancelled": False,
            "ground_truth": False,
            **{
                key: said
                for key, source in (("created_at", DATES), ("lead_time", SECONDS))
                if (said := _said(document, source, name)) is not None
            },
        }
        for place, (name, coding) in enumerate(codings.items(), start=1)
    ]
    data = {"id": document.id, UNIT: document.unit, "dialogue": turns}
    return {"id": number, "data": data, "annotations": annotations, "predictions": []}


def _written_regions(document: Document, name: str, coding: Segmentation) -> Iterator[dict[str, object]]:
    """Yield the segments of an annotator as regions over whole paragraphs, each with its title."""
    units = document.units or ()
    titles, major = _said(document, TITLES, name), _said(document, MAJOR, name)
    titles = titles if isinstance(titles, Mapping) else {}
    major = [0, *major] if isinstance(major, Sequence) else None
    for start, end in itertools.pairwise((0, *coding.boundaries, document.n_units)):
        text = "\n".join(units[start:end])
        if not text:
            raise FormatError(
                f"document {document.id!r}: a segment of {name!r} has no text (unit {start + 1}); Label Studio cannot mark it"
            )
        # A browser counts UTF-16 code units.
        length = len(units[end - 1].encode("utf-16-le", "surrogatepass")) // 2
        place = {"start": str(start), "end": str(end - 1), "startOffset": 0, "endOffset": length}
        shared = {"id": f"s{start}", "to_name": "dialogue", "origin": "manual"}
        label = "Major" if major is not None and start in major else "Segment"
        yield {
            **shared, "from_name": "label", "type": DIALOGUE_KIND, "value": {**place, "text": text, DIALOGUE_KIND: [label]},
        }  # fmt: skip
        if str(start) in titles:
            yield {**shared, "from_name": TITLE, "type": "textarea", "value": {**place, "text": [titles[str(start)]]}}


def _said(document: Document, key: str, name: str) -> object:
    """Return what a key of ``extra`` says of an annotator, or None."""
    told = document.extra.get(key)
    return told.get(name) if isinstance(told, Mapping) else None
