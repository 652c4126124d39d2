# SPDX-License-Identifier: Apache-2.0
"""What the timed formats share: clock times, chapters and cues, and the documents made of them.

A file is one document, called by the file's name. Chapters make a segmentation in milliseconds: ``n`` chapters are
``n`` segments, and a boundary lies at the start of every chapter but the first. Where a chapter ends before the next
one starts, the hole belongs to the chapter before; time before the first chapter belongs to it. Holes and overlaps of
more than a second are said in a warning, with the largest. Cues are units with their times; a transcript without
chapters has no segmentation.
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
"""The unit of a transcript whose pieces carry their times."""

_SLACK = 1000
_LONGEST = 10**12
_CLOCK = re.compile(r"(?:(?P<h>[0-9]{1,6}):)?(?P<m>[0-9]{1,2}):(?P<s>[0-9]{1,2})(?:[.,](?P<f>[0-9]{1,3}))?\Z")


class Chapter(NamedTuple):
    """A chapter in milliseconds; the end may not be known. ``place`` is the line it stands in, or leads to it."""

    start: int
    end: int | None
    title: str
    place: int | None = None


class Cue(NamedTuple):
    """A piece of a transcript, its times in milliseconds. ``place`` is the line it stands in, or leads to it."""

    start: int
    end: int
    text: str
    speaker: str = ""
    place: int | None = None


Locate = Callable[[int], int | None]
"""Leads from the place of a chapter or cue to its line, where finding all lines beforehand would cost too much."""


def _line(place: int | None, locate: Locate | None) -> int | None:
    return place if place is None or locate is None else locate(place)


def parse_clock(text: str) -> int | None:
    """Return a clock time in milliseconds, or None if it is none.

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
    """Return a time given in seconds, or say that it is none."""
    if not math.isfinite(seconds) or not 0 <= seconds * 1000 < _LONGEST:
        raise FormatError(
            f"{what} is {seconds!r}; it must be a time in seconds, from 0", path, _line(place, locate)
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
        In the order of their starts.
    end : int, optional
        The end of the recording; the last end of a chapter if not given. Without any the document is open-ended.
    exact : bool
        Whether the recording is known to end there; otherwise it lasts at least so long, and the document is
        open-ended too.
    strict : bool
        Whether holes, overlaps and chapters that start together are errors.
    holes : bool
        Whether to look for holes and overlaps.
    name : str, optional
        The id, where it is not the file's name.
    locate : callable, optional
        What leads from the place of a chapter to its line; without it the place is the line.
    """
    if not chapters:
        raise FormatError("holds no chapter; check that it is the right file", path)
    _check_chapters(chapters, path, locate)
    distinct = [chapters[0], *(after for before, after in pairwise(chapters) if after.start > before.start)]
    if len(distinct) < len(chapters):
        again = next(after for before, after in pairwise(chapters) if after.start == before.start)
        notice(
            f"{plural(len(chapters) - len(distinct), 'chapter', 'chapters')} at the start of the one before counted once",
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
            f"the last chapter starts at {clock(last)}, but the recording ends at {clock(known)}; correct one of them",
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
    """Refuse chapters that go backwards, in themselves or from one to the next."""
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
        (holes, "a hole", "holes", "each belongs to the chapter before it (the first to the first)"),
        (overlaps, "an overlap", "overlaps", "a chapter ends where the next one starts"),
    ):
        if found:
            what = (
                f"{one} between chapters, of"
                if len(found) == 1
                else f"{len(found)} {many} between chapters, the largest of"
            )
            largest, place = max(found, key=lambda step: step[0])
            # The warning speaks of all of them, so only a refusal points to one line.
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
    """Return the corpus of one transcript, with a segment from each of the ``starts`` (places of cues) on, if any."""
    if not cues:
        raise FormatError("holds no cue; check that it is the right file", path)
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
    """Return a title for every segment: the ones it has, or numbers."""
    n_segments = 1 if document.segmentation is None else document.segmentation.n_segments
    titles = document.extra.get("segment_titles")
    if not isinstance(titles, (list, tuple)) or len(titles) != n_segments:
        titles = [""] * n_segments
    return [" ".join(str(title).split()) or str(place) for place, title in enumerate(titles, start=1)]


def chapters_of(document: Document, *, needs_end: bool) -> list[Chapter]:
    """Return the segments of a timed document as chapters; ``needs_end`` says that the format must know the end."""
    if document.segmentation is None:
        raise FormatError(f"document {document.id!r} has no segmentation to write")
    last = (0, *document.segmentation.boundaries)[-1]
    if needs_end and document.open_ended and document.n_units == last + 1:
        raise FormatError(
            f"document {document.id!r}: the source does not say when the recording ends, and this format must; "
            "write podcast, youtube or jsonl"
        )
    return [
        Chapter(start, end, title)
        for (start, end), title in zip(document.segmentation.spans, titles_of(document), strict=True)
    ]


def cues_of(document: Document, name: str) -> list[Cue]:
    """Return the units of a transcript as cues."""
    if document.units is None or document.unit_times is None:
        raise FormatError(
            f"document {document.id!r} has no {'texts' if document.units is None else 'times'} of its units, "
            f"and the format {name} needs them"
        )
    speakers = document.speakers or ("",) * document.n_units
    return [
        Cue(round(start * 1000), round(end * 1000), text.strip(), speaker)
        for text, (start, end), speaker in zip(document.units, document.unit_times, speakers, strict=True)
    ]
