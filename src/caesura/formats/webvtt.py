# SPDX-License-Identifier: Apache-2.0
"""WebVTT: cues of a transcript, or chapters."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import ChapterList, chapter_lists, chapters_of_cues
from caesura.formats._files import library, notice, plural, read_text, utf8
from caesura.formats._timed import (
    Chapter,
    Cue,
    chapters_of,
    clock,
    cues_corpus,
    cues_of,
    look_like_titles,
    parse_clock,
    titles_of,
)

__all__ = ["Webvtt"]

_MARK = re.compile(r"(?:chapter|topic)\b[ \t]*[:\-–]?[ \t]*(?P<title>.*)", re.IGNORECASE)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?[ \t]+(?P<speaker>[^>]+)>")
_TAG = re.compile(r"</?(?:[cibuv]|ruby|rt|lang)(?:[.\s][^<>]*)?>|<[0-9:.]+>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&nbsp;": "\u00a0", "&lrm;": "\u200e", "&rlm;": "\u200f", "&amp;": "&"}
_CLOCK = r"((?:\d+:)?\d{1,2}:\d{1,2}\.\d{1,3})"
_TIMING = re.compile(rf"\s*{_CLOCK}\s*-->\s*{_CLOCK}")
_NO_CUE = re.compile(r"(?:NOTE|STYLE|REGION)(?:\s|\Z)")


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Webvtt(Format):
    """WebVTT, read as chapters (unit ``ms``) or as the cues of a transcript (unit ``cue``).

    ``kind='auto'`` reads chapters if the header or a comment contains ``chapters`` (``Kind: chapters``), if the file name
    contains ``chapter``, or if the cues look like titles: 10 seconds or longer on average, fewer than 3 characters per
    second (speech has more than 10), and no voices. Otherwise it reads cues, each a unit with its text, its times and
    the speaker of ``<v Speaker>``. A comment ``NOTE Chapter: title`` (or ``Topic``) before a cue starts a chapter there;
    a transcript with such comments is also read as chapters, each beginning with its first cue, and with ``kind='cues'``
    as cues with a segmentation. The title of a chapter is the text of its cue, or the identifier of a cue without text.
    """

    card: ClassVar[Card] = Card(
        title="WebVTT chapters, or cues with speakers", citation="W3C, WebVTT: The Web Video Text Tracks Format."
    )
    suffixes: ClassVar[tuple[str, ...]] = (".vtt",)
    begins: ClassVar[bytes] = b"WEBVTT"
    sample: ClassVar[Sample] = {"webvtt": (120_000, 480_000, 300_000)}
    keeps: ClassVar[frozenset[str]] = frozenset(
        {"segmentation", "n_units", "units", "speakers", "unit_times", "segment_titles", "unit"}
    )

    kind: str = param("auto", "whether to read cues or chapters", choices=("auto", "cues", "chapters"))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        text = read_text(path)
        captions, comments = _captions(text)
        lines = _cue_lines(text, captions)
        _tell_left_out(text, lines, path, strict)
        cues = [_cue(caption, line) for caption, line in zip(captions, lines, strict=True)]
        marks = {place: title for place, notes in enumerate(comments) if (title := _mark(notes)) is not None}
        if marks:
            # Cues before the first mark form a segment without a title.
            titles = marks if 0 in marks else {0: "", **marks}
            if self.kind == "cues":
                return cues_corpus(path, cues, titles)
            return chapters_of_cues(path, cues, titles, strict=strict)
        if self.kind == "chapters" or (self.kind == "auto" and _are_chapters(text, cues, path)):
            chapters = [
                Chapter(cue.start, cue.end, cue.text or str(caption.identifier or ""), cue.line)
                for cue, caption in zip(cues, captions, strict=True)
            ]
            return chapter_lists(path, [ChapterList(chapters)], strict=strict)
        return cues_corpus(path, cues)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the cues, written without webvtt-py, whose output differs between versions."""
        (document,) = corpus
        if document.unit == "ms":
            yield b"WEBVTT\nKind: chapters\n"
            for chapter in chapters_of(document, needs_end=True):
                yield _block(Cue(chapter.start, chapter.end or 0, chapter.title))
        else:
            yield b"WEBVTT\n"
            yield from _transcript(document, cues_of(document, self.name()))


