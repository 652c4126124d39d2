# SPDX-License-Identifier: Apache-2.0
"""The state of an annotation project, which follows from its events: documents, people, tasks, and what each person marked."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TypeVar

import msgspec

from caesura.annotations.events import Event, Payload
from caesura.corpus import COMMENTS, MAJOR, TITLES, UNSURE
from caesura.errors import FormatError

__all__ = ["Coding", "Contribution", "Settings", "State", "Suggestion", "Task", "project_state"]

_Value = TypeVar("_Value")


class Settings(msgspec.Struct, frozen=True):
    """How a project is run, as its first event has it."""

    project: str
    seed: int = 0
    pilot: int = 0
    each: int | None = None
    repeats: int = 0
    levels: int = 1


class Contribution(msgspec.Struct, frozen=True):
    """A file of documents that was added: its name in the project, its hash, and where it came from."""

    file: str
    sha256: str
    units: dict[str, int]
    source: str
    source_sha256: str
    format: str | None


class Task(msgspec.Struct, frozen=True, order=True):
    """A document that a person is to annotate; in round 2 it is a repetition."""

    document: str
    round: int = 1


class Suggestion(msgspec.Struct, frozen=True):
    """The boundaries of a system by document, and the documents, half of them, that they are shown in."""

    system: str
    boundaries: dict[str, list[int]]
    shown: list[str]


class Decision(msgspec.Struct, frozen=True):
    """What the lead decided about a contested place: its gap, the outcome, and why."""

    gaps: list[int]
    gap: int | None
    reason: str = ""


@dataclasses.dataclass
class Coding:
    """What one person marked in one document."""

    marks: dict[int, int] = dataclasses.field(default_factory=dict)
    """The level of each boundary, by gap."""
    titles: dict[int, str] = dataclasses.field(default_factory=dict)
    """Titles of segments, by the gap they begin after."""
    unsure: set[int] = dataclasses.field(default_factory=set)
    comments: dict[int, str] = dataclasses.field(default_factory=dict)
    finished: int | None = None
    """When it was finished, in ms; None while it is not."""
    seconds: float = 0.0
    """Active time."""
    started: int | None = None
    imported: bool = False
    events: int = 0

    def boundaries(self, level: int = 1) -> tuple[int, ...]:
        """Return the gaps of at least a level, in order."""
        return tuple(sorted(gap for gap, each in self.marks.items() if each >= level))

    def apply(self, kind: str, payload: Payload, time: int) -> None:
        """Take an event in. A kind that is not known here belongs to somebody else."""
        self.events += 1
        if self.started is None:
            self.started = time
        gap = payload.get("gap", 0)
        if kind == "mark":
            _put(self.marks, gap, payload["level"])
        elif kind == "title":
            _put(self.titles, gap, payload["text"])
        elif kind == "comment":
            _put(self.comments, gap, payload["text"])
        elif kind == "unsure":
            (self.unsure.add if payload["on"] else self.unsure.discard)(gap)
        elif kind == "time":
            self.seconds += payload["seconds"]
        elif kind == "finish":
            self.finished = time
        elif kind == "reopen":
            self.finished = None
        elif kind == "import":
            major = payload.get(MAJOR, ())
            self.marks = {gap: 1 + (gap in major) for gap in payload["boundaries"]}
            self.titles = {int(gap): text for gap, text in payload.get(TITLES, {}).items()}
            self.comments = {int(gap): text for gap, text in payload.get(COMMENTS, {}).items()}
            self.unsure = set(payload.get(UNSURE, ()))
            self.finished, self.imported = payload.get("time", time), True


def _put(values: dict[int, _Value], gap: int, value: _Value) -> None:
    """Set a value, or remove it if it says nothing."""
    if value:
        values[gap] = value
    else:
        values.pop(gap, None)


class State:
    """Everything that the events so far say."""

    def __init__(self) -> None:
        self.number = 0
        self.settings = Settings(project="")
        self.contributions: list[Contribution] = []
        self.n_units: dict[str, int] = {}
        self.people: list[str] = []
        self.renamed: dict[str, str] = {}
        """The new names of people; events, tasks and links keep the first one."""
        self.tasks: dict[str, list[Task]] = {}
        self.pilot: list[str] = []
        self.codings: dict[tuple[str, Task], Coding] = {}
        self.suggestions: list[Suggestion] = []
        self.decisions: dict[str, dict[int, tuple[Decision, int]]] = {}
        """By document, the decision about each gap of a place, with its time."""

    def apply(self, event: Event) -> None:
        """Take the next event in."""
        self.number = event.number
        payload, kind = event.payload, event.kind
        if kind == "settings":
            self.settings = msgspec.convert(payload, Settings)
        elif kind == "documents":
            contribution = msgspec.convert(payload, Contribution)
            self.contributions.append(contribution)
            self.n_units.update(contribution.units)
        elif kind == "people":
            self.people += payload["names"]
        elif kind == "rename":
            self.renamed[payload["person"]] = payload["name"]
        elif kind == "tasks":
            self.pilot += [document for document in payload.get("pilot", ()) if document not in self.pilot]
            for person, tasks in payload["tasks"].items():
                self.tasks.setdefault(person, []).extend(msgspec.convert(tasks, list[Task]))
        elif kind == "suggestions":
            self.suggestions.append(msgspec.convert(payload, Suggestion))
        elif kind in ("decision", "undecided"):
            decided = self.decisions.setdefault(event.document, {})
            for gap in payload["gaps"]:
                if kind == "decision":
                    decided[gap] = (msgspec.convert(payload, Decision), event.time)
                else:
                    decided.pop(gap, None)
        elif event.document:
            self.coding(event.person, Task(event.document, event.round)).apply(kind, payload, event.time)

    def name(self, person: str) -> str:
        """Return what a person is called now."""
        return self.renamed.get(person, person)

    def coding(self, person: str, task: Task) -> Coding:
        """Return what a person marked in a document, nothing at first."""
        return self.codings.setdefault((person, task), Coding())

    def first_round(self, *, unfinished: bool = False) -> dict[str, dict[str, Coding]]:
        """Return the codings of the first round that are finished, or all: by document in order, by present name in order."""
        found: dict[str, dict[str, Coding]] = {document: {} for document in self.n_units}
        for person in self.people:
            for document in self.n_units:
                coding = self.codings.get((person, Task(document)))
                if coding is not None and (unfinished or coding.finished is not None):
                    found[document][self.name(person)] = coding
        return found


def project_state(events: Iterable[Event]) -> State:
    """Return the state that follows from events."""
    state = State()
    for event in events:
        try:
            state.apply(event)
        except (KeyError, TypeError, AttributeError, msgspec.ValidationError) as error:
            raise FormatError(f"event {event.number} ({event.kind!r}) is not as it was written: {error}") from None
    return state
