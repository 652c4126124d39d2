# SPDX-License-Identifier: Apache-2.0
"""What a person is sent, by a server or in a mailed file: their documents, their own marks, and nothing of anybody else."""

from __future__ import annotations

import mimetypes
from pathlib import Path, PurePosixPath

from caesura.annotate.project import Project
from caesura.annotations.events import Payload
from caesura.annotations.state import Coding, Task
from caesura.corpus import Document
from caesura.errors import FormatError

__all__ = ["is_video", "person_content", "recordings", "task_content"]


def person_content(project: Project, person: str) -> Payload:
    """Return what a person's page shows first: the guide, their documents in their order, and how far they are."""
    state, settings = project.state, project.state.settings
    tasks = state.tasks.get(person, [])
    return {
        "role": "annotator",
        "person": person,
        "name": state.name(person),
        "project": settings.project,
        "levels": settings.levels,
        "guide": project.guide(),
        "density": project.density_range(),
        "number": state.number,
        "tasks": [
            {
                # With repetitions, a name would tell them.
                "name": f"Document {place}" if settings.repeats else task.document,
                "n_units": state.n_units[task.document],
                "finished": coding.finished is not None,
                "seconds": round(coding.seconds),
                "marks": len(coding.marks),
            }
            for place, task in enumerate(tasks, start=1)
            for coding in (state.codings.get((person, task), Coding()),)
        ],
    }


def task_content(project: Project, document: Document, person: str, task: Task) -> Payload:
    """Return the text of a document with what this person marked in it, and suggestions where the project shows them."""
    coding = project.state.codings.get((person, task), Coding())
    suggested = [each.boundaries[document.id] for each in project.state.suggestions if document.id in each.shown]
    return {
        "units": document.units,
        "speakers": document.speakers,
        "times": document.unit_times,
        "unit": document.unit,
        "suggested": suggested[0] if suggested else None,
        "coding": {
            "marks": list(coding.marks.items()),
            "titles": list(coding.titles.items()),
            "comments": list(coding.comments.items()),
            "unsure": sorted(coding.unsure),
            "finished": coding.finished is not None,
            "seconds": coding.seconds,
        },
    }


def recordings(documents: dict[str, Document], folder: str | Path) -> dict[str, Path]:
    """Return the sound or video of each document: files of a folder that bear its id, or the last part of it, before the suffix."""
    place = Path(folder)
    if not place.is_dir():
        raise FormatError("is no folder of recordings", place)
    found: dict[str, Path] = {}
    for path in sorted(place.rglob("*")):
        kind = mimetypes.guess_type(path.name)[0] or ""
        if path.is_file() and kind.partition("/")[0] in ("audio", "video"):
            if path.stem in found:
                raise FormatError(f"has two recordings named {path.stem!r}; keep one", place)
            found[path.stem] = path
    given = {}
    for key, document in documents.items():
        path_of = found.get(key) or found.get(PurePosixPath(key).name)
        if path_of is not None:
            if document.unit_times is None:
                raise FormatError(
                    f"document {key!r} has a recording, and its units have no times; add them as unit_times", path_of
                )
            given[key] = path_of
    if not given:
        raise FormatError("has no recording that is named like a document, such as ID.mp3", place)
    return given


def is_video(path: Path) -> bool:
    """Return whether a recording has pictures.

    >>> is_video(Path("m1.mp4")), is_video(Path("m1.mp3"))
    (True, False)
    """
    return (mimetypes.guess_type(path.name)[0] or "").startswith("video/")
