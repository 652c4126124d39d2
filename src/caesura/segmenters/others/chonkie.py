# SPDX-License-Identifier: Apache-2.0
"""``chonkie:SemanticChunker(threshold=0.5)``: the chunkers of Chonkie."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from caesura.declare import Card
from caesura.scorers import Encoding
from caesura.segmenters.others.base import Library

__all__ = ["Chonkie"]


class Chonkie(Library):
    """A chunker of Chonkie; its sizes count characters unless ``tokenizer`` says otherwise."""

    family = "chonkie"
    form = "chonkie:CLASS(…)"
    packages: ClassVar[tuple[str, ...]] = ("chonkie",)
    modules: ClassVar[tuple[str, ...]] = ("chonkie",)
    encoder_argument: ClassVar[str] = "embedding_model"
    card = Card(title="a chunker of Chonkie")

    def whole_units(self) -> dict[str, object]:
        """Split sentences at the ends of units, however short they are."""
        whole = {"delim": ["\n"], "min_characters_per_sentence": 1}
        return {name: value for name, value in whole.items() if name in (self.accepted(self.found) or ())}

    def encoder(self, encoding: Encoding) -> object:
        """Return the encoder as Chonkie's embeddings."""
        from chonkie import BaseEmbeddings

        class Shared(BaseEmbeddings):  # type: ignore[misc, unused-ignore]  # only without the library
            """The encoder of the run."""

            def embed(self, text: str) -> Any:
                return encoding.encode([text])[0]

            def embed_batch(self, texts: list[str]) -> list[Any]:
                return list(encoding.encode(texts)) if texts else []

            def similarity(self, u: Any, v: Any) -> Any:
                length = float(np.linalg.norm(u) * np.linalg.norm(v))
                return np.float32(np.dot(u, v) / length if length else 0.0)

            @property
            def dimension(self) -> int:
                return int(encoding.encode(["a"]).shape[1])

            def get_tokenizer(self) -> str:
                return "character"

        return Shared()

    def chunks(self, made: Any, text: str) -> list[object]:
        """Return the chunks, with offsets."""
        return list(made.chunk(text))
