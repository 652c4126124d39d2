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
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._files import notice, plural
from caesura.segmentation import Segmentation

__all__ = [
    "CUE",
    "Chapter",
    "Cue",
    "Locate",
    "chapters_corpus",
    "chapters_of",
    "clock",
    "cues_corpus",
    "cues_of",
    "milliseconds",
    "parse_clock",
    "titles_of",
]

CUE = "cue"
"""The unit of a transcript."""

_SLACK = 1000
_LONGEST = 10**12
_CLOCK = re.compile(r"(?:(?P<h>[0-9]{1,6}):)?(?P<m>[0-9]{1,2}):(?P<s>[0-9]{1,2})(?:[.,](?P<f>[0-9]{1,3}))?\Z")


class Chapter(NamedTuple):
    """A chapter in milliseconds; its end may be unknown. ``place`` is its line, or a key to it (see `Locate`)."""

    start: int
    end: int | None
    title: str
    place: int | None = None


class Cue(NamedTuple):
    """A cue of a transcript, in milliseconds. ``place`` is its line, or a key to it (see `Locate`)."""

    start: int
    end: int
    text: str
    speaker: str = ""
    place: int | None = None


Locate = Callable[[int], int | None]
"""Maps the ``place`` of a chapter or cue to its line, for formats where finding all lines in advance is expensive."""


def _line(place: int | None, locate: Locate | None) -> int | None:
    return place if place is None or locate is None else locate(place)


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


def milliseconds(
    seconds: float, what: str, path: Path, place: int | None = None, locate: Locate | None = None
) -> int:
    """Return a time in seconds as milliseconds, or refuse it."""
    if not math.isfinite(seconds) or not 0 <= seconds * 1000 < _LONGEST:
        raise FormatError(
            f"{what} is {seconds!r}; it must be a time in seconds, at least 0", path, _line(place, locate)
        )
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
    locate: Locate | None = None,
) -> Corpus:
    """Return the corpus of one file of chapters.

    Parameters
    ----------
    path : Path
        The file.
    chapters : sequence of Chapter
        The chapters, ordered by their starts.
    end : int, optional
        The end of the recording; by default the last end of a chapter. Without either the document is open-ended.
    exact : bool
        Whether the recording ends exactly there; otherwise that is its minimum length, and the document is
        open-ended too.
    strict : bool
        Whether holes, overlaps and chapters with equal starts are errors.
    holes : bool
        Whether to report holes and overlaps.
    name : str, optional
        The id; by default the name of the file.
    locate : callable, optional
        Maps the place of a chapter to its line; by default the place is the line.
    """
    if not chapters:
        raise FormatError("contains no chapter; check that it is the right file", path)
    _check_chapters(chapters, path, locate)
    distinct = [chapters[0], *(after for before, after in pairwise(chapters) if after.start > before.start)]
    if len(distinct) < len(chapters):
        again = next(after for before, after in pairwise(chapters) if after.start == before.start)
        notice(
            f"{plural(len(chapters) - len(distinct), 'chapter', 'chapters')} with the same start as the previous one ignored",
            path,
            strict=strict,
            line=_line(again.place, locate) if strict else None,
        )
    if holes:
        _tell_holes(chapters, path, strict, locate)
    ends = [chapter.end for chapter in chapters if chapter.end is not None]
    known = end if end is not None else max(ends) if ends and chapters[-1].end is not None else None
    last = distinct[-1].start
    if known is not None and known <= last:
        raise FormatError(
            f"the last chapter starts at {clock(last)}, but the recording ends at {clock(known)}; correct one of the times",
            path,
            _line(distinct[-1].place, locate),
        )
    n_units = last + 1 if known is None else known
    document = Document(
        id=stem(path) if name is None else name,
        n_units=n_units,
        segmentation=Segmentation(n_units, [chapter.start for chapter in distinct[1:]], unit="ms"),
        unit="ms",
        open_ended=known is None or not exact,
        extra={"segment_titles": [chapter.title for chapter in distinct]},
    )
    return Corpus([document], name=str(path), ids_are_given=name is not None)


