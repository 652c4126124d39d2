# SPDX-License-Identifier: Apache-2.0
"""Shared parts of timed formats: clock times, chapters, cues, and documents made from them.

A file is one document, named after the file. Cues are units with times; a transcript without chapters has no
segmentation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from caesura.corpus import Corpus, Document
from caesura.errors import FormatError
from caesura.files import stem
from caesura.segmentation import Segmentation

_CUE = "cue"
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


def look_like_titles(cues: Sequence[Cue]) -> bool:
    """Return whether cues are long and hold few words, as those of chapters do, and name no speaker."""
    seconds = sum(cue.end - cue.start for cue in cues) / 1000
    characters = sum(len(cue.text) for cue in cues)
    voices = any(cue.speaker for cue in cues)
    return not voices and seconds >= _TITLE_SECONDS * len(cues) and characters < _TITLE_RATE * seconds


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
