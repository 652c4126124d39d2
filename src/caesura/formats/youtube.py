# SPDX-License-Identifier: Apache-2.0
"""Chapter lists of YouTube descriptions, of people and of language models: a time and a title per line."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from caesura.corpus import Corpus
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import ChapterList, chapter_lists
from caesura.formats._files import filled_lines, notice, plural, read_text, utf8
from caesura.formats._timed import Chapter, chapters_of, parse_clock, time_in_ms
from caesura.formats.chapter_table import ChapterTable

__all__ = ["Youtube"]

_CLOCK = r"[-−]?(?:[0-9]{1,4}:)?[0-9]{1,3}:[0-9]{2}(?:[.,][0-9]{1,3})?"
_BULLETS = re.compile(r"\s*(?:(?:[-–—•·*▶►>+|]+|#{1,6}|[0-9]+[.)])\s+)*")
_TIMES = rf"[*_`\[(]*(?P<time>{_CLOCK})(?:\s*(?:[-–—]|to)\s*(?P<end>{_CLOCK}))?[*_`\])]*"
_ENTRY = re.compile(
    rf"{_BULLETS.pattern}{_TIMES}(?:\(https?:[^)\s]*\))?(?![0-9]|:[0-9])\s*[-–—:|,;]?\s*(?P<title>.*)\Z"
)
_LAST = re.compile(rf"(?<=[\s|@–—-]){_TIMES}[\s|.]*\Z")
_TAIL = 60
_MARKED = re.compile(r"\s*(?:[-*+•]\s+|[0-9]+[.)]\s+|#{1,6}\s+)?(?:\*\*|__|`|\[)")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Youtube(Format):
    """Chapter lists as YouTube reads them: ``00:00 Intro``, ``02:15 The first question``, ``1:02:03 The end``.

    Lists that people and language models write are read too: bullets and numbers, bold times (``- **02:15** – Title``), times
    in brackets or with an end (``0:00 - 2:15 Intro``), rows of a Markdown table, and times behind the titles (``Intro 0:00``).
    The first chapter starts at 0:00. Lines without a time are ignored, with a warning that counts them. The unit is the
    millisecond; without an end of the last chapter the length is unknown, and a comparison uses the length of the other side.
    YouTube reads whole seconds only, so a boundary between two seconds cannot be written.
    """

    card: ClassVar[Card] = Card(title="YouTube chapter lists: 00:00 Intro")
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".chapters", ".md")
    sample: ClassVar[Sample] = {"youtube": (120_000, 480_000, 1)}
    unit: ClassVar[str | None] = "ms"
    keeps: ClassVar[frozenset[str]] = frozenset({"segmentation", "unit", "open_ended", "segment_titles"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether most lines begin or end with a clock time, or a list of times is marked as one.

        Marked are at least two times in bold or brackets, and three that increase from 0:00, as YouTube requires. If most
        lines have times and the first is not 0:00, the list is damaged, which `read` reports with its line; a file with
        lines of ``=`` is then more likely a transcript in Choi's layout. A few times in Markdown make no list.
        """
        lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
        entries = _entries(
            [(place, line) for place, line in enumerate(lines) if "-->" not in line and "\t" not in line]
        )
        starts = [parse_clock(entry.time) or 0 for entry in entries]
        if ChapterTable.sniff(head, path):
            return False
        choi = any(line.strip().startswith("=====") for line in lines)
        if 2 * len(entries) > len(lines):
            return starts[0] == 0 or not choi
        if choi or len(starts) < 2 or suffix(path) == ".md":
            return False
        marked = sum(_MARKED.match(lines[entry.line]) is not None for entry in entries)
        return marked >= 2 or (len(starts) >= 3 and starts[0] == 0 and starts == sorted(set(starts)))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        lines = list(filled_lines(read_text(path)))
        chapters: list[Chapter] = []
        unread: list[FormatError] = []
        entries = _entries(lines)
        for entry in entries:
            try:
                start = time_in_ms(entry.time, "the time of a chapter", entry.line)
                end = time_in_ms(entry.end, "the end of a chapter", entry.line) if entry.end else None
            except FormatError as error:
                unread.append(error)
            else:
                chapters.append(Chapter(start, end, entry.title.strip().strip("*`|").strip(), entry.line))
        if 0 < len(entries) < len(lines):
            others = sorted({number for number, _ in lines} - {entry.line for entry in entries})
            told = f"{plural(len(others), 'line', 'lines')} without a time ignored"
            notice(told, path, strict=strict, line=others[0])
        return chapter_lists(path, [ChapterList(chapters, faults=unread)], strict=strict)

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


class _Entry(NamedTuple):
    line: int
    time: str
    end: str | None
    title: str


def _entries(lines: Sequence[tuple[int, str]]) -> list[_Entry]:
    """Return the lines with a time before or after a title, whichever are more."""
    before, after = [], []
    for number, line in lines:
        if match := _ENTRY.match(line):
            before.append(_Entry(number, match["time"], match["end"], match["title"]))
        if match := _LAST.search(line[-_TAIL:]):
            title = _BULLETS.sub("", line[: len(line) - len(match.string) + match.start()], count=1)
            after.append(_Entry(number, match["time"], match["end"], title.rstrip(" \t-–—:|@")))
    return before if len(before) >= len(after) else [entry for entry in after if entry.title]
