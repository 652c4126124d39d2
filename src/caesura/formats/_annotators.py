# SPDX-License-Identifier: Apache-2.0
"""Documents put together from what several annotators made of them, in one file or in many."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Document
from caesura.errors import FormatError
from caesura.segmentation import Segmentation, units_agree

__all__ = ["COMPANIONS", "Gathering", "gathered"]

COMPANIONS = frozenset({"typesystem.xml"})
"""Files that belong to others beside them and are no documents, in lower case."""


@dataclasses.dataclass
class _Entry:
    first: Document
    annotations: dict[str, Segmentation]
    places: dict[str, str]


class Gathering:
    """Codings as they come, each one annotator's of one document, checked against those before.

    Parameters
    ----------
    path : Path
        The file or folder that messages name.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: dict[str, _Entry] = {}

    def add(
        self,
        document: Document,
        annotator: str | None,
        segmentation: Segmentation | None,
        *,
        place: str = "",
        line: int | None = None,
    ) -> None:
        """Take a coding in; without an annotator only the document, which nobody has coded yet.

        Parameters
        ----------
        document : Document
            The document as this annotator saw it.
        annotator : str or None
            Who coded it.
        segmentation : Segmentation or None
            What he made of it.
        place : str
            Where the coding stands, for messages.
        line : int, optional
            The line it stands in.

        Raises
        ------
        FormatError
            If he coded the document already, or another text of it than the others.
        """
        entry = self._entries.setdefault(document.id, _Entry(document, {}, {}))
        fault = _difference(entry.first, document)
        if fault is not None:
            before = next(iter(entry.annotations), None)
            who = f"annotators {before!r} and {annotator!r} coded" if before and annotator else "there are"
            raise FormatError(
                f"document {document.id!r}: {who} different texts ({fault}); all must segment the same units",
                self._path,
                line,
            )
        if annotator is None or segmentation is None:
            return
        if annotator in entry.annotations:
            both = f" ({entry.places[annotator]} and {place})" if place else ""
            raise FormatError(
                f"document {document.id!r}: annotator {annotator!r} coded it twice{both}; keep one of them",
                self._path,
                line,
            )
        entry.annotations[annotator] = segmentation
        entry.places[annotator] = place

    def documents(self) -> list[Document]:
        """Return the documents; where one annotator is alone, his is also the document's segmentation."""
        found = []
        for entry in self._entries.values():
            only = next(iter(entry.annotations.values())) if len(entry.annotations) == 1 else None
            found.append(dataclasses.replace(entry.first, segmentation=only, annotations=entry.annotations))
        return found


def gathered(documents: Iterable[tuple[Path, Document]], path: Path) -> list[Document]:
    """Return the documents of a folder's files, those of one id with different annotators made one.

    A document that has more than the segmentations of annotators is left as it is: that it stands twice is for the
    corpus to say.
    """
    pairs = list(documents)
    groups: dict[str, list[tuple[Path, Document]]] = {}
    for source, document in pairs:
        groups.setdefault(document.id, []).append((source, document))
    made: list[Document] = []
    for group in groups.values():
        coded = any(document.annotations for _, document in group)
        if len(group) == 1 or not coded or not all(_is_codings(document) for _, document in group):
            made.extend(document for _, document in group)
            continue
        together = Gathering(path)
        for source, document in group:
            for annotator, segmentation in document.annotations.items() or ((None, None),):
                together.add(document, annotator, segmentation, place=repr(source.name))
        made.extend(together.documents())
    return made


def _is_codings(document: Document) -> bool:
    """Say whether a document has no segmentation but those of its annotators."""
    only = next(iter(document.annotations.values())) if len(document.annotations) == 1 else None
    return (bool(document.annotations) or document.units is not None) and document.segmentation == only


def _difference(one: Document, other: Document) -> str | None:
    """Return how the texts of two documents differ, or None if they do not."""
    if not units_agree(one.unit, other.unit):
        return f"in the unit {one.unit!r} and in {other.unit!r}"
    if one.n_units != other.n_units:
        return f"of {one.n_units} and of {other.n_units} units"
    if one.units is not None and other.units is not None:
        for number, (this, that) in enumerate(zip(one.units, other.units, strict=True), start=1):
            if this != that:
                return f"unit {number} is {_short(this)} and {_short(that)}"
    return None


def _short(text: str) -> str:
    return repr(text if len(text) <= 30 else text[:29] + "…")
