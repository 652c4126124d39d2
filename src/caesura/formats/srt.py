# SPDX-License-Identifier: Apache-2.0
"""SubRip subtitles: numbered cues with times."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from caesura.corpus import Corpus
from caesura.declare import Card
from caesura.errors import FormatError, MissingExtraError
from caesura.formats._base import FORMATS, Format
from caesura.formats._files import read_text, utf8
from caesura.formats._timed import Cue, clock, cues_corpus, cues_of

__all__ = ["SRT"]

_TIMES = re.compile(rb"[0-9]{1,2}:[0-9]{2}:[0-9]{2}[,.][0-9]{1,3}\s*-->")
_TAG = re.compile(r"</?(?:b|i|u|s|font)\b[^<>]*>", re.IGNORECASE)
_SPEAKER = re.compile(r"\[(?P<speaker>[^\[\]\n]+)\]:\s+")
_LATEST = 100 * 3_600_000 - 1


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class SRT(Format):
    """SubRip subtitles: each cue is a unit (unit ``cue``) with its text and times.

    A text that begins with ``[SPEAKER_00]: `` names its speaker, as WhisperX writes it. Formatting tags are taken off.
    The document has no segmentation: SubRip knows no chapters.
    """

    card: ClassVar[Card] = Card(title="SubRip subtitles (SRT)")
    suffixes: ClassVar[tuple[str, ...]] = (".srt",)
    keeps: ClassVar[frozenset[str]] = frozenset({"n_units", "units", "speakers", "unit_times"})

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Say whether there are times with a comma, and no head of WebVTT."""
        return not head.lstrip().startswith(b"WEBVTT") and _TIMES.search(head) is not None

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; `Format.read` says how."""
        try:
            import pysubs2
        except ImportError:
            raise MissingExtraError("reading SRT", "transcripts") from None
        text = read_text(path)
        if "-->" not in text:
            raise FormatError("holds no cue; a cue has a line such as 00:00:01,000 --> 00:00:04,000", path)
        try:
            events = pysubs2.SSAFile.from_string(text, format_="srt", keep_html_tags=True)
        except Exception as error:
            raise FormatError(f"cannot be read as SRT ({_shown(error)})", path) from None
        return cues_corpus(path, [_cue(event.start, event.end, event.text) for event in events])

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the cues; by hand, since pysubs2 takes a backslash in a text for a command when it writes."""
        (document,) = corpus
        for number, cue in enumerate(cues_of(document, self.name()), start=1):
            if cue.end > _LATEST:
                raise FormatError(
                    f"document {document.id!r}: cue {number} ends after 100 hours, which SRT cannot hold"
                )
            if re.search(r"\n\s*\n", cue.text) or "-->" in cue.text or not cue.text:
                raise FormatError(
                    f"document {document.id!r}: unit {number} is blank or holds a blank line or an arrow"
                )
            speaker = f"[{cue.speaker}]: " if cue.speaker else ""
            yield utf8(
                f"{number}\n{clock(cue.start, ',')} --> {clock(cue.end, ',')}\n{speaker}{cue.text}\n\n"
            )


def _cue(start: int, end: int, raw: str) -> Cue:
    text = _TAG.sub("", raw.replace(r"\N", "\n"))
    match = _SPEAKER.match(text)
    if match is None:
        return Cue(start, end, text.strip())
    return Cue(start, end, text[match.end() :].strip(), match["speaker"])


def _shown(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:120]
