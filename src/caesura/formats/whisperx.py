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
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._chapters import chapters_of_cues
from caesura.formats._files import positions
from caesura.formats._json import json_file, json_line, read_json
from caesura.formats._timed import Cue, cues_corpus, cues_of, milliseconds, titles_of

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
    json_key: ClassVar[str] = "segments"
    sample: ClassVar[Sample] = {"whisperx": None}
    keeps: ClassVar[frozenset[str]] = frozenset(
        {"segmentation", "n_units", "units", "speakers", "unit_times", "segment_titles"}
    )

    kind: str = param("auto", "whether to read cues or chapters", choices=("auto", "cues", "chapters"))

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        segments = read_json(path, _File).segments
        with positions(lambda place: json_line(path, "segments", place)):
            cues = [_cue(segment, place) for place, segment in enumerate(segments)]
            titles = _titles(_topics(segments))
            if not titles and self.kind == "chapters":
                raise FormatError("its segments have no 'topic', so there are no chapters; read it with kind='cues'")
            corpus = cues_corpus(path, cues, titles)
            if not titles or self.kind == "cues":
                return corpus
            return chapters_of_cues(path, cues, titles, strict=strict)

    def encode(self, corpus: Corpus) -> Iterator[bytes]:
        """Return the JSON."""
        (document,) = corpus
        entries: list[dict[str, object]] = []
        for cue in cues_of(document, self.name()):
            entry = {"start": cue.start / 1000, "end": cue.end / 1000, "text": cue.text}
            entries.append(entry | {"speaker": cue.speaker} if cue.speaker else entry)
        if document.segmentation is not None:
            titles = _distinct(titles_of(document))
            for entry, number in zip(entries, document.segmentation.labels, strict=True):
                entry["topic"] = titles[number]
        yield json_file({"segments": entries})


def _cue(segment: _Segment, place: int) -> Cue:
    start = milliseconds(segment.start, f"start of segment {place + 1}", place)
    end = milliseconds(segment.end, f"end of segment {place + 1}", place)
    return Cue(start, end, segment.text.strip(), segment.speaker or "", place)


def _topics(segments: Sequence[_Segment]) -> list[object]:
    """Return the topic of every segment; none if the file has no topics."""
    for key in _TOPIC_KEYS:
        values = [getattr(segment, key) for segment in segments]
        lacking = [place for place, value in enumerate(values) if value is msgspec.UNSET]
        if len(lacking) == len(values):
            continue
        if lacking:
            raise FormatError(f"segment {lacking[0] + 1} has no {key!r}, but others do; add it to all", line=lacking[0])
        return values
    return []


def _titles(topics: Sequence[object]) -> dict[int, str]:
    """Return the topics, keyed by the index of the first segment of each."""
    return {place: str(topic) for place, topic in enumerate(topics) if not place or topic != topics[place - 1]}


def _distinct(titles: list[str]) -> list[str]:
    """Return titles of which no two adjacent ones are equal, since a boundary is a change of topic."""
    if any(first == second for first, second in pairwise(titles)):
        return [f"{place} {title}" for place, title in enumerate(titles, start=1)]
    return titles
