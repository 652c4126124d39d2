# SPDX-License-Identifier: Apache-2.0
"""TIAGE: chats with topic shifts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built, running
from caesura.datasets.dialogues import UTTERANCE, alternating, read_dialogues
from caesura.declare import param
from caesura.errors import FormatError
from caesura.files import suffix
from caesura.formats import json_bytes, read_json, read_text, top_keys

__all__ = ["TIAGE"]

_LABELS = ("-1", "0", "1")


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class TIAGE(Dataset):
    """Chats of PersonaChat in which people marked where the topic shifts.

    The label 1 marks an utterance that starts a topic; the first has -1 in the JSON and 0 in the table. The source does not
    name speakers: they alternate, and the user begins. Also read: the dialogues in the layouts of lxing532 and
    SuperDialseg.
    """

    card = DatasetCard(
        title="chats with topic shifts",
        citation="Xie, H., Liu, Z., Xiong, C., Liu, Z., and Copestake, A. (2021). TIAGE: a benchmark for topic-shift aware "
        "dialog modeling. Findings of EMNLP.",
        source="github.com/HuiyuanXie/tiage (data/personachat/anno)",
        licence="MIT",
        unit=UTTERANCE,
        boundary="the label of the next utterance is 1",
        files="anno_SPLIT.json, anno_SPLIT_dialogs.tsv, or tiage.json (lxing532)",
        serves="paper 003",
    )
    patterns = (
        "anno_{split}.json",
        "anno_{split}_dialogs.tsv",
        "anno_{split}_all_dialogs.tsv",
        "tiage.json",
        "*segmentation_file_{split}.json",
    )

    split: str = param("test", "the part to read", choices=("train", "dev", "test"))

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the dialogues of a file."""
        if suffix(file) == ".tsv":
            return _from_table(file, tally)
        head = json_bytes(file).lstrip()[: 1 << 16]
        if head.startswith(b"[") or "dial_data" in top_keys(head):
            return read_dialogues(file, tally, splits=frozenset({self.split}))
        dialogues = read_json(file, dict[str, list[tuple[str, str]]]).items()
        return (_dialogue(key, turns, tally) for key, turns in dialogues)


def _from_table(file: Path, tally: Tally) -> Iterator[Document]:
    """Yield the dialogues of a table: index, text, label; each index 0 begins a dialogue."""
    dialogues: list[list[tuple[str, str]]] = []
    for number, line in enumerate(read_text(file).split("\n"), start=1):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != 3 or not cells[0].strip().isdecimal():
            raise FormatError("the row is not index, text, label, separated by tabs", line=number)
        index, text, label = cells
        if int(index) == 0:
            dialogues.append([])
        if not dialogues or int(index) != len(dialogues[-1]):
            raise FormatError(f"the index is {index.strip()}; rows are missing before it", line=number)
        dialogues[-1].append((text, label.strip()))
    for number, turns in enumerate(dialogues, start=1):
        yield _dialogue(str(number), turns, tally)


def _dialogue(key: str, turns: list[tuple[str, str]], tally: Tally) -> Document:
    wrong = next((label for _, label in turns if label not in _LABELS), None)
    if wrong is not None:
        raise FormatError(f"dialogue {key!r}: the label {wrong!r} is not one of {', '.join(_LABELS)}")
    labels = running(label == "1" for _, label in turns)
    return built(key, UTTERANCE, [text for text, _ in turns], labels, tally, speakers=alternating(len(turns)))
