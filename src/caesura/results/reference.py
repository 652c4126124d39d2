# SPDX-License-Identifier: Apache-2.0
"""The additions of an evaluation against a reference: regimes, levels, gates."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.results.base import Number, Section

__all__ = [
    "AnnotationRegime", "Breach", "DensityError", "Drop", "Gates", "Level", "LevelMatch", "Levels", "Regimes",
]  # fmt: skip


class AnnotationRegime(Section):
    """The density of a reference and its variation: boundaries per 100 units, pooled and per document."""

    documents: int
    without: int
    per_100_units: Number
    mean: Number
    sd: Number
    quartiles: tuple[Number, Number, Number]
    mean_segment: Number
    variation: Number


class DensityError(Section):
    """The error of a system's numbers of boundaries, and its concentration on few documents; ``worst`` names up to 100 of these."""

    total: int
    net: int
    documents_off: int
    worst_documents: int
    worst_share: Number
    worst: list[str]


class Regimes(Section):
    """The density of the reference, and the density error of every system."""

    annotation: AnnotationRegime
    density_error: dict[str, DensityError]


class Level(Section):
    """One level of a hierarchical reference: documents that lack it, the scores of every system, its name if it has one."""

    level: int
    filled: int
    systems: dict[str, dict[str, Number]]
    name: str | None = None


class LevelMatch(Section):
    """The levels a system matches, by W-F1 and by density; 1 is the coarsest."""

    by_score: int | None
    by_density: int | None
    scores: list[Number]
    ratios: list[Number]


class Levels(Section):
    """Systems against each level of a hierarchical reference, coarse to fine."""

    tolerance: int | str
    documents: int
    levels: list[Level]
    matches: dict[str, LevelMatch]


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


class Gates(Section):
    """The limits, the changes since the earlier results file, and the failures.

    The p-values of drops are those of permutations, or ``normal``, from the moments of very many documents.
    """

    limits: dict[str, Number]
    last: str | None = None
    max_drop: float | None = None
    alpha: float | None = None
    drops: list[Drop] = msgspec.field(default_factory=list)
    normal: bool = False
    breaches: list[Breach] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
