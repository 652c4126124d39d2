# SPDX-License-Identifier: Apache-2.0
"""Topical-Chat: conversations about articles, joined."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import msgspec

from caesura.datasets.base import DATASETS, DatasetCard, Tally
from caesura.datasets.joins import Dialogue, Joined
from caesura.declare import param
from caesura.formats import read_json

__all__ = ["TopicalChat"]


class _Message(msgspec.Struct):
    message: str
    agent: str


class _Conversation(msgspec.Struct):
    article_url: str
    content: list[_Message]


@DATASETS.register()
@dataclasses.dataclass(frozen=True)
class TopicalChat(Joined):
    """Conversations about newspaper articles, several joined to a document; neighbours are about different articles."""

    card = DatasetCard(
        title="conversations about articles, joined",
        citation="Gopalakrishnan, K., et al. (2019). Topical-Chat: towards knowledge-grounded open-domain conversations. "
        "Interspeech.",
        source="github.com/alexa/Topical-Chat (conversations)",
        licence="CDLA-Sharing-1.0",
        unit="message",
        boundary="two conversations were joined",
        files="SPLIT.json, such as test_freq.json",
        serves="paper 003",
    )
    patterns = ("{split}*.json",)

    split: str = param(
        "test_freq",
        "the part to read from a folder",
        choices=("train", "valid_freq", "valid_rare", "test_freq", "test_rare"),
    )

    def pool(self, file: Path, tally: Tally) -> Iterable[Dialogue]:
        """Yield the conversations of a file."""
        for key, conversation in read_json(file, dict[str, _Conversation]).items():
            yield Dialogue(
                key,
                conversation.article_url,
                [message.message for message in conversation.content],
                [message.agent for message in conversation.content],
            )
