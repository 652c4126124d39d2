# SPDX-License-Identifier: Apache-2.0
"""SubRip subtitles: numbered cues with times."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import ChapterList, chapter_lists
from caesura.formats._files import plural, read_text, utf8
from caesura.formats._timed import Chapter, Cue, clock, cues_corpus, cues_of, look_like_titles, parse_clock

__all__ = ["Srt"]

_TIMES = re.compile(rb"[0-9]{1,2}:[0-9]{2}:[0-9]{2}[,.][0-9]{1,3}\s*-->")
_TAG = re.compile(r"</?(?:b|i|u|s|font)\b[^<>]*>", re.IGNORECASE)
_SPEAKER = re.compile(r"\[(?P<speaker>[^\[\]\n]+)\]:\s+")
_CLOCK = r"[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}[.,][0-9]{1,3}"
_TIMING = re.compile(rf"\s*(?P<start>{_CLOCK})\s*-->\s*(?P<end>{_CLOCK})(?:\s.*)?\Z")
_STAMP = re.compile(_CLOCK)
_BLANKS = re.compile(r"\n{3,}")
_NUMBER = re.compile(r"\s*[0-9]+\s*\Z")
_LATEST = 100 * 3_600_000 - 1


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Srt(Format):
    """SubRip subtitles: each cue is a unit (unit ``cue``) with its text and times, or a chapter (unit ``ms``).

    A text that begins with ``[SPEAKER_00]: `` names its speaker, as in the output of WhisperX. Formatting tags are
    removed. SubRip has no sign of chapters: they are read with ``kind='chapters'``, or if the file name contains
    ``chapter``. Cues that look like titles, 10 seconds or longer on average with fewer than 3 characters per second, are
    asked about; ``kind='cues'`` reads them as units without a segmentation.
    """

    card: ClassVar[Card] = Card(title="SubRip subtitles (SRT)")
    suffixes: ClassVar[tuple[str, ...]] = (".srt",)
    sample: ClassVar[Sample] = {"srt": None}
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units", "speakers", "unit_times"})

    kind: str = param("auto", "whether to read cues or chapters", choices=("auto", "cues", "chapters"))

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether there are cue times, and the file does not begin like WebVTT."""
        return not head.lstrip().startswith(b"WEBVTT") and _TIMES.search(head) is not None

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        text = read_text(path)
        if "-->" not in text:
            raise FormatError("contains no cue; a cue has a line such as 00:00:01,000 --> 00:00:04,000")
        cues = list(_cues(text))
        if self.kind == "chapters" or (self.kind == "auto" and "chapter" in stem(path).casefold()):
            chapters = [Chapter(cue.start, cue.end, cue.text, cue.line) for cue in cues]
            return chapter_lists(path, [ChapterList(chapters)], strict=strict)
        if self.kind == "auto" and look_like_titles(cues):
            seconds = sum(cue.end - cue.start for cue in cues) / 1000 / len(cues)
            raise FormatError(
                f"its {plural(len(cues), 'cue', 'cues')} of {seconds:.0f} s on average may be chapters, each a segment, or subtitles, "
                f"each a unit; say which: {path.name}::srt(kind='chapters') or {path.name}::srt(kind='cues')"
            )
        return cues_corpus(path, cues)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the cues."""
        (document,) = corpus
        for number, cue in enumerate(cues_of(document, self.name()), start=1):
            if cue.end > _LATEST:
                what = f"document {document.id!r}: cue {number} ends after 100 hours"
                raise FormatError(f"{what}, which SRT cannot hold; split the document")
            if re.search(r"\n\s*\n", cue.text) or "-->" in cue.text or not cue.text:
                what = f"document {document.id!r}: unit {number} is blank or contains a blank line or an arrow"
                raise FormatError(f"{what}; correct it")
            speaker = f"[{cue.speaker}]: " if cue.speaker else ""
            times = f"{clock(cue.start, ',')} --> {clock(cue.end, ',')}"
            yield utf8(f"{number}\n{times}\n{speaker}{cue.text}\n\n")


def _cues(text: str) -> Iterator[Cue]:
    """Yield the cues: lines with times, each with the lines up to the number of the next; refuse times that are not valid."""
    lines = text.rstrip().split("\n")
    found: list[tuple[int, int, int]] = []
    for number, line in enumerate(lines, start=1):
        before = lines[number - 2] if number > 1 else ""
        opens = not before.strip() or _NUMBER.match(before) is not None
        if len(_STAMP.findall(line)) == 2 or ("-->" in line and opens):
            match = _TIMING.match(line)
            start, end = (parse_clock(match[side]) if match else None for side in ("start", "end"))
            if start is None or end is None:
                message = f"{line.strip()[:60]!r} are not valid cue times; write 00:00:01,000 --> 00:00:04,000"
                raise FormatError(message, line=number)
            found.append((number, start, end))
    # A file that ends with the number of the next cue, or with part of its times, is truncated.
    for number in (len(lines), len(lines) - 1):
        opens = number < 2 or not lines[number - 2].strip()
        complete = bool(found) and found[-1][0] == len(lines)
        if opens and lines[number - 1].strip() == str(len(found) + 1) and not complete:
            raise FormatError(f"cue {len(found) + 1} has no times; the file is truncated, write it again", line=number)
    for (number, start, end), (after, *_) in pairwise([*found, (len(lines) + 1, 0, 0)]):
        body = lines[number : after - 1]
        if after <= len(lines) and len(body) > 1 and _NUMBER.match(body[-1]):
            body.pop()
        spoken = _BLANKS.sub("\n\n", _TAG.sub("", "\n".join(body))).strip()
        speaker = _SPEAKER.match(spoken)
        name, said = (speaker["speaker"], spoken[speaker.end() :]) if speaker else ("", spoken)
        yield Cue(start, end, said.strip(), name, number)
