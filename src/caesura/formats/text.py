# SPDX-License-Identifier: Apache-2.0
"""Plain text: one document per file or per line of JSON, split into sentences, lines or paragraphs.

Sentences are split by the rules of other libraries: syntok supports English, Spanish and German, pysbd more than twenty
languages. Both are run on each paragraph, so that no sentence crosses a blank line, and their output is aligned to the
text, so that every sentence is a span of it.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import DeclarationError, FormatError
from caesura.files import stem, suffix
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._files import faults, filled_lines, library, read_text
from caesura.formats._json import json_object
from caesura.formats._spans import Layout, Span, layout, trimmed

__all__ = ["Text", "sentences"]

_RECORDS = (".jsonl", ".ndjson")
_SYNTOK = ("de", "en", "es")
_PYSBD = ["am", "ar", "bg", "da", "de", "el", "en", "es", "fa", "fr", "hi", "hy"]
_PYSBD += ["it", "ja", "kk", "mr", "my", "nl", "pl", "ru", "sk", "ur", "zh"]


def _check_language(language: object) -> str | None:
    """Return what is wrong with a language code, or None."""
    if language in _PYSBD:
        return None
    return f"must be one of {', '.join(_PYSBD)}; for another language, choose the most similar one, or by='line' or by='paragraph'"


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
    language: str = param("en", "the language whose rules split sentences", check=_check_language)

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


def sentences(text: str, language: str) -> Layout:
    """Return the sentences of a text with their spans."""
    cut = _by_syntok if language in _SYNTOK else _by_pysbd
    rules = _library("syntok.segmenter" if language in _SYNTOK else "pysbd", language)
    spans: list[Span] = []
    for start, end in layout(text, "paragraph").spans:
        paragraph = text[start:end]
        edges = sorted({0, *cut(rules, paragraph, language), len(paragraph)})
        for first, last in pairwise(edges):
            span = trimmed(Span(start + first, start + last), text)
            if span.start < span.end:
                spans.append(span)
    return Layout("sentence", spans, tuple(text[start:end] for start, end in spans))


def _library(name: str, language: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pysbd uses escapes that newer Pythons warn about
        return library(name, f"splitting a text into sentences (language {language!r})", "sentences")


def _by_syntok(rules: Any, paragraph: str, language: str) -> Iterator[int]:
    for part in rules.analyze(paragraph):
        for sentence in part:
            if sentence:
                yield sentence[0].offset


def _by_pysbd(rules: Any, paragraph: str, language: str) -> Iterator[int]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parts = rules.Segmenter(language=language, clean=False).segment(paragraph)
    except Exception as error:  # its regular expressions are built from the text and may be invalid
        raise DeclarationError(
            f"pysbd cannot split this text ({type(error).__name__}); read it with by='line' or by='paragraph'"
        ) from None
    place = 0
    for sentence in parts:
        start = paragraph.find(sentence.strip(), place)
        # A sentence that pysbd altered cannot be aligned; it is joined to the previous one.
        if start >= 0 and sentence.strip():
            yield start
            place = start + len(sentence.strip())
