# SPDX-License-Identifier: Apache-2.0
"""What an evaluation against a reference adds to its scores: verdicts, regimes, levels, gates."""

from __future__ import annotations

from typing import Literal

import msgspec

from caesura.errors import MetricError
from caesura.results.base import Number, Section

__all__ = [
    "AnnotationRegime", "Breach", "DensityError", "Drop", "Finding", "Gates", "Level", "LevelMatch", "Levels",
    "Mode", "Regime", "Regimes", "Thresholds", "Verdict",
]  # fmt: skip

Regime = Literal["conservative", "balanced", "aggressive"]
Mode = Literal[
    "calibrated",
    "over-segmentation consistent with the reference",
    "granularity mismatch",
    "under-segmentation",
    "detection failure",
    "mixed",
]


class Thresholds(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """Where a verdict draws its lines.

    Below a BOR of ``low_bor`` a system is conservative, above ``high_bor`` aggressive, else balanced. A score above this
    ``percentile`` of the random ``placements``, drawn with the ``seed``, is high.
    """

    low_bor: float = 0.8
    high_bor: float = 1.2
    percentile: float = 95.0
    placements: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse values that are out of range or out of order."""
        if not 0 <= self.low_bor <= self.high_bor:
            raise MetricError(
                f"low_bor={self.low_bor}, high_bor={self.high_bor}; the first must not be above the second"
            )
        if not 0 <= self.percentile <= 100:
            raise MetricError(f"percentile is {self.percentile}; it must lie between 0 and 100")
        if self.placements < 1:
            raise MetricError(f"placements is {self.placements}; at least one must be drawn")

    def regime(self, bor: float) -> Regime:
        """Return the density regime of a BOR.

        >>> Thresholds().regime(0.5), Thresholds().regime(1.0), Thresholds(high_bor=3).regime(2.5)
        ('conservative', 'balanced', 'balanced')
        """
        if bor < self.low_bor:
            return "conservative"
        return "aggressive" if bor > self.high_bor else "balanced"

    def __str__(self) -> str:
        """Return them as a signature."""
        return (
            f"bor:{self.low_bor:g}..{self.high_bor:g}|high:>p{self.percentile:g}|"
            f"placements:{self.placements}|seed:{self.seed}"
        )


class Finding(Section):
    """One score of a verdict, and the percentile of random placements it must exceed to be high."""

    score: Number
    chance: Number
    high: bool


class Verdict(Section):
    """What the scores of a system, or of one document, say together."""

    verdict: Mode
    regime: Regime
    bor: Number
    findings: dict[str, Finding]
    interpretable: bool
    words: str
    next: str
    advice: dict[str, str]
    tolerance: int | str
    thresholds: Thresholds
    signature: str


class AnnotationRegime(Section):
    """How dense a reference is, and how evenly: boundaries per 100 units, pooled and per document."""

    documents: int
    without: int
    per_100_units: Number
    mean: Number
    sd: Number
    quartiles: tuple[Number, Number, Number]
    mean_segment: Number
    variation: Number


class DensityError(Section):
    """How far a system's numbers of boundaries are off, and how concentrated the error is."""

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
    """One level of a hierarchical reference: documents that lack it, and the scores of every system."""

    level: int
    filled: int
    systems: dict[str, dict[str, Number]]


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
    """A gate that failed, and the documents that weigh most in it."""

    system: str
    metric: str
    score: Number
    message: str
    documents: list[str]

    def __str__(self) -> str:
        """Return the line to print."""
        named = f"; most weight: {', '.join(self.documents)}" if self.documents else ""
        return f"{self.system}, {self.metric}: {self.message}{named}"


class Drop(Section):
    """How much worse a score is than in an earlier results file, over the common documents."""

    system: str
    metric: str
    before: Number
    now: Number
    drop: Number
    p: Number
    documents: int


class Gates(Section):
    """What was required, what changed since the earlier results file, and what failed."""

    limits: dict[str, Number]
    last: str | None = None
    max_drop: float | None = None
    alpha: float | None = None
    drops: list[Drop] = msgspec.field(default_factory=list)
    breaches: list[Breach] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)
