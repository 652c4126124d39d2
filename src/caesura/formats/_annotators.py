# SPDX-License-Identifier: Apache-2.0
"""Collect the segmentations of several annotators, from one file or many, into documents."""

from __future__ import annotations

import dataclasses
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from caesura.corpus import DATES, SECONDS, TITLES, Document
from caesura.errors import FormatError
from caesura.segmentation import Segmentation, units_agree

COMPANIONS = frozenset({"typesystem.xml"})
"""Names in lower case of files that accompany others and hold no document."""

NOBODY = "INITIAL_CAS"
"""The stem of the file in which INCEpTION keeps a document before anybody annotates it."""

_CURATOR = "CURATION_USER"
_MEMBER = re.compile(r"(?:.*/)?annotation/([^/]+/[^/]+)")


def project_members(names: Sequence[str]) -> dict[str, str]:
    """Return the annotators' files of an archive of an INCEpTION project, or of its folder ``annotation``: name to DOC/FILE."""
    members = {name: match[1] for name in names if (match := _MEMBER.fullmatch(name))}
    if not members and any(f"/{NOBODY}." in name for name in names):
        members = {name: name for name in names if name.strip("/").count("/") == 1}
    return members


def is_project(archive: Path) -> bool:
    """Return whether a zip archive holds an INCEpTION project."""
    try:
        with zipfile.ZipFile(archive) as content:
            return bool(project_members(content.namelist()))
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError):
        return False


def documents_folder(path: Path) -> Path | None:
    """Return the folder of an INCEpTION project with a folder per document: ``annotation`` in it, or the path itself."""
    for folder in (path / "annotation", path):
        if folder.is_dir():
            files = (file for inner in folder.iterdir() if inner.is_dir() for file in inner.iterdir())
            alone = folder != path and all(entry.is_dir() for entry in folder.iterdir() if entry.name[0] != ".")
            exported = folder.name == "annotation" and (alone or any(folder.parent.glob("exportedproject*.json")))
            if exported or any(file.name.startswith((f"{NOBODY}.", f"{_CURATOR}.")) for file in files):
                return folder
    return None


@dataclasses.dataclass
class _Entry:
    first: Document
    annotations: dict[str, Segmentation]
    places: dict[str, str]


class Gathering:
    """Collects codings, each of one document by one annotator, and checks that they fit together."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}

    def add(
        self, document: Document, annotator: str | None, segmentation: Segmentation | None, *, place: str = ""
    ) -> None:
        """Add a coding, or, without an annotator, a document that has not been coded yet.

        Raise if an annotator codes a document twice, or codes a different text than the others; ``place`` is the source
        of the coding for the message.
        """
        entry = self._entries.setdefault(document.id, _Entry(document, {}, {}))
        said = {
            key: {**entry.first.extra.get(key, {}), **document.extra[key]}
            for key in (DATES, SECONDS, TITLES)
            if key in document.extra
        }
        if said:
            entry.first = dataclasses.replace(entry.first, extra={**entry.first.extra, **said})
        fault = _difference(entry.first, document)
        if fault is not None:
            before = next(iter(entry.annotations), None)
            who = f"annotators {before!r} and {annotator!r} coded" if before and annotator else "has"
            raise FormatError(
                f"document {document.id!r}: {who} different texts ({fault}); all must segment the same units"
            )
        if annotator is None or segmentation is None:
            return
        if annotator in entry.annotations:
            both = f" ({entry.places[annotator]} and {place})" if place else ""
            raise FormatError(f"document {document.id!r}: annotator {annotator!r} coded it twice{both}; keep one")
        entry.annotations[annotator] = segmentation
        entry.places[annotator] = place

    def documents(self) -> list[Document]:
        """Return the documents; the segmentation of a sole annotator is also the document's."""
        return [
            dataclasses.replace(entry.first, segmentation=sole(entry.annotations), annotations=entry.annotations)
            for entry in self._entries.values()
        ]


def sole(annotations: Mapping[str, Segmentation]) -> Segmentation | None:
    """Return the segmentation of a sole annotator, or None if there are several or none."""
    return next(iter(annotations.values())) if len(annotations) == 1 else None


def gathered(documents: Iterable[tuple[Path, Document]]) -> list[Document]:
    """Return the documents of a folder's files, merging those of one id with different annotators.

    A document that has more than annotators' segmentations is not merged; the corpus reports the repeated id.
    """
    groups: dict[str, list[tuple[Path, Document]]] = {}
    for source, document in documents:
        groups.setdefault(document.id, []).append((source, document))
    merged: list[Document] = []
    for group in groups.values():
        members = [document for _, document in group]
        coded = any(document.annotations for document in members)
        if len(group) > 1 and coded and all(map(_is_codings, members)):
            together = Gathering()
            for source, document in group:
                for annotator, segmentation in document.annotations.items() or ((None, None),):
                    together.add(document, annotator, segmentation, place=repr(source.name))
            members = together.documents()
        merged.extend(members)
    return merged


def _is_codings(document: Document) -> bool:
    """Return whether a document has annotators' segmentations only."""
    has_codings = bool(document.annotations) or document.units is not None
    return has_codings and document.segmentation == sole(document.annotations)


def _difference(one: Document, other: Document) -> str | None:
    """Return how the texts of two documents differ, or None if they are equal."""
    if not units_agree(one.unit, other.unit):
        return f"units {one.unit!r} and {other.unit!r}"
    if one.n_units != other.n_units:
        return f"{one.n_units} and {other.n_units} units"
    if one.units is not None and other.units is not None:
        for number, (this, that) in enumerate(zip(one.units, other.units, strict=True), start=1):
            if this != that:
                return f"unit {number} is {_short(this)} and {_short(that)}"
    return None


def _short(text: str) -> str:
    return repr(text if len(text) <= 30 else text[:29] + "…")
