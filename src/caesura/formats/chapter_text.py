# SPDX-License-Identifier: Apache-2.0
"""Chapters in the text files of media programs: FFmetadata, OGM, and markers of DaVinci Resolve (EDL)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Sample
from caesura.formats._chapters import ChapterFormat, ChapterList, chapter_lists
from caesura.formats._files import filled_lines, notice, read_text
from caesura.formats._timed import Chapter, clock, time_in_ms
from caesura.formats.chapter_table import frames_notice

__all__ = ["ChapterText"]

_HOUR = 3_600_000
_OGM = re.compile(r"\s*CHAPTER(?P<number>[0-9]{1,6})(?P<name>NAME)?\s*=\s*(?P<value>.*)", re.IGNORECASE)
_TIMECODE = r"[0-9]{1,2}:[0-9]{2}:[0-9]{2}[:;][0-9]{2,3}"
_EVENT = re.compile(
    rf"\s*[0-9]+\s+\S+\s+\S+\s+\S+(?:\s+[0-9]+)?\s+{_TIMECODE}\s+{_TIMECODE}\s+(?P<time>{_TIMECODE})\s+{_TIMECODE}"
)
_MARKER = re.compile(r"\|M:(?P<title>.*?)(?:\s*\|D:[0-9]*)?\s*\Z")
_ESCAPED = re.compile(r"\\(.)")
_BASE = re.compile(r"(?P<top>[1-9][0-9]{0,11})\s*/\s*(?P<bottom>[1-9][0-9]{0,11})\Z")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class ChapterText(ChapterFormat):
    """Chapters as media programs keep them in text: FFmetadata, OGM, and marker lists of DaVinci Resolve (EDL).

    FFmetadata begins with ``;FFMETADATA1`` and has sections ``[CHAPTER]`` with TIMEBASE, START, END and title; OGM has lines
    ``CHAPTER01=00:00:00.000`` and ``CHAPTER01NAME=Intro``; in an EDL a line ``|M:Intro`` names the marker of the event before
    it. Frames of timecodes are read if ``fps`` is given, and otherwise left out, with a note. A timeline of Resolve begins
    at 01:00:00:00: if the first marker lies at a whole hour, this is taken as 0:00, with a note, and ``origin`` says otherwise.
    """

    card: ClassVar[Card] = Card(title="chapters of media programs in text: FFmetadata, OGM, EDL of DaVinci Resolve")
    suffixes: ClassVar[tuple[str, ...]] = (".txt", ".edl", ".ffmetadata", ".ffmeta")
    sample: ClassVar[Sample] = {"chapter_text": (120_000, 480_000, 300_000)}

    fps: float | None = param(None, "frames per second of timecodes such as 00:01:02:12", positive=True)
    origin: str | None = param(None, "time at which the recording begins in an EDL, such as '01:00:00:00'")

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether there is a mark of one of the three."""
        text = head.decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return bool(lines) and (
            lines[0].startswith(";FFMETADATA")
            or "[CHAPTER]" in lines
            or _OGM.match(lines[0]) is not None
            or (lines[0].startswith("TITLE:") and any(_EVENT.match(line) for line in lines))
        )

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        text = read_text(path)
        if any(_OGM.match(line) for _, line in filled_lines(text)):
            chapters = _ogm(text)
        elif "|M:" in text or text.lstrip().startswith("TITLE:"):
            chapters = self._edl(text, path, strict)
        else:
            chapters = _ffmetadata(text)
        return chapter_lists(path, [ChapterList(chapters)], strict=strict)

    def _edl(self, text: str, path: Path, strict: bool) -> list[Chapter]:
        events: list[tuple[int, str]] = []
        titles: dict[int, str] = {}
        for number, line in filled_lines(text):
            event, marker = _EVENT.match(line), _MARKER.search(line)
            if event is not None:
                events.append((number, event["time"]))
            elif marker is not None and events:
                titles[events[-1][0]] = marker["title"]
        chapters = [
            Chapter(
                time_in_ms(time, "the time of a marker", number, fps=self.fps), None, titles.get(number, ""), number
            )
            for number, time in events
        ]
        frames_notice((time for _, time in events), self.fps, path, strict)
        first = min((chapter.start for chapter in chapters), default=0)
        begin = 0
        if self.origin is not None:
            begin = time_in_ms(self.origin, "origin", fps=self.fps)
        elif first and first % _HOUR == 0:
            begin = first
            notice(
                f"the timeline begins at {clock(first)}, taken as 0:00 (origin='0:00' keeps it)", path, strict=strict
            )
        elif first > _HOUR:
            what = f"the first marker lies at {clock(first)}, and an EDL does not say where its timeline begins"
            raise FormatError(f"{what}; give it with origin='{first // _HOUR:02d}:00:00:00'", line=chapters[0].line)
        if first < begin:
            raise FormatError(f"a marker lies at {clock(first)}, before the origin at {clock(begin)}; correct origin")
        return [chapter._replace(start=chapter.start - begin) for chapter in chapters]


def _ogm(text: str) -> list[Chapter]:
    starts: dict[str, tuple[int, str]] = {}
    titles: dict[str, str] = {}
    for line, match in ((line, _OGM.match(words)) for line, words in filled_lines(text)):
        if match is not None and match["name"]:
            titles[match["number"]] = match["value"].strip()
        elif match is not None:
            starts[match["number"]] = line, match["value"]
    return [
        Chapter(time_in_ms(time, f"CHAPTER{number}", line), None, titles.get(number, ""), line)
        for number, (line, time) in starts.items()
    ]


def _ffmetadata(text: str) -> list[Chapter]:
    sections: list[tuple[int, dict[str, str]]] = []
    inside = False
    for number, line in filled_lines(text.replace("\\\n", " ")):
        if line.strip().startswith("["):
            inside = line.strip().upper() == "[CHAPTER]"
            if inside:
                sections.append((number, {}))
        elif inside and not line.lstrip().startswith((";", "#")):
            key, _, value = line.partition("=")
            sections[-1][1][key.strip().casefold()] = _ESCAPED.sub(r"\1", value).strip()
    return [_section(values, line) for line, values in sections]


def _section(values: Mapping[str, str], line: int) -> Chapter:
    base = _BASE.match(values.get("timebase", "1/1000000000"))
    if base is None:
        raise FormatError(f"TIMEBASE is {values['timebase'][:30]!r}; write a fraction such as 1/1000", line=line)
    times: list[int | None] = []
    for key in ("start", "end"):
        value = values.get(key)
        if value is None and key == "end":
            times.append(None)
            continue
        if value is None or not re.fullmatch(r"[0-9]{1,18}", value):
            raise FormatError(f"{key.upper()} of a chapter is {value!r}; it must be a whole number", line=line)
        times.append(time_in_ms(int(value) * int(base["top"]) / int(base["bottom"]), key.upper(), line))
    return Chapter(times[0] or 0, times[1], values.get("title", ""), line)
