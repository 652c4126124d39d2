# SPDX-License-Identifier: Apache-2.0
"""What a browser or a mailed file may say: each kind of event has its fields, and each field its limits."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from caesura.annotations import LEAD
from caesura.annotations.events import Given, Payload
from caesura.annotations.state import State, Task
from caesura.corpus import COMMENTS, MAJOR, TITLES, UNSURE, Document
from caesura.errors import CaesuraError

__all__ = ["Sent", "checked", "imported"]

_Gap = Annotated[int, Meta(ge=0, le=2**40)]
_MOST_EVENTS = 60
"""Events per unit of a document, and as many thousands besides, that a person may make."""


class _Fields(msgspec.Struct, forbid_unknown_fields=True):
    pass


class _Mark(_Fields):
    gap: _Gap
    level: Literal[0, 1, 2]


class _Title(_Fields):
    gap: _Gap
    text: Annotated[str, Meta(max_length=500)]


class _Comment(_Fields):
    gap: _Gap
    text: Annotated[str, Meta(max_length=5000)]


class _Unsure(_Fields):
    gap: _Gap
    on: bool


class _Time(_Fields):
    seconds: Annotated[float, Meta(gt=0, le=600)]


class _Decision(_Fields):
    gaps: Annotated[list[_Gap], Meta(min_length=1, max_length=1000)]
    gap: _Gap | None
    reason: Annotated[str, Meta(max_length=5000)] = ""


class _Undecided(_Fields):
    gaps: Annotated[list[_Gap], Meta(min_length=1, max_length=1000)]


_KINDS: dict[str, type[_Fields]] = {
    "mark": _Mark,
    "title": _Title,
    "comment": _Comment,
    "unsure": _Unsure,
    "time": _Time,
    "finish": _Fields,
    "reopen": _Fields,
}
_LEAD_KINDS: dict[str, type[_Fields]] = {"decision": _Decision, "undecided": _Undecided}


class Sent(msgspec.Struct, forbid_unknown_fields=True):
    """An event as a browser sends it: a person names a task by its place, the lead a document."""

    sequence: Annotated[int, Meta(ge=1, le=2**53)]
    kind: Annotated[str, Meta(max_length=20)]
    payload: Payload
    task: int | None = None
    document: str | None = None


def checked(state: State, person: str, client: str, sent: Sent) -> Given:
    """Return an event that may be recorded; raise with what is wrong with it."""
    kinds = _LEAD_KINDS if person == LEAD else _KINDS
    if sent.kind not in kinds:
        raise CaesuraError(f"an event of the kind {sent.kind!r} cannot be saved")
    task = _task(state, person, sent)
    n_units = state.n_units[task.document]
    try:
        fields = msgspec.convert(sent.payload, kinds[sent.kind])
    except msgspec.ValidationError as error:
        raise CaesuraError(f"event {sent.sequence} ({sent.kind}) cannot be saved: {error}") from None
    gaps = [gap for gap in (getattr(fields, "gap", None), *getattr(fields, "gaps", ())) if gap is not None]
    lowest = 0 if sent.kind in ("title", "comment") else 1
    if any(not lowest <= gap < n_units for gap in gaps):
        raise CaesuraError(f"event {sent.sequence} names gap {max(gaps)} of a document with {n_units} units")
    if getattr(fields, "level", 0) > state.settings.levels:
        raise CaesuraError(f"event {sent.sequence} has level 2, and the project one level only")
    if person != LEAD and state.coding(person, task).events >= _MOST_EVENTS * (n_units + 1000):
        raise CaesuraError(f"{person!r} has made too many events in {task.document!r}")
    payload: Payload = msgspec.to_builtins(fields)
    return Given(person, task.document, sent.kind, payload, client, sent.sequence, task.round)


def _task(state: State, person: str, sent: Sent) -> Task:
    if person == LEAD:
        if sent.document not in state.n_units:
            raise CaesuraError(f"event {sent.sequence} names a document that is not in the project")
        return Task(str(sent.document))
    tasks = state.tasks.get(person, [])
    if sent.task is None or not 0 <= sent.task < len(tasks):
        raise CaesuraError(f"event {sent.sequence} names a task that {person!r} does not have")
    return tasks[sent.task]


def imported(document: Document, name: str) -> Payload:
    """Return the payload of a coding from elsewhere: its boundaries, and what else the document says of this annotator."""
    payload: Payload = {"boundaries": list(document.annotations[name].boundaries)}
    for key in (MAJOR, UNSURE, TITLES, COMMENTS):
        told = document.extra.get(key)
        own = told.get(name) if isinstance(told, dict) else None
        if isinstance(own, list) and key in (MAJOR, UNSURE):
            payload[key] = [gap for gap in own if type(gap) is int and 0 < gap < document.n_units]
        elif isinstance(own, dict) and key in (TITLES, COMMENTS):
            payload[key] = {gap: text for gap, text in own.items() if _is_gap(gap, document) and isinstance(text, str)}
    return payload


def _is_gap(gap: object, document: Document) -> bool:
    return isinstance(gap, str) and gap.isdecimal() and len(gap) < 16 and int(gap) < document.n_units
