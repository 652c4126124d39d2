# SPDX-License-Identifier: Apache-2.0
"""Plain text: one document a file, cut into sentences, lines or paragraphs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import DeclarationError, FormatError
from caesura.files import stem, suffix
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import read_text
from caesura.formats._sentences import check_language, sentences
from caesura.formats._spans import layout

__all__ = ["Text"]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Text(Format):
    """Plain text: a file is a document without boundaries, whose units are sentences, filled lines or paragraphs.

    Sentences are found by the rules of syntok (``language`` en, es, de) or pysbd (the others), which need the extra
    ``sentences``; lines and paragraphs, between blank lines, need none. The text itself is kept beside the units
    (``extra["text"]``, line ends as newlines), so that boundaries in characters can be projected onto them. A ``.txt`` file
    that could be another format is never taken for prose.
    """

    by: str = param("sentence", "what a unit is", choices=("sentence", "line", "paragraph"))
    language: str = param("en", "whose rules find sentences", check=check_language)

    card: ClassVar[Card] = Card(title="plain text, cut into sentences, lines or paragraphs")
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Say whether a .txt file is mostly words and looks like no other format."""
        if suffix(path) not in cls.suffixes or b"\0" in head:
            return False
        text = head.decode("utf-8", "replace")
        letters = sum(character.isalpha() for character in text)
        if not letters or 2 * letters < len("".join(text.split())):
            return False
        others = [
            other for other in FORMATS if other is not cls and other.readable and ".txt" in other.suffixes
        ]
        return not any(other.sniff(head, path) for other in others)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; `Format.read` says how."""
        text = read_text(path)
        if not text.strip():
            raise FormatError("the file is empty; it holds no document", path)
        try:
            places = sentences(text, self.language) if self.by == "sentence" else layout(text, self.by)
        except DeclarationError as error:
            raise FormatError(str(error), path) from None
        if not places.units:
            raise FormatError(f"holds no {self.by}; check what it holds", path)
        document = Document(
            id=stem(path),
            n_units=len(places.units),
            unit=places.unit,
            units=places.units,
            extra={"text": text},
        )
        return Corpus([document], name=str(path), ids_are_given=False)
