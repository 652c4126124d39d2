# SPDX-License-Identifier: Apache-2.0
"""Chroma's chunking benchmark: texts, and questions with the spans that answer them."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.datasets.folders import files_below
from caesura.errors import FormatError
from caesura.formats import faults, read_bytes
from caesura.strict_json import decode

__all__ = ["Chroma", "Question", "corpus_text", "questions"]

_QUESTIONS = "questions_df.csv"


class _Reference(msgspec.Struct):
    start_index: int
    end_index: int
    content: str = ""


class Question(NamedTuple):
    """A question, its text, the character spans that answer it, and their content."""

    text: str
    corpus: str
    spans: tuple[tuple[int, int], ...]
    quotes: tuple[str, ...] = ()


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class Chroma(Dataset):
    """Five long texts without boundaries, and 472 questions whose answers are spans of them.

    A unit is a line. Under ``text`` a document holds its text as it is, and under ``questions`` its questions with the spans that
    answer them (``spans`` has all of these), in characters of the text: a file of these documents is both DOCS and SPANS of ``caesura spans``.
    """

    card = DatasetCard(
        title="five texts, and questions with the spans that answer them",
        citation="Smith, B., and Troynikov, A. (2024). Evaluating chunking strategies for retrieval. Chroma technical report.",
        source="github.com/brandonstarxel/chunking_evaluation (general_evaluation_data)",
        licence="MIT (questions); the texts have their own licences",
        unit="line",
        boundary="none; questions have spans of characters",
        files="questions_df.csv and corpora/NAME.md for each corpus_id",
        serves="chunkers (reproduce chroma2024)",
    )
    patterns = (_QUESTIONS,)

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the texts."""
        asked = questions(folder)
        for name in dict.fromkeys(question.corpus for question in asked):
            text = corpus_text(folder, name)
            about = [question for question in asked if question.corpus == name]
            spans = [list(span) for question in about for span in question.spans]
            quotes = [quote for question in about for quote in question.quotes]
            for (start, end), quote in zip(spans, quotes, strict=True):
                if end > len(text) or (quote and text[start:end] != quote):
                    raise FormatError(
                        f"does not match the quotation in {_QUESTIONS} at {start} to {end}; it is another version",
                        _file(folder, name),
                    )
            lines = [line for line in text.splitlines() if line.strip()]
            asking = [
                {"question": question.text, "spans": [list(span) for span in question.spans]} for question in about
            ]
            extra = {"text": text, "spans": spans, "questions": asking, "spans_in": "character"}
            yield built(name, self.card.unit, lines, None, tally, extra=extra)


def corpus_text(folder: Path, name: str) -> str:
    """Return the text of a corpus with its original line ends, which spans count."""
    file = _file(folder, name)
    try:
        return read_bytes(file).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start} is not UTF-8; download the file again", file) from None


def _file(folder: Path, name: str) -> Path:
    if "/" in name or "\\" in name:
        raise FormatError(f"{name!r} is not the name of a corpus", folder)
    return files_below(folder, [f"{name}.md"], "Chroma", Chroma.card.files)[0]


def questions(folder: Path) -> list[Question]:
    """Return the questions, in the order of the file."""
    (file, *_) = files_below(folder, [_QUESTIONS], "Chroma", Chroma.card.files)
    found: list[Question] = []
    with faults(file):
        try:
            rows = csv.DictReader(io.StringIO(read_bytes(file).decode("utf-8"), newline=""))
            for row in rows:
                spans = decode((row["references"] or "").encode(), list[_Reference])
                places = tuple((span.start_index, span.end_index) for span in spans)
                if not places or any(not 0 <= start < end for start, end in places):
                    raise FormatError("a question has no span, or an empty one", line=rows.line_num)
                quotes = tuple(span.content for span in spans)
                found.append(Question(row["question"] or "", row["corpus_id"] or "", places, quotes))
        except (KeyError, csv.Error, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise FormatError(
                f"is not a table of question, references and corpus_id ({' '.join(str(error).split())})"
            ) from None
    if not found:
        raise FormatError("holds no question", file)
    return found
