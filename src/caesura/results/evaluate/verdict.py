# SPDX-License-Identifier: Apache-2.0
"""Verdicts: the joint interpretation of the scores of a system, by size and not only by significance."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from caesura.errors import MetricError
from caesura.results.base import Ends, Number, Section, as_float

__all__ = ["Clock", "Finding", "Mode", "Regime", "Size", "Thresholds", "Verdict", "f1_name"]

Regime = Literal["conservative", "balanced", "aggressive"]
Size = Literal["strong", "weak", "none"]
Mode = Literal[
    "granularity mismatch",
    "under-segmentation consistent with the reference",
    "no detection shown",
    "over-segmentation consistent with the reference",
    "calibrated",
    "partial detection",
    "mixed",
    "not judged",
]


class Thresholds(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, frozen=True):
    """The thresholds of a verdict.

    Below a BOR of ``low_bor`` a system is conservative, above ``high_bor`` aggressive, else balanced. A skill of at least
    ``strong`` is strong, of at least ``weak`` weak, if the lower end of its 95 % interval is above 0. The density is uneven
    if in more than the share ``uneven`` of the documents the hypothesis has less than half or more than twice the
    boundaries. The clock is beaten if p, after correction, is below ``alpha``. With fewer than ``few_documents`` a verdict
    only suggests; a single document with fewer than ``few_boundaries`` in its reference is not judged. Chance is the mean
    of ``placements``, or, with 20,000 boundaries or more, of as many as bring its standard error to 0.0005, at least 4;
    that of precision and recall is exact.
    ``resamples`` and ``permutations`` are drawn of the documents; where normal theory took their place, the signature of the
    verdict ends in ``tests:normal``.
    """

    low_bor: float = 0.8
    high_bor: float = 1.2
    strong: float = 0.5
    weak: float = 0.2
    uneven: float = 1 / 3
    alpha: float = 0.05
    few_documents: int = 10
    few_boundaries: int = 5
    placements: int = 200
    resamples: int = 1000
    permutations: int = 9999
    seed: int = 0

    def __post_init__(self) -> None:
        """Raise for values that are out of range or out of order."""
        if not 0 <= self.low_bor <= self.high_bor:
            raise MetricError(
                f"low_bor={self.low_bor}, high_bor={self.high_bor}; the first must not be above the second"
            )
        if not 0 < self.weak <= self.strong <= 1:
            raise MetricError(
                f"weak={self.weak}, strong={self.strong}; both must lie between 0 and 1, the first not above the second"
            )
        for name in ("uneven", "alpha"):
            if not 0 <= getattr(self, name) <= 1:
                raise MetricError(f"{name} is {getattr(self, name)}; it must lie between 0 and 1")
        for name in ("placements", "resamples", "permutations"):
            if getattr(self, name) < 1:
                raise MetricError(f"{name} is {getattr(self, name)}; at least one must be drawn")

    def regime(self, bor: float) -> Regime:
        """Return the density regime of a BOR.

        >>> Thresholds().regime(0.5), Thresholds().regime(1.0), Thresholds(high_bor=3).regime(2.5)
        ('conservative', 'balanced', 'balanced')
        """
        if bor < self.low_bor:
            return "conservative"
        return "aggressive" if bor > self.high_bor else "balanced"

    def size(self, skill: float, low: float | None) -> Size:
        """Return the size of a skill, given the lower end of its interval; None if there is no interval.

        >>> Thresholds().size(0.6, 0.4), Thresholds().size(0.6, -0.1), Thresholds().size(0.3, None)
        ('strong', 'none', 'weak')
        """
        if low is not None and not low > 0:
            return "none"
        return "strong" if skill >= self.strong else "weak" if skill >= self.weak else "none"

    def __str__(self) -> str:
        """Return the thresholds as a signature."""
        return (
            f"bor:{self.low_bor:g}..{self.high_bor:g}|skill:{self.weak:g},{self.strong:g}|uneven:>{self.uneven:.3g}|"
            f"alpha:{self.alpha:g}|few:{self.few_documents},{self.few_boundaries}|placements:{self.placements}|"
            f"resamples:{self.resamples}|permutations:{self.permutations}|seed:{self.seed}"
        )


def f1_name(tolerance: int | str) -> str:
    """Return the short name of a boundary F1: W-F1 within one unit, else F1 with its tolerance.

    >>> f1_name(1), f1_name("10s")
    ('W-F1', 'F1 (10s)')
    """
    return "W-F1" if tolerance == 1 else f"F1 ({tolerance})"


class Finding(Section):
    """One score of a verdict, its mean by chance, its skill with an interval, and the size that follows.

    ``interval`` is None for a single document, whose size follows from the skill alone.
    """

    score: Number
    chance: Number
    skill: Number
    interval: Ends | None
    size: Size


class Clock(Section):
    """W-F1 of boundaries placed without reading the text, and the test of the difference from it.

    ``p`` is None if there are too few documents for any p below alpha; ``p_corrected`` is after Holm's correction over
    the clocks.
    """

    score: Number
    p: Number
    p_corrected: Number


class Verdict(Section):
    """The joint interpretation of the scores of a system, or of one document.

    ``clocks`` are ``every`` (one period for all documents, at the density of the hypothesis) and ``even`` (in each document
    as many boundaries as the hypothesis, evenly spaced); ``above_clock`` says whether W-F1 is above the better of them.
    ``outside`` is the share of documents whose number of boundaries is less than half or more than twice that of the
    reference. ``suggests`` is true if there are too few documents for more.
    """

    verdict: Mode
    regime: Regime
    bor: Number
    findings: dict[str, Finding]
    clocks: dict[str, Clock]
    above_clock: bool
    outside: Number
    uneven: bool
    documents: int
    suggests: bool
    interpretable: bool
    words: str
    next: str
    advice: dict[str, str]
    tolerance: int | str
    thresholds: Thresholds
    signature: str

    @property
    def f1(self) -> str:
        """The name of the F1 of the verdict."""
        return f1_name(self.tolerance)

    @property
    def f1_metric(self) -> str:
        """The metric of the F1."""
        return f"BoundaryF1(tolerance={self.tolerance!r})"

    def judges(self, metric: str, score: Number) -> bool:
        """Return whether a score is the F1 of the verdict: the same metric, and its mean over documents."""
        own = as_float(self.findings["W-F1"].score)
        return metric == self.f1_metric and math.isclose(as_float(score), own, abs_tol=1e-9)

    @property
    def clock(self) -> Clock:
        """The better clock."""
        return max(self.clocks.values(), key=lambda clock: -1.0 if clock.score is None else clock.score)
