# SPDX-License-Identifier: Apache-2.0
"""QMSum: meetings with topics over spans of turns."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.datasets.folders import each_record
from caesura.declare import param
from caesura.errors import FormatError

__all__ = ["QMSum"]


class _Turn(msgspec.Struct):
    speaker: str
    content: str


class _Topic(msgspec.Struct):
    topic: str
    relevant_text_span: list[tuple[str | int, str | int]]


class _Meeting(msgspec.Struct):
    meeting_transcripts: list[_Turn]
    topic_list: list[_Topic]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class QMSum(Dataset):
    """Meetings of product teams, academics and committees, with topics over spans of speaker turns.

    Spans are inclusive, may overlap, and leave turns without a topic: both are choices. A boundary lies where the topic of
    the turns changes.
    """

    card = DatasetCard(
        title="meetings with topics over spans of speaker turns",
        citation="Zhong, M., et al. (2021). QMSum: a new benchmark for query-based multi-domain meeting summarization. NAACL.",
        source="github.com/Yale-LILY/QMSum (data)",
        licence="MIT (transcripts of AMI and ICSI: CC BY 4.0)",
        unit="turn",
        boundary="the topic of the turns changes",
        files="files NAME.json with 'meeting_transcripts' and 'topic_list', one meeting each, or SPLIT.jsonl",
        serves="papers 000 and 003; long meetings",
    )
    patterns = ("{split}/*.json", "{split}.jsonl", "*.json")

    split: str = param("test", "the part to read from a folder", choices=("train", "val", "test"))
    overlap: str = param("first", "which topic a turn of two topics belongs to", choices=("first", "last"))
    gaps: str = param(
        "own",
        "whether turns without a topic form their own segment or belong to the previous topic",
        choices=("own", "previous"),
    )

    def files(self, folder: Path) -> list[Path]:
        """Return the files to read; the release holds every meeting a second time, under ALL."""
        files = super().files(folder)
        return [file for file in files if "ALL" not in file.parts] or files

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the meetings of a file."""
        for key, meeting in each_record(file, _Meeting):
            turns = meeting.meeting_transcripts
            yield built(
                name if key is None else f"{name}/{key}",
                self.card.unit,
                [turn.content for turn in turns],
                self._topics(meeting),
                tally,
                speakers=[turn.speaker for turn in turns],
                titles={place: topic.topic for place, topic in enumerate(meeting.topic_list)},
            )

    def _topics(self, meeting: _Meeting) -> list[int | None]:
        """Return the index of the topic of each turn, or None."""
        topics: list[int | None] = [None] * len(meeting.meeting_transcripts)
        for place, topic in enumerate(meeting.topic_list):
            for span in topic.relevant_text_span:
                first, last = (_index(value, topic.topic) for value in span)
                if not 0 <= first <= last:
                    raise FormatError(f"topic {topic.topic!r}: {first} to {last} is not a span of turns")
                if last >= len(topics):
                    raise FormatError(
                        f"topic {topic.topic!r} ends at turn {last}, but the meeting has {len(topics)}, counted from 0"
                    )
                for turn in range(first, last + 1):
                    if topics[turn] is None or self.overlap == "last":
                        topics[turn] = place
        if self.gaps == "previous":
            for turn in range(1, len(topics)):
                topics[turn] = topics[turn - 1] if topics[turn] is None else topics[turn]
            first_topic = next((topic for topic in topics if topic is not None), None)
            topics = [first_topic if topic is None else topic for topic in topics]
        return topics


def _index(value: str | int, topic: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise FormatError(f"topic {topic!r}: {value!r} is not the number of a turn") from None
