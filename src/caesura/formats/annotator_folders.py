# SPDX-License-Identifier: Apache-2.0
"""A folder per annotator with a file per document, or a folder per document with a file per annotator."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import CaesuraWarning, FormatError
from caesura.files import stem, suffix
from caesura.formats._annotators import (
    COMPANIONS,
    NOBODY,
    Gathering,
    documents_folder,
    is_project,
    project_members,
    sole,
)
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._detect import detect
from caesura.formats._files import faults, notice, plural, unzipping
from caesura.formats._flags import Unclear
from caesura.limits import CONTENT
from caesura.segmentation import Segmentation

__all__ = ["AnnotatorFolders"]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class AnnotatorFolders(Format):
    """A folder per annotator, in each a file per document: ``anna/doc1.jsonl``, ``ben/doc1.jsonl``.

    The files may have any other format that gives one segmentation per document. Files of the same name are codings of
    the same document, unless they contain document ids of their own. Subfolders become part of the id:
    ``anna/part1/doc1.tsv`` is ``part1/doc1``. Not every annotator needs every document. With ``folders='documents'``
    there is a folder per document: ``doc1/anna.tsv``. A folder that holds only folders is detected as this format; files
    beside the folders are ignored. An INCEpTION project is known by its files, as a zip archive, a folder, or its folder
    ``annotation``: it has a folder per document.
    """

    card: ClassVar[Card] = Card(
        title="a folder per annotator with a file per document, or vice versa",
        citation="The layout of bratiaa (Kolditz et al. 2019), and of INCEpTION's project export.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".annotators", ".zip")
    sample: ClassVar[Sample] = {"walk": {"ann": (3, 2), "ben": (2, 1, 2)}}
    writable: ClassVar[bool] = False
    many: ClassVar[bool] = True
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "n_units", "units", "annotations"})

    folders: str | None = param(
        None,
        "whether each folder belongs to an annotator or to a document [annotators; documents in INCEpTION projects]",
        choices=("annotators", "documents"),
    )
    files: str | None = param(None, "the format of the files, such as \"webanno(marks='first')\"")

    marks: str | None = param(
        None,
        "what labels of 0 and 1, or spans, mark in the files: the option of their formats [theirs]",
        choices=("topics", "first", "last", "last_closed", "segments"),
    )

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the file is an archive of an INCEpTION project."""
        return suffix(path) == ".zip" and is_project(path)

    def parts(self, path: Path) -> list[Path]:
        """Return the files below the folders of a folder, in order."""
        root = documents_folder(path) or path
        folders = (entry for entry in _entries(root) if entry.is_dir()) if root.is_dir() else ()
        return [file for folder in folders for file in _files(folder)]

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a folder or an archive; see `Format.read`."""
        if path.is_dir():
            found = documents_folder(path)
            layout = self.folders or ("documents" if found else "annotators")
            return dataclasses.replace(self, folders=layout)._read(path, found or path, strict)
        if suffix(path) != ".zip":
            raise FormatError("is a file; name a folder with one folder per annotator")
        with _unpacked(path) as folder:
            return dataclasses.replace(self, folders=self.folders or "documents")._read(path, folder, strict)

    def _read(self, path: Path, root: Path, strict: bool) -> Corpus:
        """Read the folders in ``root``, which belong to a path."""
        inner = None if self.files is None else FORMATS.parse(self.files)
        gathering = Gathering()
        for file in self.parts(root):
            self._add(gathering, root / file.relative_to(root).parts[0], file, inner, strict)
        beside = sum(not entry.is_dir() and not entry.name.startswith(".") for entry in root.iterdir())
        if beside:
            notice(f"{plural(beside, 'file', 'files')} next to the folders ignored", path, strict=strict)
        documents = gathering.documents()
        if not documents:
            raise FormatError("contains no folder with files; make one per annotator")
        return Corpus(documents, name=str(path))

    def _add(self, gathering: Gathering, folder: Path, file: Path, inner: Format | None, strict: bool) -> None:
        """Read one file and add its annotator's coding of each document."""
        with faults(file):
            try:
                corpus = (inner or detect(file)).with_marks(self.marks).read(file, strict=strict)
            except Unclear as error:
                raise error.within(file) from None
            segmentations = [_only(document) for document in corpus]
        below = file.relative_to(folder).parent
        for document, segmentation in zip(corpus, segmentations, strict=True):
            name, annotator = (below / stem(file)).as_posix(), folder.name
            if self.folders == "documents":
                name, annotator = folder.name, stem(file)
            if corpus.ids_are_given:
                name = document.id
            elif len(corpus) > 1:
                name = f"{name}/{document.id}"
            bare = dataclasses.replace(document, id=name, segmentation=None, annotations={}, scores=None)
            gathering.add(bare, annotator, segmentation, place=repr(str(file.relative_to(folder.parent))))


@contextlib.contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """Unpack the annotators' files of a project; warnings and errors about them name the archive, not the copy."""
    with tempfile.TemporaryDirectory() as copy, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with unzipping(path) as (archive, member):
            _unpack(archive.namelist(), member, Path(copy))
        try:
            yield Path(copy)
        except FormatError as error:
            if isinstance(error, Unclear) or error.path is None:
                raise
            where = f"{error.path}:" if error.line is None else f"{error.path}:{error.line}:"
            message = str(error).removeprefix(where).strip()
            raise FormatError(message, error.path.replace(copy, str(path)), error.line) from None
    for each in caught:
        warnings.warn(CaesuraWarning(str(each.message).replace(copy, str(path))), stacklevel=6)


def _unpack(names: Sequence[str], member: Callable[[str], bytes], folder: Path) -> None:
    """Write the annotators' files of an archive to a folder."""
    total = 0
    for name, inside in project_members(names).items():
        if f"/{NOBODY}." in inside:
            continue
        if {"..", "\\", ":", "\0"} & {*inside.split("/"), *inside}:
            raise FormatError(f"{name[:60]!r} in it is not the name of a file; pack it again")
        data = member(name)
        total += len(data)
        if total > CONTENT.value:
            raise FormatError(CONTENT.refusal("expands to more than"))
        (folder / inside).parent.mkdir(exist_ok=True)
        (folder / inside).write_bytes(data)


def _entries(folder: Path) -> list[Path]:
    return sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and its subfolders in order, without companion files and uncoded documents."""
    for entry in _entries(folder):
        if entry.is_dir():
            yield from _files(entry)
        elif entry.name.casefold() not in COMPANIONS and stem(entry) != NOBODY:
            yield entry


def _only(document: Document) -> Segmentation:
    """Return the only segmentation of a document."""
    segmentation = sole(document.annotations) if document.segmentation is None else document.segmentation
    if segmentation is None:
        annotators = plural(len(document.annotations), "annotator", "annotators")
        remedy = "in an annotator's folder, each document must have exactly one segmentation"
        raise FormatError(f"document {document.id!r} has {annotators} and no segmentation; {remedy}")
    return segmentation
