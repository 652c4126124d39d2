# SPDX-License-Identifier: Apache-2.0
"""MultiWOZ: task dialogues over several domains."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caesura.corpus import Document
from caesura.datasets.base import DATASETS, Dataset, DatasetCard, Tally, built
from caesura.declare import param
from caesura.errors import FormatError
from caesura.formats import json_bytes, plural, read_json

__all__ = ["MultiWOZ"]

_NO_DOMAINS = {"general", "booking"}
_ACTS = "dialog_acts.json"


class _Turn21(msgspec.Struct):
    text: str
    dialog_act: Any = None


class _Dialogue21(msgspec.Struct):
    log: list[_Turn21]


class _State(msgspec.Struct):
    active_intent: str = "NONE"


class _Frame(msgspec.Struct):
    service: str
    state: _State | None = None


class _Turn22(msgspec.Struct):
    turn_id: str | int
    speaker: str
    utterance: str
    frames: list[_Frame] = []


class _Dialogue22(msgspec.Struct):
    dialogue_id: str
    turns: list[_Turn22]


class _Acts(msgspec.Struct):
    dialog_act: dict[str, Any] = {}


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class MultiWOZ(Dataset):
    """Dialogues with a clerk about hotels, trains, restaurants, ...; versions 2.1 and 2.2.

    The label of a turn is the domain of its dialogue acts: the domain of the previous turn if it is among them, else the
    first. A turn with only general acts and bookings keeps the previous label; turns before the first domain have that
    domain. In version 2.2 the acts are in ``dialog_acts.json``; without it, the active intents of the user's turns
    serve instead.
    """

    card = DatasetCard(
        title="task dialogues over several domains",
        citation="Eric, M., et al. (2020). MultiWOZ 2.1. LREC; Zang, X., et al. (2020). MultiWOZ 2.2. NLP4ConvAI.",
        source="github.com/budzianowski/multiwoz; 2.1 also in github.com/thu-coai/ConvLab-2 (data/multiwoz)",
        licence="MIT",
        unit="turn",
        boundary="the domain of the dialogue acts changes",
        files="test.json (2.1, also as test.json.zip) or SPLIT/dialogues_NNN.json with dialog_acts.json (2.2)",
        serves="paper 003",
    )
    patterns = ("{split}/dialogues_*.json", "dialogues_*.json", "*{split}*.json", "*multiwoz*.json")

    split: str = param("test", "the part to read from a folder", choices=("train", "dev", "val", "test"))
    keep: str = param(
        "multi_domain", "which dialogues to keep: those of two or more domains, or all", choices=("multi_domain", "all")
    )

    def read(self, folder: Path, tally: Tally) -> Iterator[Document]:
        """Yield the dialogues, and count those of one domain."""
        single = 0
        for document in super().read(folder, tally):
            if self.keep == "all" or (document.segmentation is not None and document.segmentation.n_boundaries):
                yield document
            else:
                single += 1
        if single:
            tally.remark(f"{plural(single, 'dialogue', 'dialogues')} of one domain left out (keep='all' keeps them)")

    def documents(self, file: Path, name: str, tally: Tally) -> Iterable[Document]:
        """Yield the dialogues of a file."""
        if json_bytes(file).lstrip().startswith(b"["):
            return self._version22(file, tally)
        return self._version21(file, tally)

    def _version21(self, file: Path, tally: Tally) -> Iterator[Document]:
        for key, dialogue in read_json(file, dict[str, _Dialogue21]).items():
            domains = [_domains(turn.dialog_act, key) for turn in dialogue.log]
            speakers = ["user" if place % 2 == 0 else "system" for place in range(len(dialogue.log))]
            yield _document(key.removesuffix(".json"), [turn.text for turn in dialogue.log], domains, speakers, tally)

    def _version22(self, file: Path, tally: Tally) -> Iterator[Document]:
        acts_file = next((f / _ACTS for f in (file.parent, file.parent.parent) if (f / _ACTS).is_file()), None)
        acts = {} if acts_file is None else read_json(acts_file, dict[str, dict[str, _Acts]])
        for dialogue in read_json(file, list[_Dialogue22]):
            key = dialogue.dialogue_id
            known = acts.get(key)
            domains = [
                _intents(turn) if known is None else _domains(known.get(str(turn.turn_id), _Acts()).dialog_act, key)
                for turn in dialogue.turns
            ]
            speakers = [turn.speaker.lower() for turn in dialogue.turns]
            texts = [turn.utterance for turn in dialogue.turns]
            yield _document(key.removesuffix(".json"), texts, domains, speakers, tally)


def _domains(acts: object, key: str) -> list[str]:
    """Return the domains of a turn's acts, in order; an unannotated turn has a string instead of acts."""
    if acts is None or isinstance(acts, str):
        return []
    if not isinstance(acts, dict):
        raise FormatError(f"dialogue {key!r}: dialog_act is neither an object nor a string")
    names = [str(act).partition("-")[0].lower() for act in acts]
    return [name for name in dict.fromkeys(names) if name not in _NO_DOMAINS]


def _intents(turn: _Turn22) -> list[str]:
    return [frame.service for frame in turn.frames if frame.state is not None and frame.state.active_intent != "NONE"]


def _document(
    key: str, texts: Sequence[str], domains: Sequence[Sequence[str]], speakers: Sequence[str], tally: Tally
) -> Document:
    labels: list[str] = []
    current = next((found[0] for found in domains if found), "")
    for found in domains:
        if found and current not in found:
            current = found[0]
        labels.append(current)
    return built(key, "turn", texts, labels, tally, speakers=speakers, titles={label: label for label in labels})
