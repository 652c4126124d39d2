# SPDX-License-Identifier: Apache-2.0
"""Chroma's chunking benchmark, and what of each lead in it is density.

``spans.npz`` has numbers only: the spans that answer the questions, and where the chunks of each chunker lie, both in characters.
``python -m studies.chroma.study numbers`` computes it from the texts and the tokenizer.
Clocks are located by the rules of the benchmark too, which find a chunk that occurs twice at its first place: by exact positions the clock of
103 tokens scores 33.0 instead of 32.0, an advantage over the rows it is compared with.
"""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("smith2024", "Smith and Troynikov, Evaluating chunking strategies for retrieval (Chroma)")
