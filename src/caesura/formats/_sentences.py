# SPDX-License-Identifier: Apache-2.0
"""Sentences of a plain text, by the rules of other libraries, with their places in it.

syntok knows English, Spanish and German, pysbd twenty-odd languages; both are read paragraph by paragraph, so that no sentence
crosses a blank line, and whatever they return is put back onto the text: a sentence is always a piece of it.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from typing import Any

from caesura.errors import DeclarationError, MissingExtraError
from caesura.formats._spans import Layout, Span, layout, trimmed

__all__ = ["check_language", "sentences"]

_SYNTOK = ("de", "en", "es")
_PYSBD = [
    "am",
    "ar",
    "bg",
    "da",
    "de",
    "el",
    "en",
    "es",
    "fa",
    "fr",
    "hi",
    "hy",
    "it",
    "ja",
    "kk",
    "mr",
    "my",
    "nl",
    "pl",
    "ru",
    "sk",
    "ur",
    "zh",
]


def check_language(language: object) -> str | None:
    """Return what is wrong with a language, or None."""
    if language in _PYSBD:
        return None
    return f"must be one of {', '.join(_PYSBD)}; for another take the rules of the nearest, or by='line', by='paragraph'"


def sentences(text: str, language: str) -> Layout:
    """Return the sentences of a text and where they lie.

    Raises
    ------
    MissingExtraError
        If the library with the rules of the language is not installed.
    """
    cut = _by_syntok if language in _SYNTOK else _by_pysbd
    rules = _library("syntok.segmenter" if language in _SYNTOK else "pysbd", language)
    spans: list[Span] = []
    for start, end in layout(text, "paragraph").spans:
        paragraph = text[start:end]
        edges = sorted({0, *cut(rules, paragraph, language), len(paragraph)})
        for first, last in zip(edges, edges[1:], strict=False):  # noqa: RUF007 - pairwise reads no better
            span = trimmed(Span(start + first, start + last), text)
            if span.start < span.end:
                spans.append(span)
    return Layout("sentence", spans, tuple(text[start:end] for start, end in spans))


def _library(name: str, language: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pysbd is written in escapes that newer Pythons warn of
            return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(
            f"splitting a text into sentences (language {language!r})", "sentences"
        ) from None


def _by_syntok(rules: Any, paragraph: str, language: str) -> Iterator[int]:
    for part in rules.analyze(paragraph):
        for sentence in part:
            if sentence:
                yield sentence[0].offset


def _by_pysbd(rules: Any, paragraph: str, language: str) -> Iterator[int]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = rules.Segmenter(language=language, clean=False).segment(paragraph)
    except (
        Exception
    ) as error:  # its rules are regular expressions built from the text, and may fail on odd ones
        raise DeclarationError(
            f"pysbd cannot split this text ({type(error).__name__}); read it with by='line' or by='paragraph'"
        ) from None
    place = 0
    for sentence in found:
        start = paragraph.find(sentence.strip(), place)
        # A sentence that pysbd changed is no edge; its words go with the one before.
        if start >= 0 and sentence.strip():
            yield start
            place = start + len(sentence.strip())
