# SPDX-License-Identifier: Apache-2.0
"""The base class of scorers, which give a document one score per gap, and their registry."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

from caesura.corpus import Document
from caesura.declare import Declared, Registry
from caesura.scorers.features import Encoding, Features, Floats

__all__ = ["SCORERS", "Scorer"]


@dataclasses.dataclass(frozen=True)
class Scorer(Declared):
    """Base of all scorers; a subclass is a frozen dataclass whose fields are its parameters.

    Attributes
    ----------
    needs_vectors : bool
        Whether it reads the vectors of the units, so that a run encodes its documents in advance.
    """

    needs_vectors: ClassVar[bool] = False

    def gap_scores(self, features: Features) -> Floats:
        """Return one finite score per gap; implemented by every scorer."""
        raise NotImplementedError  # pragma: no cover - every scorer has its own

    def score(self, document: Document, *, encoding: Encoding | None = None) -> Floats:
        """Return one score per gap of a document; a higher score means a more likely boundary."""
        return self.gap_scores(Features(document, encoding))


SCORERS: Registry[Scorer] = Registry("scorer", "caesura.scorers")
"""The registry of scorers."""
