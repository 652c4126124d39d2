# SPDX-License-Identifier: Apache-2.0
"""What every segmenter is: declared by name, documents in, boundaries out."""

from __future__ import annotations

import dataclasses
import re

from caesura.corpus import Corpus
from caesura.declare import Declared, Registry

__all__ = ["SEGMENTERS", "Segmenter", "segmenter"]


@dataclasses.dataclass(frozen=True)
class Segmenter(Declared):
    """Base of all segmenters; a subclass is a frozen dataclass whose fields are its parameters."""

    def segment(self, corpus: Corpus, seed: int = 0) -> Corpus:
        """Return the same documents with the boundaries of this segmenter."""
        raise NotImplementedError  # pragma: no cover - every segmenter has its own

    @classmethod
    def name(cls) -> str:
        """Return the name in snake case: ``random_density`` for ``RandomDensity``."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()


SEGMENTERS: Registry[Segmenter] = Registry("segmenter", "caesura.segmenters")
"""Every segmenter."""


def segmenter(text: str) -> Segmenter:
    """Return a segmenter by its name and parameters.

    >>> str(segmenter("every(n=4)"))
    'every(n=4)'
    """
    return SEGMENTERS.parse(text)