def _check_chapters(chapters: Sequence[Chapter], path: Path, locate: Locate | None) -> None:
    """Refuse chapters that are out of order, or that end before they start."""
    for number, (before, after) in enumerate(pairwise(chapters), start=2):
        if after.start < before.start:
            raise FormatError(
                f"chapter {number} starts at {clock(after.start)}, before chapter {number - 1} at {clock(before.start)}; "
                "chapters must be in order",
                path,
                _line(after.place, locate),
            )
    for number, chapter in enumerate(chapters, start=1):
        if chapter.end is not None and chapter.end < chapter.start:
            raise FormatError(
                f"chapter {number} ends at {clock(chapter.end)}, before it starts at {clock(chapter.start)}; "
                "correct its times",
                path,
                _line(chapter.place, locate),
            )


def _tell_holes(chapters: Sequence[Chapter], path: Path, strict: bool, locate: Locate | None) -> None:
    steps = [(chapters[0].start, chapters[0].place)]
    steps += [
        (after.start - before.end, after.place)
        for before, after in pairwise(chapters)
        if before.end is not None
    ]
    holes = [(step, place) for step, place in steps if step > _SLACK]
    overlaps = [(-step, place) for step, place in steps if step < -_SLACK]
    for found, one, many, where in (
        (
            holes,
            "a hole",
            "holes",
            "a hole belongs to the chapter before it (before the first chapter, to the first)",
        ),
        (overlaps, "an overlap", "overlaps", "a chapter ends where the next one starts"),
    ):
        if found:
            what = (
                f"{one} between chapters, of"
                if len(found) == 1
                else f"{len(found)} {many} between chapters, the largest of"
            )
            largest, place = max(found, key=lambda step: step[0])
            # The warning covers all of them, so only an error points to one line.
            line = _line(place, locate) if strict else None
            notice(f"{what} {largest / 1000:g} s; {where}", path, strict=strict, line=line)


def cues_corpus(
    path: Path,
    cues: Sequence[Cue],
    *,
    starts: Sequence[int] = (),
    titles: Sequence[str] = (),
    locate: Locate | None = None,
) -> Corpus:
    """Return the corpus of one transcript, with a segment starting at each cue in ``starts``."""
    if not cues:
        raise FormatError("contains no cue; check that it is the right file", path)
    for number, cue in enumerate(cues, start=1):
        if cue.end < cue.start:
            raise FormatError(
                f"cue {number} ends at {clock(cue.end)}, before it starts at {clock(cue.start)}; correct its times",
                path,
                _line(cue.place, locate),
            )
    segmentation = None
    if starts:
        segmentation = Segmentation(len(cues), [start for start in starts if start], unit=CUE)
    document = Document(
        id=stem(path),
        n_units=len(cues),
        segmentation=segmentation,
        unit=CUE,
        units=tuple(cue.text for cue in cues),
        speakers=tuple(cue.speaker for cue in cues) if any(cue.speaker for cue in cues) else None,
        unit_times=tuple((cue.start / 1000, cue.end / 1000) for cue in cues),
        extra={"segment_titles": list(titles)} if titles else {},
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
        raise FormatError(
            f"document {document.id!r}: the end of the recording is unknown, but this format requires it; "
            "choose podcast, youtube or jsonl"
        )
    return [
        Chapter(start, end, title)
        for (start, end), title in zip(document.segmentation.spans, titles_of(document), strict=True)
    ]


def cues_of(document: Document, name: str) -> list[Cue]:
    """Return the units of a transcript as cues."""
    if document.units is None or document.unit_times is None:
        raise FormatError(
            f"document {document.id!r} has no {'text' if document.units is None else 'times'} of its units, "
            f"which the format {name} requires"
        )
    speakers = document.speakers or ("",) * document.n_units
    return [
        Cue(round(start * 1000), round(end * 1000), text.strip(), speaker)
        for text, (start, end), speaker in zip(document.units, document.unit_times, speakers, strict=True)
    ]
