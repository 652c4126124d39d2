# SPDX-License-Identifier: Apache-2.0
"""Shared parts of timed formats: clock times, chapters, cues, and documents made from them.

A file is one document, named after the file. Chapters give a segmentation in milliseconds: ``n`` chapters are ``n``
segments, with a boundary at the start of every chapter but the first. If a chapter ends before the next one starts, the
hole belongs to the earlier chapter; time before the first chapter belongs to the first. One warning reports holes and
overlaps of more than a second, with the largest. Cues are units with times; a transcript without chapters has no
segmentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._files import notice, plural, positions
from caesura.segmentation import Segmentation

_CUE = "cue"
_SLACK = 1000
_LONGEST = 10**12
_TITLE_SECONDS = 10
_TITLE_RATE = 3
_TIME = re.compile(
    r"\s*(?:(?P<number>[0-9]{1,9}(?:[.,][0-9]{1,12})?)\s*s?|(?:(?P<h>[0-9]{1,6}):)?(?P<m>[0-9]{1,3}):(?P<s>[0-9]{1,2})"
    r"(?:[:;](?P<frame>[0-9]{1,3})|[.,](?P<f>[0-9]{1,12}))?)\s*\Z"
)
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


def is_time(text: str) -> bool:
    """Return whether a string is a time in seconds, a clock time or a timecode."""
    return _TIME.match(text) is not None


def time_in_ms(
    value: object, what: str, line: int | None = None, *, factor: int = 1000, fps: float | None = None
) -> int:
    """Return a time as people and programs write it, in milliseconds, or refuse it.

    A number counts seconds (or what ``factor`` makes milliseconds of), a string is a number or a clock time. Frames of a
    timecode such as ``00:01:02:12`` are left out unless their rate is known.

    >>> time_in_ms(62.5, "it"), time_in_ms("62.5", "it"), time_in_ms("1:02.5", "it"), time_in_ms("00:01:02:12", "it", fps=24)
    (62500, 62500, 62500, 62500)
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return milliseconds(value * factor / 1000 if abs(value) < _LONGEST else value, what, line)
    match = _TIME.match(value) if isinstance(value, str) else None
    if match is None or (match["m"] and (int(match["s"]) > 59 or (match["h"] and int(match["m"]) > 59))):
        shown = repr(value)[:40]
        raise FormatError(f"{what} is {shown}; write seconds, or a time such as 2:15 or 1:02:03", line=line)
    if match["number"]:
        return milliseconds(float(match["number"].replace(",", ".")) * factor / 1000, what, line)
    seconds = int(match["h"] or 0) * 3600 + int(match["m"]) * 60 + int(match["s"]) + float(f"0.{match['f'] or 0}")
    return milliseconds(seconds + (int(match["frame"] or 0) / fps if fps else 0), what, line)


def clock(ms: int, mark: str = ".") -> str:
    """Return milliseconds as a clock time: ``01:02:03.500``."""
    seconds, fraction = divmod(ms, 1000)
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{mark}{fraction:03d}"


def milliseconds(seconds: float, what: str, line: int | None = None) -> int:
    """Return a time in seconds as milliseconds, or refuse it."""
    if not 0 <= seconds < _LONGEST / 1000:
        raise FormatError(f"{what} is {seconds!r}; it must be a time in seconds, at least 0", line=line)
    return round(seconds * 1000)


class Irregular(FormatError):
    """A list of chapters that breaks the rules; ``corpus`` is what is left of it when it is repaired.

    A reference is refused with the first fault. Of a system, whose faults are findings, the repaired list is scored, and
    ``extra["repaired"]`` of the document says what was done (`caesura.formats.load`, ``repair``).
    """

    def __init__(self, message: str, corpus: Corpus, line: int | None = None) -> None:
        super().__init__(message, line=line)
        self.corpus = corpus


class ChapterList(NamedTuple):
    """The chapters of one recording as a file gives them, with its end if the file has it.

    ``id`` is None if the document is named after its file; ``faults`` are entries that could not be read; ``locate``
    finds the line of a position (see `positions`).
    """

    chapters: Sequence[Chapter]
    end: int | None = None
    id: str | None = None
    faults: Sequence[FormatError] = ()
    locate: Callable[[int], int | None] | None = None


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
    """Return the corpus of one tier or transcript, as chapters ordered by their starts.

    The recording ends at ``end``, by default at the last end of a chapter; without either the document is open-ended.
    If the end is not ``exact``, it is the minimum length, and the document is open-ended too. Holes and overlaps are
    reported if ``holes`` is set. ``name`` is the id, by default the name of the file.
    """
    if not chapters:
        raise FormatError("contains no chapter; check that it is the right file")
    repeated = sum(after.start == before.start for before, after in pairwise(chapters))
    distinct, length, faults = _mended(chapters, end)
    hard = [fault for fault in faults if fault.rule != _TWICE]
    if hard:
        raise FormatError(hard[0].message, line=hard[0].line)
    if repeated:
        message = f"{plural(repeated, 'chapter', 'chapters')} with the same start as the previous one ignored"
        notice(message, path, strict=strict, line=faults[0].line if strict else None)
    if holes:
        _tell_holes(chapters, path, strict)
    document = _document(stem(path) if name is None else name, distinct, length, exact=exact)
    return Corpus([document], name=str(path), ids_are_given=name is not None)


