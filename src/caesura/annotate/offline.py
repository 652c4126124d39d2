# SPDX-License-Identifier: Apache-2.0
"""One HTML file per person, to mail: it works without a server, and what comes back is collected like any other save."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import msgspec

from caesura.annotate.checking import Sent, checked
from caesura.annotate.content import person_content, task_content
from caesura.annotate.project import Project
from caesura.errors import CaesuraError, FormatError, OutputExistsError
from caesura.files import write_together
from caesura.reports.page.html import compressed, document
from caesura.strict_json import decode

__all__ = ["collect", "write_offline"]

_LARGEST = 200_000_000


class _Mailed(Sent):
    """An event in a file that came back, with the page that made it."""

    client: Annotated[str, msgspec.Meta(min_length=8, max_length=64)] = ""


class _Returned(msgspec.Struct, forbid_unknown_fields=True):
    """A file that came back; ``events`` is JSON in a text, whose checksum tells whether somebody edited it."""

    annotate: int
    project: str
    person: str
    key: str
    events: str
    check: int


def write_offline(project: Project, folder: str | Path) -> list[Path]:
    """Write the file of everybody who has something to annotate to a new or empty folder, and return the files."""
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise OutputExistsError(f"{target} exists and is not an empty folder; name another one")
    documents = project.documents()
    files: dict[str | Path, bytes] = {}
    for person in project.state.people:
        tasks = project.state.tasks.get(person, [])
        if not tasks:
            continue
        me = person_content(project, person) | {"key": project.token(person, "mail")}
        parts = {"me": compressed(me)}
        for place, task in enumerate(tasks):
            parts[f"document-{place}"] = compressed(task_content(project, documents[task.document], person, task))
        name = re.sub(r"[^\w.-]", "_", person)
        while target / f"{name}.html" in files:
            name += "_"
        files[target / f"{name}.html"] = document(
            f"{project.folder.resolve().name}: {person}", parts, "annotate"
        ).encode()
    if not files:
        raise CaesuraError("nobody has anything to annotate; add documents and people first")
    target.mkdir(parents=True, exist_ok=True)
    write_together(files)
    return [Path(file) for file in files]


def collect(project: Project, path: str | Path) -> tuple[str, int, int]:
    """Take in a file that came back; return whose it is, how many of its events are new, and how many it has."""
    place = Path(path)
    try:
        if place.stat().st_size > _LARGEST:
            raise FormatError("is larger than 200 MB, which no annotated file is", place)
        returned = decode(place.read_bytes(), _Returned)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror})", place) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise FormatError("is not a file that an annotation page saved; ask for it again", place) from None
    if returned.project != project.state.settings.project:
        raise FormatError("belongs to another project; nothing was taken in", place)
    if returned.person not in project.state.people or returned.key != project.token(returned.person, "mail"):
        raise FormatError(
            f"is of {returned.person!r}, who has no such file of this project; nothing was taken in", place
        )
    try:
        if _checksum(returned.events.encode()) != returned.check:
            raise FormatError("was changed after the page saved it; ask for it again", place)
        sent = decode(returned.events.encode(), list[_Mailed])
        given = [checked(project.state, returned.person, each.client, each) for each in sent]
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise FormatError(f"holds what no page saves ({error}); nothing was taken in", place) from None
    before = project.state.number
    project.record(*given)
    return returned.person, project.state.number - before, len(given)


def _checksum(data: bytes) -> int:
    """Return the FNV-1a hash of 32 bits, which the page computes too.

    >>> _checksum(b""), _checksum(b"a")
    (2166136261, 3826002220)
    """
    value = 2166136261
    for byte in data:
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value
