# SPDX-License-Identifier: Apache-2.0
"""``llama_index:SentenceSplitter(chunk_size=200)``: the node parsers of LlamaIndex."""

from __future__ import annotations

from typing import Any, ClassVar

from caesura.declare import Card
from caesura.scorers import Encoding
from caesura.segmenters.others.base import Library

__all__ = ["LlamaIndex"]


class LlamaIndex(Library):
    """A node parser of ``llama-index-core``."""

    family = "llama_index"
    form = "llama_index:CLASS(…)"
    packages: ClassVar[tuple[str, ...]] = ("llama-index-core",)
    modules: ClassVar[tuple[str, ...]] = ("llama_index.core.node_parser",)
    encoder_argument: ClassVar[str] = "embed_model"
    card = Card(title="a node parser of LlamaIndex")

    def whole_units(self) -> dict[str, object]:
        """Let the semantic splitter take units for sentences."""
        return {"sentence_splitter": lambda text: text.split("\n")} if self.encodes else {}

    def encoder(self, encoding: Encoding) -> object:
        """Return the encoder as LlamaIndex' embedding."""
        from llama_index.core.base.embeddings.base import BaseEmbedding

        class Shared(BaseEmbedding):  # type: ignore[misc, unused-ignore]  # only without the library
            """The encoder of the run."""

            def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
                return [[float(number) for number in row] for row in encoding.encode(texts)]

            def _get_text_embedding(self, text: str) -> list[float]:
                return self._get_text_embeddings([text])[0]

            def _get_query_embedding(self, query: str) -> list[float]:
                return self._get_text_embedding(query)

            async def _aget_query_embedding(self, query: str) -> list[float]:
                return self._get_text_embedding(query)

        return Shared()

    def chunks(self, made: Any, text: str) -> list[object]:
        """Return the texts of the nodes."""
        from llama_index.core import Document

        return [node.text for node in made.get_nodes_from_documents([Document(text=text)])]
