# SPDX-License-Identifier: Apache-2.0
"""Plain text: one document per file or per line of JSON, split into sentences, lines or paragraphs.

Sentences are split by the rules of other libraries: syntok supports English, Spanish and German, pysbd more than twenty
languages. Both are run on each paragraph, so that no sentence crosses a blank line, and their output is aligned to the
text, so that every sentence is a span of it.
"""

from __future__ import annotations

import bisect
import dataclasses
import re
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
    """Yield where sentences begin, by syntok on the words that it looks at: a text of 12 kB in 4 ms, in place of 12 (`_far_words`).

    Whether a sentence ends at a mark depends on the word before it and the word behind it, and on what stands in brackets.
    """
    if not _INNER_MARK.search(paragraph):
        yield 0
        return
    shorter, places, removed = _far_words(paragraph)
    for part in rules.analyze(shorter):
        for sentence in part:
            if sentence:
                place = sentence[0].offset
                yield place + removed[bisect.bisect_right(places, place)]


_SPACE = r"[\s\u200b]+"
_IN_WORDS = r"\w'\"\u2019\u201c\u201d,:/#$%&*+<=>@\\^`|~\u2013\u2014-"  # no sentence ends at any of them
_INNER_MARK = re.compile(rf"[^\s{_IN_WORDS}](?:\S*\s|\W*\w)|[^\s.!?){_IN_WORDS}]")
_FAR = re.compile(rf"(?<![^\s\u200b])([{_IN_WORDS}]+{_SPACE})(?:[{_IN_WORDS}]+{_SPACE})+(?=[{_IN_WORDS}]+{_SPACE})")
_BRACKET = re.compile(r"[()\[\]{}]")
# Brackets of other scripts, what is white space to some libraries only, and brackets that syntok takes for a part of a longer mark.
_FOREIGN = re.compile(r"[\x1c-\x1f\u2300-\u23ff\u2980-\u2fff\u3000-\u303f\ufd00-\ufe6f\uff00-\uffef]")
_LONGER = re.compile(r"(?<!\S)(?:[^\w\s]+[()\[\]{}]|[()\[\]{}][^\w\s])[^\w\s]*(?!\S)")


def _far_words(paragraph: str) -> tuple[str, list[int], list[int]]:
    """Return a paragraph without plain words that are neither first nor last of a run and not in brackets, and what was removed up to each place.

    >>> _far_words("This is one sentence. It has some (few) words.")
    ('This one sentence. It some (few) words.', [5, 22], [0, 3, 7])
    """
    if _FOREIGN.search(paragraph) or (_BRACKET.search(paragraph) and _LONGER.search(paragraph)):
        return paragraph, [], [0]
    kept, places, removed, done, length = [], [], [0], 0, 0
    for start, end in _outside(paragraph):
        for match in _FAR.finditer(paragraph, start, end):
            kept.append(paragraph[done : match.end(1)])
            length += match.end(1) - done
            done = match.end()
            places.append(length)
            removed.append(done - length)
    kept.append(paragraph[done:])
    return "".join(kept), places, removed


def _outside(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a paragraph outside brackets; one that is not closed reaches to the end."""
    depth = start = 0
    for match in _BRACKET.finditer(paragraph):
        if match[0] in "([{":
            if not depth:
                yield start, match.start()
            depth += 1
        elif depth:
            depth -= 1
            start = match.end()
    if not depth:
        yield start, len(paragraph)


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
