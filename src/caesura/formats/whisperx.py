# SPDX-License-Identifier: Apache-2.0
"""JSON transcripts of WhisperX and Whisper."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from caesura.corpus import Corpus
from caesura.declare import Card, param
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format
from caesura.formats._json import json_file, json_line, read_json, top_keys
from caesura.formats._timed import (
    Chapter,
    Cue,
    chapters_corpus,
    cues_corpus,
    cues_of,
    milliseconds,
    titles_of,
)

__all__ = ["Whisperx"]

_TOPIC_KEYS = ("topic", "chapter", "label")


class _Segment(msgspec.Struct):
    start: float
    end: float
    text: str = ""
    speaker: str | None = None
    topic: Any = msgspec.UNSET
    chapter: Any = msgspec.UNSET
    label: Any = msgspec.UNSET


class _File(msgspec.Struct):
    segments: list[_Segment]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Whisperx(Format):
    """Transcripts of WhisperX (JSON): ``{"segments": [{"start": 0.5, "end": 3.1, "text": "…", "speaker": "SPEAKER_00"}]}``.

    Each WhisperX segment is a unit (unit ``cue``) with text, times and speaker. If every segment also has a ``topic`` (or
    ``chapter``, or ``label``), a boundary lies where it changes. Such a file is read as chapters in milliseconds, each
    beginning with its first cue, so that it can be compared with other chapters; ``kind='cues'`` keeps the cues as units,
    with their text.
    """

    card: ClassVar[Card] = Card(title="WhisperX transcripts (JSON)")
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    keeps: ClassVar[frozenset[str]] = frozenset(
        {"segmentation", "n_units", "units", "speakers", "unit_times", "segment_titles"}
    )

    kind: str = param("auto", "whether to read cues or chapters", choices=("auto", "cues", "chapters"))

    @classmethod
    def sniff(cls, head: bytes, path: Path) -> bool:
        """Return whether the object has segments."""
        return "segments" in top_keys(head)

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        segments = read_json(path, _File).segments

        def locate(place: int) -> int | None:
            return json_line(path, "segments", place)

        cues = [
            Cue(
                milliseconds(segment.start, f"start of segment {place + 1}", path, place, locate),
                milliseconds(segment.end, f"end of segment {place + 1}", path, place, locate),
                segment.text.strip(),
                segment.speaker or "",
                place,
            )
            for place, segment in enumerate(segments)
        ]
        topics = _topics(segments, path)
        if topics is None or not cues:
            if self.kind == "chapters":
                raise FormatError(
                    "its segments have no 'topic', so there are no chapters; read it with kind='cues'", path
                )
            return cues_corpus(path, cues, locate=locate)
        starts = [place for place, topic in enumerate(topics) if not place or topic != topics[place - 1]]
        titles = [topics[start] if isinstance(topics[start], str) else str(topics[start]) for start in starts]
        corpus = cues_corpus(path, cues, starts=starts, titles=titles, locate=locate)
        if self.kind == "cues":
            return corpus
        chapters = [
            Chapter(cues[start].start, None, title, start)
            for start, title in zip(starts, titles, strict=True)
        ]
        return chapters_corpus(
            path,
            chapters,
            end=max(cue.end for cue in cues),
            exact=False,
            strict=strict,
            holes=False,
            locate=locate,
        )

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the JSON."""
        (document,) = corpus
        entries: list[dict[str, Any]] = []
        for cue in cues_of(document, self.name()):
            entry = {"start": cue.start / 1000, "end": cue.end / 1000, "text": cue.text}
            entries.append(entry | {"speaker": cue.speaker} if cue.speaker else entry)
        if document.segmentation is not None:
            titles = _distinct(titles_of(document))
            for entry, number in zip(entries, document.segmentation.labels, strict=True):
                entry["topic"] = titles[number]
        yield json_file({"segments": entries})


def _topics(segments: Sequence[_Segment], path: Path) -> list[Any] | None:
    """Return the topic of every segment, or None if the file has none."""
    for key in _TOPIC_KEYS:
        values = [getattr(segment, key) for segment in segments]
        lacking = [place for place, value in enumerate(values, start=1) if value is msgspec.UNSET]
        if len(lacking) == len(values):
            continue
        if lacking:
            raise FormatError(
                f"segment {lacking[0]} has no {key!r}, but others do; add it to all",
                path,
                json_line(path, "segments", lacking[0] - 1),
            )
        return values
    return None


def _distinct(titles: list[str]) -> list[str]:
    """Return titles of which no two adjacent ones are equal, since a boundary is a change of topic."""
    if any(first == second for first, second in pairwise(titles)):
        return [f"{place} {title}" for place, title in enumerate(titles, start=1)]
    return titles
