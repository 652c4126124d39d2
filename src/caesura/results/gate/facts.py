# SPDX-License-Identifier: Apache-2.0
"""The facts of a gate: limits, breaches, drops since an earlier file."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.results.base import Number, Section

__all__ = ["Breach", "Drop", "Gates", "WorstDocument"]


class Breach(Section):
    """A gate that failed, and the documents that weigh most in it.

    ``kind`` is "limit" (the ``limit`` on the score) or "drop" (the maximum ``limit`` of the ``drop`` from the score
    ``before``, with the ``p`` of its test).
    """

    system: str
    metric: str
    score: Number
    message: str
    documents: list[str]
    kind: Literal["limit", "drop"] = "limit"
    limit: Number = None
    before: Number = None
    drop: Number = None
    p: Number = None

    def __str__(self) -> str:
        """Return the line to print."""
        named = f"; most weight: {', '.join(self.documents)}" if self.documents else ""
        return f"{self.system}, {self.metric}: {self.message}{named}"


class Drop(Section):
    """The decline of a score since an earlier results file, over the common documents."""

    system: str
    metric: str
    before: Number
    now: Number
    drop: Number
    p: Number
    documents: int


class WorstDocument(Section):
    """A document, or a question, on which a system scores badly."""

    system: str
    document: str
    metric: str
    score: Number


class Gates(Section):
    """The limits, the changes since the earlier results file, and the failures.

    The p-values of drops are those of permutations, or ``normal``, from the moments of very many documents, or of Welch's t-test if
    they are ``unpaired``, because no document is in both files. ``worst`` has the worst three documents of each system.
    """

    limits: dict[str, Number]
    last: str | None = None
    max_drop: float | None = None
    alpha: float | None = None
    drops: list[Drop] = msgspec.field(default_factory=list)
    normal: bool = False
    breaches: list[Breach] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
    unpaired: bool = False
    worst: list[WorstDocument] = msgspec.field(default_factory=list)

    @property
    def compared(self) -> list[Drop]:
        """The changes of scores that are defined then and now."""
        return [drop for drop in self.drops if drop.drop is not None]
