# SPDX-License-Identifier: Apache-2.0
"""The additions of an evaluation against a reference: regimes and levels."""

from __future__ import annotations

from caesura.results.base import Number, Section

__all__ = [
    "AnnotationRegime", "DensityError", "Level", "LevelMatch", "Levels", "Regimes",
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
