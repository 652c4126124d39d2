# SPDX-License-Identifier: Apache-2.0
"""What a format is, and the registry of all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, Declared, Registry, snake_case
from caesura.errors import DeclarationError, FormatError
from caesura.formats._files import notice, write_binary

__all__ = ["ASPECTS", "FORMATS", "Format"]

ASPECTS = (
    "segmentation",
    "segment_titles",
    "units",
    "speakers",
    "unit_times",
    "annotations",
    "scores",
    "hierarchy",
    "extra",
)
"""What a format may keep of a document besides ids, length and unit."""


@dataclasses.dataclass(frozen=True)
class Format(Declared):
    """A way to write segmentations down in a file.

    A subclass declares its options as parameters, the facts below as class variables, and implements `read` and
    `encode`. Reading turns every fault of the file into a `FormatError` that names the file and, where it has one,
    the line.

    Attributes
    ----------
    suffixes : tuple of str
        The file name suffixes it goes by, lower-case, the compression suffix aside.
    readable, writable : bool
        What it can do.
    many : bool
        Whether one file holds any number of documents; otherwise it holds one.
    unit : str or None
        The only unit it can write, where there is only one.
    keeps : frozenset of str
        What of a document comes back after writing and reading: ``"ids"``, and attributes of `Document`.
    """

    card: ClassVar[Card]
    suffixes: ClassVar[tuple[str, ...]] = ()
    readable: ClassVar[bool] = True
    writable: ClassVar[bool] = True
    many: ClassVar[bool] = False
    unit: ClassVar[str | None] = None
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation"})

    @classmethod
    def name(cls) -> str:
        """Return the registered name: the class name in snake case."""
        return snake_case(cls.__name__)

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Say whether the first bytes of a file look like this format."""
        return False

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file.

        Parameters
        ----------
        path : Path
            The file.
        strict : bool
            Whether what would be a warning is an error.

        Raises
        ------
        FormatError
            If the file is not what the format says.
        """
        raise FormatError(f"the format {self.name()} cannot be read, only written", path)

    def encode(self, corpus: Corpus) -> Iterable[bytes]:
        """Return the bytes of a file, in pieces."""
        raise FormatError(f"the format {self.name()} cannot be written, only read")

    def write(self, corpus: Corpus, path: Path) -> None:
        """Write a corpus to a file: whole, or not at all.

        What the documents have and the format cannot hold is named in one warning.
        """
        if not len(corpus):
            raise FormatError("there is no document to write", path)
        if not self.many and len(corpus) != 1:
            raise FormatError(
                f"the format {self.name()} holds one document a file, the corpus has {len(corpus)}; "
                "write another format, such as jsonl",
                path,
            )
        if self.unit is not None and corpus.unit != self.unit:
            raise FormatError(
                f"the format {self.name()} counts the unit {self.unit!r}, the corpus {corpus.unit!r}; "
                "project it first (caesura convert --project, or caesura.project)",
                path,
            )
        try:
            with write_binary(path) as stream:
                stream.writelines(self.encode(corpus))
        except FormatError as error:
            raise error if error.path else FormatError(str(error), path) from None
        lost = self._lost(corpus)
        if lost:
            notice(f"the format {self.name()} cannot hold {', '.join(lost)} of the documents; left out", path)

    def _lost(self, corpus: Corpus) -> list[str]:
        """Return what the documents have and the format does not keep."""
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


FORMATS: Registry[Format] = Registry("format", "caesura.formats", DeclarationError)
