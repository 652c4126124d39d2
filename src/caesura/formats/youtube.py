# SPDX-License-Identifier: Apache-2.0
"""Chapter lists of YouTube descriptions: a time and a title per line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._files import filled_lines, notice, plural, read_text, utf8
from caesura.formats._timed import Chapter, chapters_corpus, chapters_of, clock, parse_clock

__all__ = ["Youtube"]

_ENTRY = re.compile(
    r"\s*(?:(?:[-–—•·*▶►>]+|[0-9]+[.)])\s+)?[\[(]?(?P<time>[-−]?(?:[0-9]{1,4}:)?[0-9]{1,2}:[0-9]{2}(?:\.[0-9]{1,3})?)[\])]?(?![0-9:])\s*[-–—:|]?\s*(?P<title>.*)\Z"
)


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Youtube(Format):
    """Chapter lists as YouTube reads them: ``00:00 Intro``, ``02:15 The first question``, ``1:02:03 The end``.

    The first chapter starts at 0:00. Lines without a time are ignored, with a warning that counts them. The unit is the
    millisecond; the length is unknown, and a comparison uses the length of the other side. YouTube reads whole seconds
    only, so a boundary between two seconds cannot be written.
    """

    card: ClassVar[Card] = Card(title="YouTube chapter lists: 00:00 Intro")
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".chapters")
    sample: ClassVar[Sample] = {"youtube": (120_000, 480_000, 1)}
    unit: ClassVar[str | None] = "ms"
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "unit", "open_ended", "segment_titles"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether most lines begin with a clock time, or three times increase from 0:00, as YouTube requires.

        If most do and the first time is not 0:00, the list is damaged, which `read` reports with its line; a file with
        lines of ``=`` is then more likely a transcript in Choi's layout.
        """
        lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
        entries = [match for line in lines if "-->" not in line and (match := _ENTRY.match(line))]
        starts = [parse_clock(entry["time"]) or 0 for entry in entries]
        choi = any(line.strip().startswith("=====") for line in lines)
        if 2 * len(entries) > len(lines):
            return starts[0] == 0 or not choi
        return len(starts) >= 3 and starts[0] == 0 and starts == sorted(set(starts)) and not choi

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        chapters: list[Chapter] = []
        others: list[int] = []
        first = ""
        for number, line in filled_lines(read_text(path)):
            match = _ENTRY.match(line)
            if match is None:
                others.append(number)
                continue
            time, start = match["time"], parse_clock(match["time"])
            if start is None:
                raise FormatError(f"{time!r} is not a clock time; write 2:15 or 1:02:03", line=number)
            if chapters and start <= chapters[-1].start:
                before = f"the previous chapter, at {clock(chapters[-1].start)}"
                raise FormatError(f"{time} is not after {before}; sort the lines by time", line=number)
            first = first or time
            chapters.append(Chapter(start, None, match["title"].strip(), number))
        if not chapters:
            raise FormatError("contains no chapter; write lines such as 00:00 Intro")
        if chapters[0].start:
            raise FormatError(f"the first chapter starts at {first}; it must start at 0:00", line=chapters[0].line)
        if others:
            lines = plural(len(others), "line", "lines")
            notice(f"{lines} without a time ignored", path, strict=strict, line=others[0])
        return chapters_corpus(path, chapters, strict=strict)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the lines."""
        (document,) = corpus
        for chapter in chapters_of(document, needs_end=False):
            seconds, rest = divmod(chapter.start, 1000)
            if rest:
                what = f"document {document.id!r}: a boundary lies at {chapter.start / 1000} s"
                remedy = "round it, or choose the format podcast"
                raise FormatError(f"{what}, but YouTube reads whole seconds only; {remedy}")
            hours = f"{seconds // 3600}:" if seconds >= 3600 else ""
            yield utf8(f"{hours}{seconds // 60 % 60:02d}:{seconds % 60:02d} {chapter.title}\n")
