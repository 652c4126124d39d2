# SPDX-License-Identifier: Apache-2.0
"""The JSON of the SuperDialseg corpora: dialogues with a topic and a flag on every turn."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import msgspec

from caesura.corpus import Corpus, Document
from caesura.declare import Card
from caesura.errors import FormatError
from caesura.formats._base import FORMATS, Format, Sample
from caesura.formats._files import faults
from caesura.formats._json import json_line, read_json
from caesura.segmentation import Segmentation

__all__ = ["Superdialseg"]

_UNIT = "turn"


class _Turn(msgspec.Struct):
    utterance: str
    role: str | None = None
    turn_id: int | str | None = None
    topic_id: int | str | None = None
    segmentation_label: int | None = None


class _Dialogue(msgspec.Struct):
    dial_id: str | int
    turns: list[_Turn]


class _File(msgspec.Struct):
    dial_data: dict[str, list[_Dialogue]]


@FORMATS.register()
@dataclasses.dataclass(frozen=True)
class Superdialseg(Format):
    """The JSON of SuperDialseg and of the corpora in its release: ``{"dial_data": {NAME: [{"dial_id", "turns"}]}}``.

    Each turn has an ``utterance``, a ``role``, a ``topic_id`` and a ``segmentation_label``, which is 1 on the last turn of a
    topic. A boundary lies after such a turn; the flag of the last turn of a dialogue is ignored. If topics are given too, they must
    change at the same places. Dialogues are named by ``dial_id``, after ``NAME/`` if a file holds several corpora.
    """

    card: ClassVar[Card] = Card(
        title="SuperDialseg's JSON: dialogues with a topic and a flag per turn",
        citation="Jiang, J., et al. (2023). SuperDialseg: a large-scale dataset for supervised dialogue segmentation. EMNLP.",
    )
    suffixes: ClassVar[tuple[str, ...]] = (".json",)
    json_key: ClassVar[str] = "dial_data"
    sample: ClassVar[Sample] = {"walk": (2, 1)}
    many: ClassVar[bool] = True
    writable: ClassVar[bool] = False
    keeps: ClassVar[frozenset[str]] = frozenset({"ids", "segmentation", "units", "speakers", "n_units"})

    def read(self, path: Path, *, strict: bool = False) -> Corpus:
        """Read a file; see `Format.read`."""
        content = read_json(path, _File).dial_data
        documents: list[Document] = []
        for corpus, dialogues in content.items():
            for place, dialogue in enumerate(dialogues):
                name = f"{corpus}/{dialogue.dial_id}" if len(content) > 1 else str(dialogue.dial_id)
                with faults(line=functools.partial(json_line, path, "dial_data", corpus, place)):
                    documents.append(_document(name, dialogue.turns))
        if not documents:
            raise FormatError("the file holds no dialogue; check its content")
        return Corpus(documents, name=str(path))


def _document(name: str, turns: Sequence[_Turn]) -> Document:
    if not turns:
        raise FormatError(f"dialogue {name!r} has no turns; remove it")
    flags = [turn.segmentation_label for turn in turns]
    topics = [turn.topic_id for turn in turns]
    by_flag = _by_flags(name, flags) if any(flag is not None for flag in flags) else None
    by_topic = _by_topics(name, topics) if any(topic is not None for topic in topics) else None
    if by_flag is not None and by_topic is not None and by_flag != by_topic:
        gap = min(set(by_flag.boundaries) ^ set(by_topic.boundaries))
        says = "segmentation_label" if gap in by_flag.boundaries else "topic_id"
        raise FormatError(
            f"dialogue {name!r}: topic_id and segmentation_label disagree: only {says} has a boundary after turn {gap}; "
            "correct one of them"
        )
    roles = [turn.role for turn in turns]
    return Document(
        id=name,
        n_units=len(turns),
        segmentation=by_flag if by_flag is not None else by_topic,
        unit=_UNIT,
        units=tuple(turn.utterance for turn in turns),
        speakers=tuple(role or "" for role in roles) if any(roles) else None,
    )


def _by_flags(name: str, flags: Sequence[int | None]) -> Segmentation:
    wrong = next((place for place, flag in enumerate(flags, start=1) if flag not in (0, 1)), None)
    if wrong is not None:
        raise FormatError(
            f"dialogue {name!r}: the segmentation_label of turn {wrong} is {flags[wrong - 1]}; it must be 0 or 1"
        )
    return Segmentation(len(flags), [place for place, flag in enumerate(flags[:-1], start=1) if flag], unit=_UNIT)


def _by_topics(name: str, topics: Sequence[object]) -> Segmentation:
    if None in topics:
        raise FormatError(f"dialogue {name!r}: turn {topics.index(None) + 1} has no topic_id, but others do; add it")
    return Segmentation.from_labels(topics, unit=_UNIT)
