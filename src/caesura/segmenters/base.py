# SPDX-License-Identifier: Apache-2.0
"""What every segmenter is: declared by name, documents in, boundaries out."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from caesura.corpus import Corpus
from caesura.declare import Declared, Registry, snake_case
from caesura.errors import DeclarationError

__all__ = ["SEGMENTERS", "Segmenter", "baseline_systems", "segmenter"]


@dataclasses.dataclass(frozen=True)
class Segmenter(Declared):
    """Base of all segmenters; a subclass is a frozen dataclass whose fields are its parameters."""

    def segment(self, corpus: Corpus, seed: int = 0) -> Corpus:
        """Return the same documents with the boundaries of this segmenter."""
        raise NotImplementedError  # pragma: no cover - every segmenter has its own

    @classmethod
    def name(cls) -> str:
        """Return the name in snake case: ``random_density`` for ``RandomDensity``."""
        return snake_case(cls.__name__)


SEGMENTERS: Registry[Segmenter] = Registry("segmenter", "caesura.segmenters")
"""Every segmenter."""


def segmenter(text: str) -> Segmenter:
    """Return a segmenter by its name and parameters.

    >>> str(segmenter("every(n=4)"))
    'every(n=4)'
    """
    return SEGMENTERS.parse(text)


def baseline_systems(texts: str | Iterable[str], reference: Corpus, seed: int = 0) -> dict[str, Corpus]:
    """Return several baselines by name, to be scored next to systems.

    Parameters
    ----------
    texts : str or iterable of str
        Names, or one string of names separated by commas: ``"none,every(n=4),random_density"``.
    reference : Corpus
        The documents to segment.
    seed : int
        Random seed of all baselines.
    """
    lists = [texts] if isinstance(texts, str) else texts
    names = [name for text in lists for name in _split_names(text)]
    if not names:
        raise DeclarationError(f"no baseline given; choose from {', '.join(SEGMENTERS.names())}")
    systems: dict[str, Corpus] = {}
    for text in names:
        baseline = SEGMENTERS.parse(text)
        if str(baseline) in systems:
            raise DeclarationError(f"baseline {baseline} is given twice; name it once")
        systems[str(baseline)] = baseline.segment(reference, seed)
    return systems


def _split_names(text: str) -> list[str]:
    """Split a string at the commas outside brackets.

    >>> _split_names("none, random(p=0.1),even(k=3)")
    ['none', 'random(p=0.1)', 'even(k=3)']
    """
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]
