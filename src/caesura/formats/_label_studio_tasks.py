# SPDX-License-Identifier: Apache-2.0
"""The tasks of Label Studio's exports: JSON, or JSON-MIN, which has one flat record per annotation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from caesura.formats._json import read_json

__all__ = ["IN_DIALOGUE", "IN_TEXT", "MIN_KEY", "Annotation", "Region", "Task", "read_tasks"]

IN_TEXT = ("labels", "hypertextlabels")
IN_DIALOGUE = "paragraphlabels"
MIN_KEY = "annotation_id"
"""The key that every record of JSON-MIN has, and that no task has."""

_OF_ANNOTATION = frozenset({"id", "annotator", MIN_KEY, "created_at", "updated_at", "lead_time"})


class Region(msgspec.Struct):
    """A region: its type and its position."""

    type: str = ""
    value: dict[str, Any] = {}


class Annotation(msgspec.Struct):
    """The annotation of a task by one annotator."""

    id: int | str | None = None
    completed_by: int | str | dict[str, Any] | None = None
    result: list[Region] | None = None
    was_cancelled: bool | None = None


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
    records = _records(content)
    if records is not None:
        return _joined(records)
    tasks: Task | list[Task] = read_json(path, _CONTENT)
    return [(None, tasks)] if isinstance(tasks, Task) else list(enumerate(tasks))


def _records(content: msgspec.Raw) -> list[dict[str, object]] | None:
    """Return the records of JSON-MIN, or None if the file is not JSON-MIN."""
    try:
        records: list[dict[str, Any]] = msgspec.json.decode(content, type=list[dict[str, Any]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return records if any(MIN_KEY in record and "data" not in record for record in records) else None


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
            result=[region for found in regions.values() for region in found or ()],
        )
        # Records of one task repeat its data; another text under the same id would be another task.
        key = (str(name), msgspec.json.encode(data)) if known else ("", place)
        _, task = tasks.setdefault(key, (place, Task(data=data, id=name if known else None, annotations=[])))
        task.annotations = [*(task.annotations or ()), annotation]
    return list(tasks.values())


def _regions(value: object) -> list[Region] | None:
    """Return the regions in the value of a control tag, or None if it has no regions that mark text."""
    if not isinstance(value, list) or not value:
        return None
    regions = [
        Region(type=kind, value=dict(each)) for each in value if (kind := _kind(each)) and isinstance(each, Mapping)
    ]
    return regions if len(regions) == len(value) else None


def _is_answer(value: object) -> bool:
    """Return whether a value is an answer (a list of strings), not a dialogue (a list of records)."""
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _kind(value: object) -> str | None:
    kinds = (*IN_TEXT, IN_DIALOGUE)
    return next((kind for kind in kinds if kind in value), None) if isinstance(value, Mapping) else None
