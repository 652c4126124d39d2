# SPDX-License-Identifier: Apache-2.0
"""DailyDialog: everyday conversations, joined."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from caesura.datasets.base import DATASETS, DatasetCard, Tally
from caesura.datasets.joins import Dialogue, Joined
from caesura.errors import FormatError
from caesura.formats import read_text

__all__ = ["DailyDialog"]

_END = "__eou__"


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class DailyDialog(Joined):
    """Everyday conversations, several joined to a document; neighbours have different topic categories.

    One dialogue per line, ``__eou__`` after each utterance. The categories are those of ``dialogues_topic.txt`` beside the
    text, or the second column of a line with tabs (XDailyDialog). Speakers A and B alternate.
    """

    card = DatasetCard(
        title="everyday conversations, joined",
        citation="Li, Y., Su, H., Shen, X., Li, W., Cao, Z., and Niu, S. (2017). DailyDialog: a manually labelled multi-turn "
        "dialogue dataset. IJCNLP.",
        source="yanran.li/dailydialog; English side of github.com/liuzeming01/XDailyDialog",
        licence="CC BY-NC-SA 4.0",
        unit="utterance",
        boundary="two conversations were joined",
        files="dialogues_text*.txt with dialogues_topic*.txt, or *_test_human*.txt with tabs (XDailyDialog)",
        serves="paper 003",
    )
    patterns = ("dialogues_text*.txt", "*test*.txt")

    def pool(self, file: Path, tally: Tally) -> Iterable[Dialogue]:
        """Yield the conversations of a file."""
        lines = [line for line in read_text(file).split("\n") if line.strip()]
        if not any("\t" in line for line in lines):
            beside = sorted(file.parent.glob("dialogues_topic*.txt*"))
            if not beside:
                raise FormatError(f"has no topics; put dialogues_topic.txt next to it ({file.parent.name})")
            topics = read_text(beside[0]).split()
            if len(topics) != len(lines):
                raise FormatError(f"has {len(lines)} dialogues, but {beside[0].name} has {len(topics)} topics")
            lines = [f"{line}\t{topic}" for line, topic in zip(lines, topics, strict=True)]
        for number, line in enumerate(lines, start=1):
            text, *rest = line.split("\t")
            if not rest or _END not in text:
                raise FormatError(f"the line has no topic, or no {_END} between utterances", line=number)
            turns = [turn for turn in text.split(_END) if turn.strip()]
            speakers = ["AB"[place % 2] for place in range(len(turns))]
            yield Dialogue(str(number), rest[0].strip(), turns, speakers)
