# SPDX-License-Identifier: Apache-2.0
"""Chroma's chunking benchmark, and what of each lead in it is density.

``spans.npz`` has numbers only: the spans that answer the questions, and where the chunks of each chunker lie, both in characters.
``python -m studies.chroma.study numbers`` computes it from the texts and the tokenizer.
"""

from __future__ import annotations

from caesura_reproductions.base import Paper

__all__ = ["PAPER"]

PAPER = Paper("smith2024", "Smith and Troynikov, Evaluating chunking strategies for retrieval (Chroma)")
