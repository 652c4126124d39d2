# SPDX-License-Identifier: Apache-2.0
"""A folder per annotator with a file per document, or a folder per document with a file per annotator."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._annotators import COMPANIONS, Gathering
from caesura.formats._base import FORMATS, Format
from caesura.formats._detect import detect
from caesura.formats._files import faults, notice, plural
from caesura.segmentation import Segmentation

__all__ = ["AnnotatorFolders"]

_NOBODY = "INITIAL_CAS"


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class AnnotatorFolders(Format):
    """A folder per annotator, in each a file per document: ``anna/doc1.jsonl``, ``ben/doc1.jsonl``.

    The files are in any other format that gives one segmentation a document, and those of one name are codings of one
    document; what a file itself calls its documents comes first. Folders may have folders, which become part of the
    names (``anna/part1/doc1.tsv`` is ``part1/doc1``). Not every annotator needs every document. With
    ``folders='documents'`` it is the other way round, as INCEpTION exports a project: ``doc1/anna.tsv``. A folder that
    holds nothing but folders is read in this format without being told; files beside the folders are passed over.
    """

    card: ClassVar[Card] = Card(
        title="a folder per annotator with a file per document, or the other way round",
        citation="The layout of bratiaa (Kolditz et al. 2019), and of INCEpTION's project export.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".annotators",)
    writable: ClassVar[bool] = False
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "n_units", "units", "annotations"})

    folders: str = param("annotators", "what each folder stands for", choices=("annotators", "documents"))
    files: str | None = param(None, "the format of the files, such as \"webanno(marks='first')\"")

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a folder; `Format.read` says how."""
        if not path.is_dir():
            raise FormatError("is a file, not a folder with a folder for each annotator", path)
        inner = None if self.files is None else FORMATS.parse(self.files)
        beside = 0
        made = Gathering(path)
        for entry in sorted(path.iterdir()):
            if entry.name.startswith("."):
                continue
            if not entry.is_dir():
                beside += 1
                continue
            for file in _files(entry):
                self._add(made, entry, file, inner, strict)
        if beside:
            notice(f"{plural(beside, 'file', 'files')} beside the folders passed over", path, strict=strict)
        documents = made.documents()
        if not documents:
            raise FormatError("holds no folder with a file in it; each annotator needs one", path)
        return Corpus(documents, name=str(path))

    def _add(self, made: Gathering, folder: Path, file: Path, inner: Format | None, strict: bool) -> None:
        """Read one file and take in what its annotator made of each document."""
        chosen = inner or detect(file)
        with faults(file):
            corpus = chosen.read(file, strict=strict)
        below = file.relative_to(folder).parent
        for document in corpus:
            name, annotator = (below / stem(file)).as_posix(), folder.name
            if self.folders == "documents":
                name, annotator = folder.name, stem(file)
            if corpus.ids_are_given:
                name = document.id
            elif len(corpus) > 1:
                name = f"{name}/{document.id}"
            bare = dataclasses.replace(document, id=name, segmentation=None, annotations={}, scores=None)
            made.add(bare, annotator, _only(document, file), place=repr(str(file.relative_to(folder.parent))))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, in order; what belongs to a file or to nobody is left out."""
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _files(entry)
        elif entry.name.casefold() not in COMPANIONS and stem(entry) != _NOBODY:
            yield entry


def _only(document: Document, file: Path) -> Segmentation:
    """Return the one segmentation of a document."""
    if document.segmentation is not None:
        return document.segmentation
    if len(document.annotations) == 1:
        return next(iter(document.annotations.values()))
    raise FormatError(
        f"document {document.id!r} has {plural(len(document.annotations), 'annotator', 'annotators')} and no "
        "segmentation; in a folder of an annotator each document has one segmentation",
        file,
    )
