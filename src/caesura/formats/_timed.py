# SPDX-License-Identifier: Apache-2.0
"""Shared parts of timed formats: clock times, chapters, cues, and documents made from them.

A file is one document, named after the file. Chapters give a segmentation in milliseconds: ``n`` chapters are ``n``
segments, with a boundary at the start of every chapter but the first. If a chapter ends before the next one starts, the
hole belongs to the earlier chapter; time before the first chapter belongs to the first. One warning reports holes and
overlaps of more than a second, with the largest. Cues are units with times; a transcript without chapters has no
segmentation.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._files import notice, plural
from caesura.segmentation import Segmentation

_CUE = "cue"
_SLACK = 1000
_LONGEST = 10**12
_CLOCK = re.compile(r"(?:(?P<h>[0-9]{1,6}):)?(?P<m>[0-9]{1,2}):(?P<s>[0-9]{1,2})(?:[.,](?P<f>[0-9]{1,3}))?\Z")


class Chapter(NamedTuple):
    """A chapter in milliseconds; its end may be unknown. ``line`` may be a position (see `positions`)."""

    start: int
    end: int | None
    title: str
    line: int | None = None


class Cue(NamedTuple):
    """A cue of a transcript, in milliseconds. ``line`` may be a position (see `positions`)."""

    start: int
    end: int
    text: str
    speaker: str = ""
    line: int | None = None


def parse_clock(text: str) -> int | None:
    """Return a clock time in milliseconds, or None if the string is not one.

    >>> parse_clock("1:02:03.5"), parse_clock("02:03"), parse_clock("2.5")
    (3723500, 123000, None)
    """
    match = _CLOCK.match(text.strip())
    if match is None or int(match["s"]) > 59 or (match["h"] is not None and int(match["m"]) > 59):
        return None
    seconds = int(match["h"] or 0) * 3600 + int(match["m"]) * 60 + int(match["s"])
    return seconds * 1000 + int((match["f"] or "0").ljust(3, "0"))


def clock(ms: int, mark: str = ".") -> str:
    """Return milliseconds as a clock time: ``01:02:03.500``."""
    seconds, fraction = divmod(ms, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{mark}{fraction:03d}"


def milliseconds(seconds: float, what: str, line: int | None = None) -> int:
    """Return a time in seconds as milliseconds, or refuse it."""
    if not math.isfinite(seconds) or not 0 <= seconds * 1000 < _LONGEST:
        raise FormatError(f"{what} is {seconds!r}; it must be a time in seconds, at least 0", line=line)
    return round(seconds * 1000)


def chapters_corpus(
    path: Path,
    chapters: Sequence[Chapter],
    *,
    end: int | None = None,
    exact: bool = True,
    strict: bool = False,
    holes: bool = True,
    name: str | None = None,
) -> Corpus:
    """Return the corpus of one file of chapters, ordered by their starts.

    The recording ends at ``end``, by default at the last end of a chapter; without either the document is open-ended.
    If the end is not ``exact``, it is the minimum length, and the document is open-ended too. Holes and overlaps are
    reported if ``holes`` is set. ``name`` is the id, by default the name of the file.
    """
    if not chapters:
        raise FormatError("contains no chapter; check that it is the right file")
    _check_chapters(chapters)
    distinct = [chapters[0], *(after for before, after in pairwise(chapters) if after.start > before.start)]
    if len(distinct) < len(chapters):
        again = next(after for before, after in pairwise(chapters) if after.start == before.start)
        repeated = plural(len(chapters) - len(distinct), "chapter", "chapters")
        message = f"{repeated} with the same start as the previous one ignored"
        notice(message, path, strict=strict, line=again.line if strict else None)
    if holes:
        _tell_holes(chapters, path, strict)
    ends = [chapter.end for chapter in chapters if chapter.end is not None]
    length = end if end is not None else max(ends) if ends and chapters[-1].end is not None else None
    last = distinct[-1].start
    if length is not None and length <= last:
        message = f"the last chapter starts at {clock(last)}, but the recording ends at {clock(length)}; correct one of the times"
        raise FormatError(message, line=distinct[-1].line)
    n_units = last + 1 if length is None else length
    document = Document(
        id=stem(path) if name is None else name,
        n_units=n_units,
        segmentation=Segmentation(n_units, [chapter.start for chapter in distinct[1:]], unit="ms"),
        unit="ms",
        open_ended=length is None or not exact,
        extra={"segment_titles": [chapter.title for chapter in distinct]},
    )
    return Corpus([document], name=str(path), ids_are_given=name is not None)


def _check_chapters(chapters: Sequence[Chapter]) -> None:
    """Refuse chapters that are out of order, or that end before they start."""
    for number, (before, after) in enumerate(pairwise(chapters), start=2):
        if after.start < before.start:
            previous = f"before chapter {number - 1} at {clock(before.start)}"
            what = f"chapter {number} starts at {clock(after.start)}, {previous}"
            raise FormatError(f"{what}; chapters must be in order", line=after.line)
    for number, chapter in enumerate(chapters, start=1):
        if chapter.end is not None and chapter.end < chapter.start:
            what = f"chapter {number} ends at {clock(chapter.end)}, before it starts at {clock(chapter.start)}"
            raise FormatError(f"{what}; correct its times", line=chapter.line)


def _tell_holes(chapters: Sequence[Chapter], path: Path, strict: bool) -> None:
    """Report holes and overlaps of more than a second, each kind with its largest."""
    steps = [(chapters[0].start, chapters[0].line)]
    for before, after in pairwise(chapters):
        if before.end is not None:
            steps.append((after.start - before.end, after.line))
    holes = [(step, line) for step, line in steps if step > _SLACK]
    overlaps = [(-step, line) for step, line in steps if step < -_SLACK]
    to_whom = "a hole belongs to the chapter before it (before the first chapter, to the first)"
    for sizes, one, many, rule in (
        (holes, "a hole", "holes", to_whom),
        (overlaps, "an overlap", "overlaps", "a chapter ends where the next one starts"),
    ):
        if sizes:
            several = f"{len(sizes)} {many} between chapters, the largest of"
            what = f"{one} between chapters, of" if len(sizes) == 1 else several
            largest, line = max(sizes, key=lambda size: size[0])
            # The warning covers all of them, so only an error points to one line.
            message = f"{what} {largest / 1000:g} s; {rule}"
            notice(message, path, strict=strict, line=line if strict else None)


def chapters_of_cues(path: Path, cues: Sequence[Cue], titles: Mapping[int, str], *, strict: bool) -> Corpus:
    """Return the corpus of a transcript as chapters; ``titles`` maps the first cue of each chapter to its title."""
    chapters = [Chapter(cues[first].start, None, title, cues[first].line) for first, title in titles.items()]
    end = max(cue.end for cue in cues)
    return chapters_corpus(path, chapters, end=end, exact=False, strict=strict, holes=False)


def cues_corpus(path: Path, cues: Sequence[Cue], titles: Mapping[int, str] | None = None) -> Corpus:
    """Return the corpus of one transcript; ``titles`` maps the first cue of each segment to its title."""
    if not cues:
        raise FormatError("contains no cue; check that it is the right file")
    for number, cue in enumerate(cues, start=1):
        if cue.end < cue.start:
            message = (
                f"cue {number} ends at {clock(cue.end)}, before it starts at {clock(cue.start)}; correct its times"
            )
            raise FormatError(message, line=cue.line)
    segmentation = None
    if titles:
        segmentation = Segmentation(len(cues), [first for first in titles if first], unit=_CUE)
    document = Document(
        id=stem(path),
        n_units=len(cues),
        segmentation=segmentation,
        unit=_CUE,
        units=tuple(cue.text for cue in cues),
        speakers=tuple(cue.speaker for cue in cues) if any(cue.speaker for cue in cues) else None,
        unit_times=tuple((cue.start / 1000, cue.end / 1000) for cue in cues),
        extra={"segment_titles": list(titles.values())} if titles else {},
    )
    return Corpus([document], name=str(path), ids_are_given=False)


def titles_of(document: Document) -> list[str]:
    """Return the title of every segment, or its number if it has none."""
    n_segments = 1 if document.segmentation is None else document.segmentation.n_segments
    titles = document.extra.get("segment_titles")
    if not isinstance(titles, (list, tuple)) or len(titles) != n_segments:
        titles = [""] * n_segments
    return [" ".join(str(title).split()) or str(place) for place, title in enumerate(titles, start=1)]


def chapters_of(document: Document, *, needs_end: bool) -> list[Chapter]:
    """Return the segments of a timed document as chapters; ``needs_end`` if the format requires the end."""
    if document.segmentation is None:
        raise FormatError(f"document {document.id!r} has no segmentation to write")
    last = (0, *document.segmentation.boundaries)[-1]
    if needs_end and document.open_ended and document.n_units == last + 1:
        what = f"document {document.id!r}: the end of the recording is unknown, but this format requires it"
        raise FormatError(f"{what}; choose podcast, youtube or jsonl")
    return [
        Chapter(start, end, title)
        for (start, end), title in zip(document.segmentation.spans, titles_of(document), strict=True)
    ]


def cues_of(document: Document, name: str) -> list[Cue]:
    """Return the units of a transcript as cues."""
    if document.units is None or document.unit_times is None:
        lacking = "text" if document.units is None else "times"
        raise FormatError(f"document {document.id!r} has no {lacking} of its units, which the format {name} requires")
    speakers = document.speakers or ("",) * document.n_units
    return [
        Cue(round(start * 1000), round(end * 1000), text.strip(), speaker)
        for text, (start, end), speaker in zip(document.units, document.unit_times, speakers, strict=True)
    ]
