# SPDX-License-Identifier: Apache-2.0
"""Plain text: one document per file or per line of JSON, split into sentences, lines or paragraphs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import DeclarationError, FormatError
from caesura.files import stem, suffix
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._files import faults, read_text
from caesura.formats._json import json_object
from caesura.formats._lines import filled_lines
from caesura.formats._sentences import check_language, sentences
from caesura.formats._spans import layout

__all__ = ["Text"]

_RECORDS = (".jsonl", ".ndjson")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Text(Format):
    """Plain text: one document without boundaries, whose units are sentences, non-blank lines or paragraphs.

    Sentences are found by syntok (``language`` en, es, de) or pysbd (other languages), which the extra ``sentences``
    installs; lines and paragraphs (separated by blank lines) need no extra. The text itself is kept in
    ``extra["text"]`` with newlines as line ends, so that boundaries in characters can be projected onto the units. A
    ``.txt`` file that could be in another format is never read as plain text.

    A ``.jsonl`` file of whole texts, ``{"id": "d1", "text": "…"}`` on each line, is read if the format is given
    (``docs.jsonl::text``). It is never detected, since the lines could also be the chunks of one document.
    """

    by: str = param("sentence", "the unit of the text", choices=("sentence", "line", "paragraph"))
    language: str = param("en", "the language whose rules split sentences", check=check_language)

    card: ClassVar[Card] = Card(title="plain text, split into sentences, lines or paragraphs")
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)
    sample: ClassVar[Sample] = {"text": None}
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether a .txt file is mostly words and does not look like another format."""
        if suffix(path) not in cls.suffixes or b"\0" in head:
            return False
        text = head.decode("utf-8", "replace")
        letters = sum(character.isalpha() for character in text)
        if not letters or 2 * letters < len("".join(text.split())):
            return False
        others = [other for other in FORMATS if other is not cls and ".txt" in other.suffixes]
        return not any(other.sniff(head, path) for other in others)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        text = read_text(path)
        if suffix(path) not in _RECORDS:
            return Corpus([self.document(stem(path), text)], name=str(path), ids_are_given=False)
        documents = []
        for number, line in filled_lines(text):
            with faults(line=number):
                name, whole = _record(line)
                documents.append(self.document(name, whole))
        return Corpus(documents, name=str(path))

    def document(self, name: str, text: str) -> Document:
        """Return a text as a document with the given id."""
        try:
            places = sentences(text, self.language) if self.by == "sentence" else layout(text, self.by)
        except DeclarationError as error:
            raise FormatError(str(error)) from None
        if not places.units:
            raise FormatError(f"contains no {self.by}; check its content")
        return Document(id=name, n_units=len(places.units), unit=places.unit, units=places.units, extra={"text": text})


def _record(line: str) -> tuple[str, str]:
    """Return the id and the text of a line of JSON."""
    record = json_object(line, 'write {"id": …, "text": …} on each line')
    name, text = record.get("id"), record.get("text")
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise FormatError('has no "id"; every document needs a unique one')
    if not isinstance(text, str):
        raise FormatError(f'document {str(name)!r} has no "text"; give the whole text as one string')
    return str(name), text.replace("\r\n", "\n").replace("\r", "\n")
