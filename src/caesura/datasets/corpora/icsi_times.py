# SPDX-License-Identifier: Apache-2.0
"""The reference segmentation of 25 ICSI meetings, in seconds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally
from caesura.declare import param
from caesura.errors import FormatError
from caesura.files import stem
from caesura.formats import read_text
from caesura.segmentation import Segmentation, milliseconds

__all__ = ["ICSITimes"]

_TAGS = ("cut", "agenda", "digits", "")


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class ICSITimes(Dataset):
    """The starts of the topics of 25 ICSI meetings, in seconds: the majority of three or more annotators.

    A line is the start of a segment, and may have a tag: ``cut`` (talk before the meeting), ``agenda`` or ``digits``. The
    length of the meeting is not given, so a document is open-ended: a comparison uses the length of the other side.
    Time before the first line belongs to no segment; with ``before='drop'`` the first line is not a boundary.
    """

    card = DatasetCard(
        title="25 research meetings, boundaries in seconds",
        citation="Galley, M., McKeown, K., Fosler-Lussier, E., and Jing, H. (2003). Discourse segmentation of multi-party "
        "conversation. ACL.",
        source="github.com/jacobeisenstein/bayes-seg (data/icsi/segs)",
        licence="unclear (repository GPL-2)",
        unit="ms",
        boundary="the start of a segment",
        files="NAME.ref with lines 'SECONDS' or 'SECONDS<tab>TAG'",
        serves="boundaries in time",
        checked=False,
    )
    patterns = ("*.ref",)

    before: str = param(
        "drop", "whether time before the first line is part of the first segment, or a segment", choices=("drop", "own")
    )

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the meeting of a file."""
        starts: list[int] = []
        titles: list[str] = []
        for number, line in enumerate(read_text(file).split("\n"), start=1):
            if not line.strip():
                continue
            seconds, _, tag = line.strip().partition("\t")
            try:
                start = milliseconds(float(seconds), "the start")
            except ValueError:
                raise FormatError(f"the line begins with {seconds[:20]!r}, not with seconds", line=number) from None
            if tag.strip() not in _TAGS or (starts and start <= starts[-1]):
                raise FormatError("the tag is unknown, or the start is not after the previous one", line=number)
            starts.append(start)
            titles.append(tag.strip())
        if not starts:
            raise FormatError("names no segment")
        own = self.before == "own" and starts[0] > 0
        gaps = starts if own else starts[1:]
        yield Document(
            id=stem(file),
            n_units=starts[-1] + 1,
            segmentation=Segmentation(starts[-1] + 1, gaps, unit="ms"),
            unit="ms",
            open_ended=True,
            extra={"segment_titles": ["", *titles] if own else titles},
        )
