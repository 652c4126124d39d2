# SPDX-License-Identifier: Apache-2.0
"""The layout of Choi's test files: one unit per line, a line of ``=`` between segments."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._base import FORMATS, Format, Sample, segmented
from caesura.formats._files import read_text, utf8
from caesura.segmentation import Segmentation

__all__ = ["Choi"]

_DELIMITER = re.compile(r"={5,}\Z")
_WRITTEN = "=========="


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Choi(Format):
    """The layout of Choi's test files: one unit per line, segments separated by a line of five or more ``=``.

    The delimiter also opens and closes the file, so empty segments are ignored, and so are blank lines; spaces around a
    unit are removed. A file is one document, named after the file.
    """

    card: ClassVar[Card] = Card(
        title="Choi's layout: one unit per line, ========== between segments",
        citation="Choi, F. Y. Y. (2000). Advances in domain independent linear text segmentation. NAACL.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".ref", ".choi", ".txt")
    sample: ClassVar[Sample] = {"choi": (2, 1)}
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "units", "n_units"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether some line is a delimiter."""
        return any(re.fullmatch(rb"={5,}", line.strip()) for line in head.splitlines())

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        units: list[str] = []
        starts: list[int] = []
        for line in read_text(path).split("\n"):
            text = line.strip()
            if _DELIMITER.match(text):
                starts.append(len(units))
            elif text:
                units.append(text)
        if not units:
            raise FormatError("the file contains no unit; write one per line")
        if not starts:
            what = "has no line of five or more '=', as Choi's layout requires"
            raise FormatError(f"{what}; if it has another format, name it with --from (format=)")
        gaps = sorted({start for start in starts if 0 < start < len(units)})
        segmentation = Segmentation(len(units), gaps)
        document = Document(id=stem(path), n_units=len(units), segmentation=segmentation, units=tuple(units))
        return Corpus([document], name=str(path), ids_are_given=False)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Yield the segments."""
        for document, segmentation in segmented(corpus):
            if document.units is None:
                raise FormatError(f"document {document.id!r} has no text, which Choi's layout requires")
            units = [unit.strip() for unit in document.units]
            for place, unit in enumerate(units, start=1):
                _check(unit, place, document)
            yield _WRITTEN.encode() + b"\n"
            for start, end in segmentation.spans:
                yield utf8("\n".join([*units[start:end], _WRITTEN, ""]))


def _check(unit: str, place: int, document: Document) -> None:
    problems = {
        "is blank": not unit,
        "contains a line break": "\n" in unit or "\r" in unit,
        "looks like a delimiter": _DELIMITER.match(unit) is not None,
    }
    for problem, is_so in problems.items():
        if is_so:
            raise FormatError(f"document {document.id!r}: unit {place} {problem}, which Choi's layout cannot hold")
