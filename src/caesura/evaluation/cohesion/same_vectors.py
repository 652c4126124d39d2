# SPDX-License-Identifier: Apache-2.0
"""Systems that were made with the vectors that judge them, which overrate such systems."""

from __future__ import annotations

from collections.abc import Mapping

from caesura.corpus import MADE_BY, Corpus
from caesura.evaluation.inputs import Source

__all__ = ["made_with"]


def made_with(systems: Mapping[str, Source], fingerprint: str) -> list[str]:
    """Return the systems whose files say that they were made with an encoder, by its fingerprint.

    ``caesura segment`` writes the name and the fingerprint of its encoder into each document, under ``made_by``.
    """
    return [name for name, system in systems.items() if fingerprint in _encoders(system.corpus)]


def _encoders(corpus: Corpus) -> set[str]:
    """Return the words of every ``made_by.encoder`` of a corpus; what is not of that form says nothing."""
    found: set[str] = set()
    for document in corpus:
        recipe = document.extra.get(MADE_BY)
        encoder = recipe.get("encoder") if isinstance(recipe, Mapping) else None
        if isinstance(encoder, str):
            found.update(encoder.split())
    return found
