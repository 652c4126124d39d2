# SPDX-License-Identifier: Apache-2.0
"""Split plain text into sentences with the rules of other libraries, keeping their offsets.

syntok supports English, Spanish and German, pysbd more than twenty languages. Both are run on each paragraph, so that no
sentence crosses a blank line, and their output is aligned to the text, so that every sentence is a span of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from caesura.errors import DeclarationError
from caesura.formats._files import library
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
    """Return what is wrong with a language code, or None."""
    if language in _PYSBD:
        return None
    return f"must be one of {', '.join(_PYSBD)}; for another language, choose the most similar one, or by='line' or by='paragraph'"


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
