# SPDX-License-Identifier: Apache-2.0
"""YTSeg: chapters of videos."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built, running
from caesura.datasets.folders import each_record
from caesura.declare import param
from caesura.errors import FormatError

__all__ = ["YTSeg"]

_PREFIX = "|="
_KINDS = {"reference": "ref", "small": "wt", "large": "wl"}


class _Video(msgspec.Struct):
    """A video: ``text`` and ``targets`` in the first release, a transcript and targets of each kind in later ones."""

    video_id: str
    text: list[str] | None = None
    targets: str | None = None
    text_ref: list[str] | None = None
    text_wt: list[str] | None = None
    text_wl: list[str] | None = None
    target_binary_ref: str | None = None
    target_binary_wt: str | None = None
    target_binary_wl: str | None = None


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class YTSeg(Dataset):
    """Transcripts of videos with the chapters that their authors set.

    The targets have one digit per sentence, after ``|=``, which keeps them from being read as a number. A 1 marks the first
    sentence of every chapter but the first. This is not documented, but the authors' program for the same field of their other
    dataset, TEDSeg, does so. ``marks='last'`` reads a 1 as the end of a chapter. Later releases have three transcripts of each
    video: the reference, and the output of a small and a large recogniser.
    """

    card = DatasetCard(
        title="transcripts of videos with chapters",
        citation="Retkowski, F., and Waibel, A. (2024). From text segmentation to smart chaptering: a novel benchmark for "
        "structuring video transcriptions. EACL.",
        source="huggingface.co/datasets/retkowski/ytseg (data/partitions)",
        licence="CC BY-NC-SA 4.0",
        unit="sentence",
        boundary="before a sentence whose target is 1",
        files="yt_seg.SPLIT.json with 'video_id' and 'text' with 'targets', or 'text_ref' with 'target_binary_ref', for each video",
        serves="chapters of long recordings",
        checked=False,
    )
    patterns = ("yt_seg.{split}.json",)

    split: str = param("test", "the part to read from a folder", choices=("train", "val", "test"))
    transcript: str = param(
        "reference",
        "the transcript: the reference, or that of the small or the large recogniser",
        choices=tuple(_KINDS),
    )
    marks: str = param("first", "which sentence of a chapter a target of 1 marks", choices=("first", "last"))

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the videos of a file."""
        for _, video in each_record(file, _Video):
            text = getattr(video, f"text_{_KINDS[self.transcript]}")
            targets = getattr(video, f"target_binary_{_KINDS[self.transcript]}")
            if self.transcript == "reference" and text is None:
                text, targets = video.text, video.targets
            if text is None or targets is None:
                raise FormatError(
                    f"video {video.video_id!r} has no text and targets of the {self.transcript} transcript"
                )
            targets = targets.removeprefix(_PREFIX)
            if set(targets) - {"0", "1"} or len(targets) != len(text):
                raise FormatError(
                    f"video {video.video_id!r}: targets must be one digit of 0 or 1 for each of {len(text)} sentences"
                )
            flags = [digit == "1" for digit in targets]
            starts = flags if self.marks == "first" else [False, *flags[:-1]]
            yield built(video.video_id, self.card.unit, text, running(starts), tally)
