# SPDX-License-Identifier: Apache-2.0
"""Taskmaster: task dialogues, joined."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from caesura.datasets.base import DATASETS, DatasetCard, Tally
from caesura.datasets.folders import each_record, files_below
from caesura.datasets.joins import Dialogue, Joined
from caesura.errors import FormatError
from caesura.files import stem, suffix
from caesura.formats import read_text

__all__ = ["Taskmaster"]

_MARK = re.compile(r"<(U|A|PN|PAN|PAV|PR|PRAN|PRAV|C)>")
_SPEAKERS = {"U": "user", "A": "assistant"}


class _Utterance(msgspec.Struct):
    speaker: str
    text: str


class _Conversation(msgspec.Struct):
    conversation_id: str
    utterances: list[_Utterance]
    vertical: str = ""
    instruction_id: str = ""


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class Taskmaster(Joined):
    """Dialogues about errands, several joined to a document; neighbours are about different tasks.

    The task is ``vertical`` (TM-4), ``instruction_id`` without its number (TM-1), or the name of the file. The tables of
    TM-3 hold one row per prediction: a dialogue is rebuilt from its longest context, without service calls.
    """

    card = DatasetCard(
        title="task dialogues, joined",
        citation="Byrne, B., et al. (2019). Taskmaster-1: toward a realistic and diverse dialog dataset. EMNLP-IJCNLP.",
        source="github.com/google-research-datasets/Taskmaster",
        licence="CC BY 4.0",
        unit="turn",
        boundary="two dialogues were joined",
        files="*.json (TM-1, TM-2, TM-4: conversation_id, utterances) and *.tsv (TM-3: context, target, id)",
        serves="paper 003",
    )
    patterns = ("*.json", "*.tsv")

    def files(self, folder: Path) -> list[Path]:
        """Return the files of every kind."""
        files: list[Path] = []
        for pattern in self.patterns:
            try:
                files += files_below(folder, [pattern], self.name(), self.card.files)
            except FormatError:
                continue
        return files or files_below(folder, self.patterns, self.name(), self.card.files)

    def pool(self, file: Path, tally: Tally) -> Iterable[Dialogue]:
        """Yield the dialogues of a file."""
        return _from_table(file) if suffix(file) == ".tsv" else _from_json(file)


def _from_json(file: Path) -> Iterator[Dialogue]:
    for _, one in each_record(file, _Conversation):
        category = one.vertical or re.sub(r"-[0-9]+\Z", "", one.instruction_id) or stem(file)
        turns = one.utterances
        speakers = [turn.speaker.lower() for turn in turns]
        yield Dialogue(one.conversation_id, category, [turn.text for turn in turns], speakers)


def _from_table(file: Path) -> Iterator[Dialogue]:
    longest: dict[str, str] = {}
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 3:
            raise FormatError(f"the row has {len(cells)} columns, not context, target, id", line=number)
        context, _, key = cells
        if len(context) > len(longest.setdefault(key.strip(), "")):
            longest[key.strip()] = context
    for key, context in longest.items():
        # The text before <C> repeats the last service call.
        _, *pieces = _MARK.split(context.partition("<C>")[2] or context)
        turns = [
            (_SPEAKERS[mark], text) for mark, text in zip(pieces[::2], pieces[1::2], strict=True) if mark in _SPEAKERS
        ]
        yield Dialogue(key, "movie tickets", [text for _, text in turns], [speaker for speaker, _ in turns])
