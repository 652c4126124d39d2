# SPDX-License-Identifier: Apache-2.0
"""Collect the segmentations of several annotators, from one file or many, into documents."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Document
from caesura.errors import FormatError
from caesura.segmentation import Segmentation, units_agree

__all__ = ["COMPANIONS", "Gathering", "gathered"]

COMPANIONS = frozenset({"typesystem.xml"})
"""Names in lower case of files that accompany others and hold no document."""


@dataclasses.dataclass
class _Entry:
    first: Document
    annotations: dict[str, Segmentation]
    places: dict[str, str]


class Gathering:
    """Collects codings, each of one document by one annotator, and checks that they fit together.

    Parameters
    ----------
    path : Path
        The file or folder, for messages.
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
        """Add a coding, or, without an annotator, a document that has not been coded yet.

        Parameters
        ----------
        document : Document
            The document as this annotator saw it.
        annotator : str or None
            The annotator.
        segmentation : Segmentation or None
            The annotator's segmentation.
        place : str
            Where the coding comes from, for messages.
        line : int, optional
            The line of the coding.

        Raises
        ------
        FormatError
            If the annotator has coded the document already, or coded another text than the others.
        """
        entry = self._entries.setdefault(document.id, _Entry(document, {}, {}))
        fault = _difference(entry.first, document)
        if fault is not None:
            before = next(iter(entry.annotations), None)
            who = f"annotators {before!r} and {annotator!r} coded" if before and annotator else "has"
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
                f"document {document.id!r}: annotator {annotator!r} coded it twice{both}; keep one",
                self._path,
                line,
            )
        entry.annotations[annotator] = segmentation
        entry.places[annotator] = place

    def documents(self) -> list[Document]:
        """Return the documents; the segmentation of a sole annotator is also the document's."""
        found = []
        for entry in self._entries.values():
            only = next(iter(entry.annotations.values())) if len(entry.annotations) == 1 else None
            found.append(dataclasses.replace(entry.first, segmentation=only, annotations=entry.annotations))
        return found


def gathered(documents: Iterable[tuple[Path, Document]], path: Path) -> list[Document]:
    """Return the documents of a folder's files, merging those of one id with different annotators.

    A document that has more than annotators' segmentations is left as it is; the corpus reports the repeated id.
    """
    pairs = list(documents)
    groups: dict[str, list[tuple[Path, Document]]] = {}
    for source, document in pairs:
        groups.setdefault(document.id, []).append((source, document))
    merged: list[Document] = []
    for group in groups.values():
        coded = any(document.annotations for _, document in group)
        if len(group) == 1 or not coded or not all(_is_codings(document) for _, document in group):
            merged.extend(document for _, document in group)
            continue
        together = Gathering(path)
        for source, document in group:
            for annotator, segmentation in document.annotations.items() or ((None, None),):
                together.add(document, annotator, segmentation, place=repr(source.name))
        merged.extend(together.documents())
    return merged


def _is_codings(document: Document) -> bool:
    """Return whether a document has no segmentation but those of its annotators."""
    only = next(iter(document.annotations.values())) if len(document.annotations) == 1 else None
    return (bool(document.annotations) or document.units is not None) and document.segmentation == only


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