def chapter_lists(path: Path, lists: Sequence[ChapterList], *, strict: bool = False, numbered: bool = False) -> Corpus:
    """Return the corpus of a file of chapter lists, one document each; raise `Irregular` if a list breaks the rules.

    Chapters begin at 0, in order, each at a time of its own and before the end of the recording. The ids are ``numbered``
    if the file has none.
    """
    documents: list[Document] = []
    first: tuple[str, int | None] | None = None
    for each in lists:
        name = stem(path) if each.id is None else each.id
        chapters, length, faults = _mended(each.chapters, each.end, each.faults, starts_at_zero=True)
        documents.append(_document(name, chapters, length, repaired="; ".join(fault.rule for fault in faults)))
        if not faults:
            with positions(each.locate or int):
                _tell_holes(each.chapters, path, strict)
        elif first is None:
            message, line, _ = faults[0]
            line = line if line is None or each.locate is None else each.locate(line)
            first = message if each.id is None else f"{name!r}: {message}", line
    if not documents:
        raise FormatError("contains no chapter; check that it is the right file")
    corpus = Corpus(documents, name=str(path), ids_are_given=lists[0].id is not None and not numbered)
    if first is not None:
        raise Irregular(first[0], corpus, first[1])
    return corpus


def nothing(path: Path) -> Corpus:
    """Return the repaired corpus of an empty list of chapters: one segment of unknown length."""
    try:
        return chapter_lists(path, [ChapterList(())])
    except Irregular as error:
        return error.corpus


class _Fault(NamedTuple):
    """What is wrong with a list of chapters, the line, and the rule that repairs it."""

    message: str
    line: int | None
    rule: str


EMPTY = "no chapter, so one segment"
_TWICE = "of chapters with the same start, the first kept"


def _mended(
    given: Sequence[Chapter], end: int | None, unread: Sequence[FormatError] = (), *, starts_at_zero: bool = False
) -> tuple[list[Chapter], int | None, list[_Fault]]:
    """Return chapters with increasing starts before the end, the end if it is known, and what was wrong."""
    faults = [
        _Fault(str(each), each.line, f"{plural(len(unread), 'entry', 'entries')} left out") for each in unread[:1]
    ]
    if not given:
        what = "contains no chapter: no time such as 02:15 was found; write at least one, such as 00:00 Intro"
        return [Chapter(0, None, "")], end, [*faults, _Fault(what, None, EMPTY)]
    for number, (before, after) in enumerate(pairwise(given), start=2):
        if after.start < before.start:
            what = (
                f"chapter {number} starts at {clock(after.start)}, before chapter {number - 1} at {clock(before.start)}"
            )
            faults.append(_Fault(f"{what}; chapters must be in order", after.line, "sorted by start"))
            break
    for number, chapter in enumerate(given, start=1):
        if chapter.end is not None and chapter.end < chapter.start:
            what = f"chapter {number} ends at {clock(chapter.end)}, before it starts at {clock(chapter.start)}"
            faults.append(_Fault(f"{what}; correct its times", chapter.line, "ends before starts ignored"))
            break
    chapters = sorted(given, key=lambda chapter: chapter.start)
    ends = [chapter.end for chapter in chapters if chapter.end is not None and chapter.end >= chapter.start]
    length = end if end is not None else max(ends) if ends and chapters[-1].end is not None else None
    again = [after for before, after in pairwise(chapters) if after.start == before.start]
    if again:
        what = f"several chapters start at {clock(again[0].start)}"
        faults.append(_Fault(f"{what}; give each a time of its own", again[0].line, _TWICE))
        chapters = [chapters[0], *(after for before, after in pairwise(chapters) if after.start > before.start)]
    late = [chapter for chapter in chapters if length is not None and chapter.start >= length]
    if late and length is not None:
        last = late[-1]
        what = f"the last chapter starts at {clock(last.start)}, but the recording ends at {clock(length)}"
        rule = f"{plural(len(late), 'chapter', 'chapters')} after the end left out"
        faults.append(_Fault(f"{what}; correct one of the times", last.line, rule))
        chapters = chapters[: -len(late)] or [Chapter(0, None, "")]
    if starts_at_zero and chapters[0].start >= _SLACK:
        begins = clock(chapters[0].start)
        what = f"the first chapter starts at {begins}; add one at 0:00"
        faults.append(_Fault(what, chapters[0].line, f"a segment before the first chapter, at {begins}, added"))
        chapters = [Chapter(0, None, ""), *chapters]
    return chapters, length, faults


def _document(
    name: str, chapters: Sequence[Chapter], length: int | None, *, exact: bool = True, repaired: str = ""
) -> Document:
    titles = {"segment_titles": [chapter.title for chapter in chapters]}
    n_units = chapters[-1].start + 1 if length is None else length
    return Document(
        id=name,
        n_units=n_units,
        segmentation=Segmentation(n_units, [chapter.start for chapter in chapters[1:]], unit="ms"),
        unit="ms",
        open_ended=length is None or not exact,
        extra={**titles, "repaired": repaired} if repaired else titles,
    )


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


def look_like_titles(cues: Sequence[Cue]) -> bool:
    """Return whether cues are long and hold few words, as those of chapters do, and name no speaker."""
    seconds = sum(cue.end - cue.start for cue in cues) / 1000
    characters = sum(len(cue.text) for cue in cues)
    voices = any(cue.speaker for cue in cues)
    return not voices and seconds >= _TITLE_SECONDS * len(cues) and characters < _TITLE_RATE * seconds


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
