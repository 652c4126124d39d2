# SPDX-License-Identifier: Apache-2.0
"""YTSeg: chapters of videos."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard
from caesura.datasets.records import each_record
from caesura.datasets.units import Tally, built, running
from caesura.declare import param
from caesura.errors import FormatError

__all__ = ["YTSeg"]


class _Video(msgspec.Struct):
    text: list[str]
    targets: str
    video_id: str


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class YTSeg(Dataset):
    """Transcripts of videos with the chapters that their authors set.

    ``targets`` has one digit per sentence. The documentation does not say whether a 1 stands on the first or the last
    sentence of a chapter, so ``marks`` must be given.
    """

    card: ClassVar[DatasetCard] = DatasetCard(
        title="transcripts of videos with chapters",
        citation="Retkowski, F., and Waibel, A. (2024). From text segmentation to smart chaptering: a novel benchmark for "
        "structuring video transcriptions. EACL.",
        source="huggingface.co/datasets/retkowski/ytseg (data/partitions)",
        licence="CC BY-NC-SA 4.0",
        unit="sentence",
        boundary="beside a sentence whose target is 1",
        files="yt_seg.SPLIT.json with 'text', 'targets' and 'video_id' for each video",
        serves="chapters of long recordings",
        checked=False,
    )
    patterns: ClassVar[tuple[str, ...]] = ("yt_seg.{split}.json",)

    split: str = param("test", "the part to read from a folder", choices=("train", "val", "test"))
    marks: str | None = param(
        None,
        "what a target of 1 stands on: the first or the last sentence of a chapter",
        choices=("first", "last"),
    )

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the videos of a file."""
        if self.marks is None:
            raise FormatError(
                "has targets of 0 and 1; say what a 1 stands on: YTSeg(marks='first') or YTSeg(marks='last')"
            )
        for _, video in each_record(file, _Video):
            if set(video.targets) - {"0", "1"} or len(video.targets) != len(video.text):
                raise FormatError(
                    f"video {video.video_id!r}: targets must be one digit of 0 or 1 for each of {len(video.text)} sentences"
                )
            flags = [digit == "1" for digit in video.targets]
            starts = flags if self.marks == "first" else [False, *flags[:-1]]
            yield built(video.video_id, self.card.unit, video.text, running(starts), tally)
