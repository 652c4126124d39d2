# SPDX-License-Identifier: Apache-2.0
"""``langchain:RecursiveCharacterTextSplitter(chunk_size=800)``: the splitters of LangChain."""

from __future__ import annotations

from typing import Any, ClassVar

from caesura.declare import Card
from caesura.scorers import Encoding
from caesura.segmenters.others.base import Library

__all__ = ["Langchain"]


class Langchain(Library):
    """A splitter of ``langchain-text-splitters``, or the ``SemanticChunker`` of ``langchain-experimental``."""

    family = "langchain"
    form = "langchain:CLASS(…)"
    packages: ClassVar[tuple[str, ...]] = ("langchain-text-splitters", "langchain-experimental")
    modules: ClassVar[tuple[str, ...]] = ("langchain_text_splitters", "langchain_experimental.text_splitter")
    encoder_argument: ClassVar[str] = "embeddings"
    card = Card(title="a splitter of LangChain")

    def whole_units(self) -> dict[str, object]:
        """Let the semantic chunker take units for sentences."""
        return {"sentence_split_regex": "\n"} if "sentence_split_regex" in (self.accepted(self.found) or ()) else {}

    def encoder(self, encoding: Encoding) -> object:
        """Return the encoder as LangChain's embeddings."""
        from langchain_core.embeddings import Embeddings

        class Shared(Embeddings):  # type: ignore[misc, unused-ignore]  # only without the library
            """The encoder of the run."""

            def embed_documents(self, texts: list[str]) -> list[list[float]]:
                return [[float(number) for number in row] for row in encoding.encode(texts)]

            def embed_query(self, text: str) -> list[float]:
                return self.embed_documents([text])[0]

        return Shared()

    def chunks(self, made: Any, text: str) -> list[object]:
        """Return the texts of the chunks."""
        return list(made.split_text(text))
