# SPDX-License-Identifier: Apache-2.0
"""WebVTT: cues of a transcript, or chapters."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from caesura.corpus import Corpus, Document
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import ChapterList, chapter_lists, chapters_of_cues
from caesura.formats._files import notice, plural, read_text, utf8
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
        blocks = _cue_blocks(text, path, strict)
        cues = [block.cue for block in blocks]
        marks = {place: title for place, block in enumerate(blocks) if (title := _mark(block.comments)) is not None}
        if marks:
            # Cues before the first mark form a segment without a title.
            titles = marks if 0 in marks else {0: "", **marks}
            if self.kind == "cues":
                return cues_corpus(path, cues, titles)
            return chapters_of_cues(path, cues, titles, strict=strict)
        if self.kind == "chapters" or (self.kind == "auto" and _are_chapters(text, cues, path)):
            chapters = [Chapter(cue.start, cue.end, cue.text or name, cue.line) for cue, name, _ in blocks]
            return chapter_lists(path, [ChapterList(chapters)], strict=strict)
        return cues_corpus(path, cues)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the cues."""
        (document,) = corpus
        if document.unit == "ms":
            yield b"WEBVTT\nKind: chapters\n"
            for chapter in chapters_of(document, needs_end=True):
                yield _block(Cue(chapter.start, chapter.end or 0, chapter.title))
        else:
            yield b"WEBVTT\n"
            yield from _transcript(document, cues_of(document, self.name()))


class _CueBlock(NamedTuple):
    """A cue, its identifier, and the comments before it."""

    cue: Cue
    identifier: str
    comments: list[str]


def _cue_blocks(text: str, path: Path, strict: bool) -> list[_CueBlock]:
    """Return the cues; a block that is none, although it has an arrow or follows a cue, is counted in a warning."""
    if not text.startswith("WEBVTT"):
        raise FormatError("does not begin with WEBVTT; add that word as the first line", line=1)
    found: list[_CueBlock] = []
    comments: list[str] = []
    bad, apart = [], []
    for start, block in _blocks(text):
        at = next((place for place, line in enumerate(block) if "-->" in line), None)
        if at is not None and (match := _TIMING.match(block[at])):
            cue = _cue(match, "\n".join(block[at + 1 :]), start + at)
            found.append(_CueBlock(cue, block[0] if at else "", comments))
            comments = []
        elif at is not None:
            bad.append(start + at)
        elif block[0].startswith("NOTE"):
            comments.append("\n".join(block).removeprefix("NOTE").strip())
        elif (found or bad) and not _NO_CUE.match(block[0]):
            apart.append(start)
    if not found:
        raise FormatError(
            "contains no cue; a cue has a line such as 00:01.000 --> 00:04.000", line=next(iter(bad), None)
        )
    if bad:
        notice(f"{plural(len(bad), 'cue', 'cues')} with invalid times ignored", path, strict=strict, line=bad[0])
    if apart:
        what = f"{plural(len(apart), 'block', 'blocks')} of lines without times ignored"
        notice(f"{what}; check that the file is complete", path, strict=strict, line=apart[0])
    return found


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks of lines, each with its first line; one ends before a blank line, or an arrow that is not its own.

    An arrow stands on the first line of a block, or on the second, below an identifier.
    """
    block: list[str] = []
    header = True
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        another = "-->" in line and (header or len(block) > 1 or "-->" in "".join(block))
        if block and (not line or another):
            yield number - len(block), block
            block, header = [], False
        if line:
            block.append(line)


def _cue(times: re.Match[str], raw: str, line: int) -> Cue:
    start, end = parse_clock(times[1]), parse_clock(times[2])
    if start is None or end is None:
        message = f"the times of a cue are {times[1]!r} and {times[2]!r}; write 00:01.000 --> 00:04.000"
        raise FormatError(message, line=line)
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
