# SPDX-License-Identifier: Apache-2.0
"""RTTM: speaker turns, one per line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import chapters_corpus
from caesura.formats._files import faults, filled_lines, read_text, utf8
from caesura.formats._timed import Chapter, chapters_of, milliseconds

__all__ = ["Rttm"]

_FIELDS = 8
_SPEAKER = "SPEAKER"


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Rttm(Format):
    """RTTM: ``SPEAKER file 1 onset duration <NA> <NA> speaker <NA> <NA>``, one turn per line, times in seconds.

    Every file id is a document in milliseconds that lasts at least to the end of its last turn. Turns are sorted by
    onset; a boundary lies at the onset of a turn whose speaker differs from that of the previous turn. So consecutive
    turns of one speaker are one segment, and pauses belong to the turn before them. Lines of other types
    (``SPKR-INFO``, ``LEXEME`` …) and comments (``;;``) are ignored. Segments are written as turns of speakers ``s1``,
    ``s2`` ….
    """

    card: ClassVar[Card] = Card(title="RTTM speaker turns", citation="NIST, RT-09 Evaluation Plan (2009), appendix A.")
    suffixes: ClassVar[tuple[str, ...]] = (".rttm",)
    sample: ClassVar[Sample] = {"show": (120_000, 480_000, 300_000)}
    many: ClassVar[bool] = True
    unit: ClassVar[str | None] = "ms"
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation", "n_units", "unit"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether some line is a speaker turn."""
        return any(line.startswith(b"SPEAKER ") and len(line.split()) >= _FIELDS for line in head.splitlines())

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        turns: dict[str, list[Chapter]] = {}
        for number, line in filled_lines(read_text(path)):
            fields = line.split()
            if _SPEAKER.startswith(fields[0]):
                with faults(line=number):
                    name, turn = _turn(fields, number)
                turns.setdefault(name, []).append(turn)
        if not turns:
            raise FormatError("contains no SPEAKER line; check that it is the right file")
        documents = [_document(name, sorted(members), path, strict) for name, members in turns.items()]
        return Corpus(documents, name=str(path))

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the lines."""
        for document in corpus:
            if document.id.split() != [document.id]:
                raise FormatError(
                    f"the id {document.id!r} contains spaces, which RTTM cannot hold; rename the document"
                )
            for place, chapter in enumerate(chapters_of(document, needs_end=True), start=1):
                start, duration = chapter.start / 1000, ((chapter.end or 0) - chapter.start) / 1000
                times = f"{start:.3f} {duration:.3f}"
                yield utf8(f"SPEAKER {document.id} 1 {times} <NA> <NA> s{place} <NA> <NA>\n")


def _turn(fields: list[str], number: int) -> tuple[str, Chapter]:
    if len(fields) < _FIELDS:
        what = f"a SPEAKER line needs at least 8 fields, but this one has {len(fields)}"
        raise FormatError(f"{what}; write SPEAKER file 1 onset duration <NA> <NA> speaker <NA> <NA>")
    try:
        onset, duration = float(fields[3]), float(fields[4])
    except ValueError:
        raise FormatError(f"onset and duration are {fields[3]!r} and {fields[4]!r}; both must be numbers") from None
    start = milliseconds(onset, "the onset")
    end = start + milliseconds(duration, "the duration")
    return fields[1], Chapter(start, end, fields[7], number)


def _document(name: str, turns: list[Chapter], path: Path, strict: bool) -> Document:
    chapters = [
        turn._replace(end=None) for place, turn in enumerate(turns) if not place or turn.title != turns[place - 1].title
    ]
    end = max(turn.end for turn in turns if turn.end is not None)
    (document,) = chapters_corpus(path, chapters, end=end, exact=False, strict=strict, holes=False, name=name)
    return document