def _captions(text: str) -> tuple[Sequence[Any], list[list[str]]]:
    """Return the cues, and the comments before each."""
    webvtt = library("webvtt", "reading WebVTT", "transcripts")
    if not text.startswith("WEBVTT"):
        raise FormatError("does not begin with WEBVTT; add that word as the first line", line=1)
    first_bad = next(_arrows(text, bad=True), None)
    try:
        file = webvtt.WebVTT.from_string(text)
        captions: Sequence[Any] = file.captions
    except Exception:
        raise FormatError("cannot be read as WebVTT; check its cues", line=first_bad) from None
    if not captions:
        raise FormatError("contains no cue; a cue has a line such as 00:01.000 --> 00:04.000", line=first_bad)
    comments = [list(caption.comments) for caption in captions]
    comments[0][:0] = file.header_comments
    return captions, comments


def _arrows(text: str, *, bad: bool = False) -> Iterator[int]:
    """Yield the numbers of lines with an arrow; with ``bad``, of those without valid times."""
    for number, line in enumerate(text.split("\n"), start=1):
        if "-->" in line and not (bad and _TIMING.match(line)):
            yield number


def _cue_lines(text: str, captions: Sequence[Any]) -> list[int | None]:
    """Return the line with the times of each cue, which the library does not report."""
    lines = text.split("\n")
    timed = [(number, match) for number in _arrows(text) if (match := _TIMING.match(lines[number - 1]))]
    if len(timed) == len(captions):
        return [number for number, _ in timed]
    times = [(parse_clock(match[1]), parse_clock(match[2])) for _, match in timed]
    found: list[int | None] = []
    at = 0
    for caption in captions:
        wanted = parse_clock(caption.start), parse_clock(caption.end)
        here = next((place for place in range(at, len(times)) if times[place] == wanted), None)
        found.append(None if here is None else timed[here][0])
        at = at if here is None else here + 1
    return found


def _tell_left_out(text: str, cue_lines: Sequence[int | None], path: Path, strict: bool) -> None:
    """Warn about cues that the library skipped, and about text outside of cues."""
    bad = sorted(set(_arrows(text)) - set(cue_lines))
    if bad:
        cues = plural(len(bad), "cue", "cues")
        notice(f"{cues} with invalid times ignored", path, strict=strict, line=bad[0])
    apart: list[int] = []
    first, start = next(_arrows(text), 0), 1
    for is_block, lines in itertools.groupby(text.split("\n"), bool):
        block = list(lines)
        if is_block and start > first and not _NO_CUE.match(block[0]) and not any("-->" in x for x in block):
            apart.append(start)
        start += len(block)
    if apart:
        message = (
            f"{plural(len(apart), 'block', 'blocks')} of lines without times ignored; check that the file is complete"
        )
        notice(message, path, strict=strict, line=apart[0])


def _cue(caption: Any, line: int | None) -> Cue:
    start, end = parse_clock(caption.start), parse_clock(caption.end)
    if start is None or end is None:
        message = f"the times of a cue are {caption.start!r} and {caption.end!r}; write 00:01.000 --> 00:04.000"
        raise FormatError(message, line=line)
    raw = str(caption.raw_text)
    voice = _VOICE.search(raw)
    text = _TAG.sub("", _VOICE.sub("", raw))
    speaker = _unescaped(voice["speaker"]).strip() if voice else ""
    return Cue(start, end, _unescaped(text).strip(), speaker, line)


def _mark(comments: Sequence[str]) -> str | None:
    """Return the title of the chapter that starts in these comments, or None."""
    matches = (_MARK.match(comment.strip()) for comment in comments)
    return next((match["title"].strip() for match in matches if match), None)


def _are_chapters(text: str, cues: Sequence[Cue], path: Path) -> bool:
    before_cues = text.partition("-->")[0]
    if re.search(r"\bchapters\b", before_cues, re.IGNORECASE) or "chapter" in stem(path).casefold():
        return True
    return look_like_titles(cues)


def _transcript(document: Document, cues: Sequence[Cue]) -> Iterator[bytes]:
    titles: dict[int, str] = {}
    if document.segmentation is not None:
        titles = dict(zip((0, *document.segmentation.boundaries), titles_of(document), strict=True))
    for place, cue in enumerate(cues):
        if not cue.text or "-->" in cue.text or re.search(r"\n[ \t]*\n", cue.text):
            what = f"document {document.id!r}: unit {place + 1} is blank or contains a blank line or an arrow"
            raise FormatError(f"{what}; correct it")
        if place in titles:
            yield utf8(f"\nNOTE Chapter: {_escaped(titles[place])}\n")
        yield _block(cue)


def _block(cue: Cue) -> bytes:
    speaker = f"<v {_escaped(cue.speaker)}>" if cue.speaker else ""
    return utf8(f"\n{clock(cue.start)} --> {clock(cue.end)}\n{speaker}{_escaped(cue.text)}\n")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _unescaped(text: str) -> str:
    return re.sub("|".join(_ENTITIES), lambda match: _ENTITIES[match[0]], text)
