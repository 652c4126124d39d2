# SPDX-License-Identifier: Apache-2.0
"""A project of ``caesura annotate``, read as documents with annotations, also while people work on it."""

from __future__ import annotations

import dataclasses
import datetime
import os
from pathlib import Path
from typing import ClassVar

import msgspec

from caesura.annotations import FILE
from caesura.annotations.events import EventStore, Payload, digest
from caesura.annotations.state import Coding, State, Task, project_state
from caesura.corpus import COMMENTS, DATES, DECISIONS, MAJOR, REPEATS, SECONDS, TITLES, UNSURE, Corpus, Document, Origin
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import file_hash
from caesura.formats._annotators import sole
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import faults, notice, plural
from caesura.formats.jsonl import Jsonl
from caesura.segmentation import Segmentation

__all__ = ["AnnotationProject", "project_documents"]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class AnnotationProject(Format):
    """The folder of a project of ``caesura annotate``: its documents with what each person has finished so far.

    The folder holds ``documents/``, ``guide.md``, and the events of all people in ``annotate.sqlite``, which is read
    while the project is served. A document that a person has begun but not finished does not count, unless
    ``unfinished=True``. Titles, comments, doubts, time and second
    codings of each person stand in ``extra``. Results name the last event that
    was read (``until``), so that a page shows the boundaries that were scored, however far the work has gone since.
    """

    card: ClassVar[Card] = Card(title="a project of caesura annotate", citation="Caesura's own.")
    suffixes: ClassVar[tuple[str, ...]] = (".sqlite",)
    writable: ClassVar[bool] = False
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "n_units", "units", "annotations"})
    folder_files: ClassVar[frozenset[str]] = frozenset({FILE})

    level: int = param(1, "the lowest level of boundaries to read: 2 for the major ones only", minimum=1, maximum=2)
    unfinished: bool = param(False, "whether documents that a person has not finished count")
    until: int | None = param(None, "the last event to read [the last there is]", minimum=0)

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return False: it is a folder, which its file of events tells."""
        return False

    def parts(self, path: Path) -> list[Path]:
        """Return the files of documents; events count by their content, since their file grows."""
        return [path] if path.is_file() else sorted((path / "documents").glob("*.jsonl")) or [path / FILE]

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a project; see `Format.read`."""
        if path.name == FILE and path.is_file():
            path = path.parent
        with EventStore(path) as store:
            events = store.events(until=self.until)
        if self.until is not None and (not events or events[-1].number < self.until):
            raise FormatError(f"has no event {self.until}; it is another project, or an older copy")
        with faults(path):
            state = project_state(events)
        documents = project_documents(path, state)
        begun = sum(
            coding.finished is None and bool(coding.marks) and task.round == 1
            for (_, task), coding in state.codings.items()
        )
        if begun and not self.unfinished:
            notice(
                f"{plural(begun, 'document is', 'documents are')} begun but not finished, and left out; "
                "unfinished=True counts them",
                path,
                strict=strict,
            )
        codings = state.first_round(unfinished=self.unfinished)
        if not any(codings.values()):
            notice("nobody has finished a document yet", path, strict=strict)
        corpus = Corpus([_annotated(each, codings[each.id], state, self.level) for each in documents], name=str(path))
        known = dataclasses.replace(self, until=state.number)
        hashes = [each.sha256 for each in state.contributions]
        corpus.origin = Origin.of_several(os.path.abspath(path), [*hashes, digest(events)], str(known))  # noqa: PTH100
        return corpus


def _annotated(document: Document, codings: dict[str, Coding], state: State, level: int) -> Document:
    """Return a document with everybody's boundaries, titles, comments and doubts."""
    annotations = {
        person: Segmentation(document.n_units, coding.boundaries(level), unit=document.unit)
        for person, coding in codings.items()
    }
    notes: dict[str, Payload] = {
        DATES: {person: _date(coding.finished) for person, coding in codings.items() if coding.finished is not None},
        SECONDS: {person: round(coding.seconds, 1) for person, coding in codings.items()},
        TITLES: {person: _titles(coding, level) for person, coding in codings.items()},
        MAJOR: {person: list(coding.boundaries(2)) for person, coding in codings.items()} if level == 1 else {},
        COMMENTS: {person: _by_gap(coding.comments) for person, coding in codings.items()},
        UNSURE: {person: sorted(coding.unsure) for person, coding in codings.items()},
    }
    again = {person: state.codings.get((person, Task(document.id, 2))) for person in codings}
    repeated = {
        person: list(coding.boundaries(level))
        for person, coding in again.items()
        if coding is not None and coding.finished is not None
    }
    said = {key: {person: each for person, each in values.items() if each} for key, values in notes.items()}
    extra: Payload = {**document.extra, **{key: values for key, values in said.items() if values}}
    if repeated:
        extra[REPEATS] = repeated  # without boundaries it is a coding too
    decided = state.decisions.get(document.id, {})
    if decided:
        each = {tuple(decision.gaps): decision for decision, _ in decided.values()}
        extra[DECISIONS] = [msgspec.to_builtins(decision) for _, decision in sorted(each.items())]
    return dataclasses.replace(document, annotations=annotations, segmentation=sole(annotations), extra=extra)


def _date(time: int) -> str:
    return datetime.datetime.fromtimestamp(time / 1000, datetime.UTC).isoformat("T", "seconds")


def _by_gap(texts: dict[int, str]) -> dict[str, str]:
    return {str(gap): text for gap, text in sorted(texts.items())}


def _titles(coding: Coding, level: int) -> dict[str, str]:
    """Return the titles of the segments that are there, by the gap they begin after."""
    starts = {0, *coding.boundaries(level)}
    return _by_gap({gap: text for gap, text in coding.titles.items() if gap in starts})


def project_documents(path: Path, state: State) -> list[Document]:
    """Return the documents of a project as they were added, without boundaries; raise if a file has changed since."""
    documents: list[Document] = []
    for contribution in state.contributions:
        file = path / "documents" / contribution.file
        if not file.is_file():
            raise FormatError("is missing, and people have annotated it; restore it from a copy", file)
        if file_hash(file) != contribution.sha256:
            raise FormatError(
                "has changed since it was added, and boundaries no longer fit; restore it, or start a new project", file
            )
        with faults(file):
            documents.extend(Jsonl().read(file))
    return documents
