# SPDX-License-Identifier: Apache-2.0
"""The base class of formats, and their registry."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from caesura.batches.flat import Flat
from caesura.corpus import Corpus, Document
from caesura.declare import Card, Declared, Registry, parameters, snake_case
from caesura.errors import DeclarationError, FormatError
from caesura.formats._files import faults, notice, write_binary
from caesura.formats._json import top_keys
from caesura.segmentation import Segmentation

_OF_UNITS = ("units", "speakers", "unit_times")
ASPECTS = ("segmentation", "segment_titles", *_OF_UNITS, "annotations", "scores", "hierarchy", "extra")
"""The fields of a document that a format may keep besides id, length and unit."""

_Masses = tuple[int, ...] | None  # of a segmentation, if there is one
Sample = Mapping[str, _Masses | Mapping[str, _Masses]]
"""The segment lengths of documents, by id; where several people segmented a document, by name."""


EMPTY = "no chapter, so one segment"
"""What is done about a list of chapters without any."""


class Irregular(FormatError):
    """A list of chapters that breaks the rules; ``corpus`` is what is left of it when it is repaired.

    A reference is refused with the first fault. Of a system, whose faults are findings, the repaired list is scored, and
    ``extra["repaired"]`` of the document says what was done (`caesura.formats.load`, ``repair``), and ``extra["faults"]`` where.
    """

    def __init__(self, message: str, corpus: Corpus, line: int | None = None) -> None:
        super().__init__(message, line=line)
        self.corpus = corpus


@dataclasses.dataclass(frozen=True)
class Format(Declared):
    """A file format for segmentations.

    A subclass declares its options as parameters and the facts below as class variables, and implements `read`,
    `encode` if it is written, and `sniff` unless ``begins`` or ``json_key`` says enough. Reading reports every fault as a `FormatError` with, where possible, its line; `load` adds the file.

    Attributes
    ----------
    suffixes : tuple of str
        The file name suffixes of the format, in lower case and without a compression suffix.
    sample : mapping
        What ``samples/<name>.<suffix>``, which `describe_format` shows, holds: id to segment lengths, or to those of each
        annotator. Empty for files that people do not read.
    writable : bool
        Whether the format can be written, not only read.
    many : bool
        Whether one file may hold several documents.
    unit : str or None
        The only unit that can be written, if there is only one.
    keeps : frozenset of str
        The data that survive writing and reading: ``"ids"``, and attributes of `Document`.
    begins : bytes
        What every file begins with, if that tells the format.
    json_key : str
        A key of the outermost JSON object that tells the format.
    general : bool
        Whether other formats that fit a file go first.
    folder_files : frozenset of str
        Names of files without documents; a folder that holds all of them is read as a whole.
    """

    card: ClassVar[Card]
    suffixes: ClassVar[tuple[str, ...]] = ()
    sample: ClassVar[Sample] = {}
    writable: ClassVar[bool] = True
    many: ClassVar[bool] = False
    unit: ClassVar[str | None] = None
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation"})
    begins: ClassVar[bytes] = b""
    json_key: ClassVar[str] = ""
    general: ClassVar[bool] = False
    folder_files: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def name(cls) -> str:
        """Return the registered name: the class name in snake case."""
        return snake_case(cls.__name__)

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether a file looks like this format, by default by ``begins`` or ``json_key``.

        Called with the decompressed start of the file when its suffix leaves several formats, or none.
        """
        if cls.json_key:
            return cls.json_key in top_keys(head)
        return bool(cls.begins) and head.startswith(cls.begins)

    def parts(self, path: Path) -> list[Path]:
        """Return the files that hold the documents of a path: a file itself, or the files of a folder that is read as a whole."""
        if not path.is_dir():
            return [path]
        return sorted(entry for entry in path.iterdir() if entry.is_file() and not entry.name.startswith("."))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file.

        Parameters
        ----------
        path : Path
            The file.
        strict : bool
            Whether to raise an error instead of a warning.

        Raises
        ------
        FormatError
            If the file is not valid in this format.
        """
        raise NotImplementedError  # pragma: no cover - every format has its own

    def with_marks(self, marks: str | None) -> Format:
        """Return the format with a value of its option ``marks``; a format without it, or without this value, stays."""
        offered = next((each.choices for each in parameters(self) if each.name == "marks"), ())
        option: dict[str, Any] = {"marks": marks}
        return dataclasses.replace(self, **option) if marks in offered else self

    def with_columns(self, columns: str) -> Format:
        """Return the format with a value of its option ``columns``; a format without it stays."""
        option: dict[str, Any] = {"columns": columns}
        return dataclasses.replace(self, **option) if any(each.name == "columns" for each in parameters(self)) else self

    def by_place(self, path: Path) -> Format:
        """Return the format with the columns of annotators named by their places, which hides who they are."""
        return self

    def encode(self, corpus: Corpus) -> Iterable[bytes]:
        """Yield the bytes of a file in chunks."""
        raise FormatError(f"the format {self.name()} cannot be written, only read")

    def write(self, corpus: Corpus, path: Path) -> None:
        """Write a corpus to a file, completely or not at all.

        One warning names everything that the format cannot hold.
        """
        with faults(path):
            self._check_corpus(corpus)
            with write_binary(path) as stream:
                for piece in self.encode(corpus):
                    stream.write(piece)
        lost = self._lost(corpus)
        if lost:
            notice(f"the format {self.name()} cannot hold {', '.join(lost)}; not written", path)

    def _check_corpus(self, corpus: Corpus) -> None:
        """Refuse a corpus that a file of this format cannot hold at all."""
        if not len(corpus):
            raise FormatError("the corpus is empty; there is no document to write")
        if not self.many and len(corpus) != 1:
            what = f"the format {self.name()} holds one document per file, but the corpus has {len(corpus)}"
            raise FormatError(f"{what}; choose another format, such as jsonl")
        if self.unit is not None and corpus.unit != self.unit:
            what = f"the format {self.name()} counts {self.unit!r}, but the corpus counts {corpus.unit!r}"
            raise FormatError(f"{what}; project it first (caesura convert --project, or caesura.project)")

    def _lost(self, corpus: Corpus) -> list[str]:
        """Return what the documents have but the format does not keep."""
        wanted = [aspect for aspect in ASPECTS if aspect not in self.keeps]
        lost = {aspect for document in corpus for aspect in wanted if _has(document, aspect)}
        named = [aspect for aspect in wanted if aspect in lost]
        if "n_units" not in self.keeps and not all(document.open_ended for document in corpus):
            named.insert(0, "the length")
        return ["the ids", *named] if "ids" not in self.keeps and corpus.ids_are_given else named


def _has(document: Document, aspect: str) -> bool:
    if aspect == "segmentation":
        return document.segmentation is not None
    if aspect == "segment_titles":
        return aspect in document.extra
    if aspect == "extra":
        return bool(document.extra.keys() - {"segment_titles"})
    return bool(getattr(document, aspect))


def counted(segmentations: Sequence[Segmentation], name: str) -> Corpus:
    """Return documents whose ids are their positions in the file."""
    ids = [str(place) for place in range(1, len(segmentations) + 1)]
    return Corpus.from_flat(ids, Flat.from_segmentations(segmentations), name=name, ids_are_given=False)


def segmented(corpus: Corpus) -> Iterator[tuple[Document, Segmentation]]:
    """Yield each document with its segmentation, which is required."""
    for document in corpus:
        if document.segmentation is None:
            raise FormatError(f"document {document.id!r} has no segmentation to write")
        yield document, document.segmentation


FORMATS: Registry[Format] = Registry("format", "caesura.formats", DeclarationError)
