# SPDX-License-Identifier: Apache-2.0
"""Two systems on one metric."""

from __future__ import annotations

from typing import Literal

from caesura.results.base import Ends, Number, Section, as_float, number

__all__ = ["AtEqualDensity", "Comparison", "How", "PartsBy"]

PartsBy = Literal["equal density", "chance"]
How = Literal["equal", "scores", "chance", "none"]

_MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


class AtEqualDensity(Section):
    """The same difference once both systems set equally many boundaries.

    ``how`` says by which means: "equal" (they did already), "scores" (the denser one keeps its best-scored boundaries),
    "chance" (each score minus what as many random boundaries give), "none" (there was no means). ``p_corrected`` is
    after Holm's correction over the comparisons of this metric.
    """

    difference: Number
    interval: Ends
    p_corrected: Number
    how: How


class Comparison(Section):
    """Two systems on one metric; the difference is that of the first minus the second.

    ``p`` is two-sided, from a paired permutation test (``exact`` if every permutation was tried), of the distances to
    the target for a metric that has one; ``p_corrected`` is after Holm's correction over the ``family`` of comparisons of
    this metric. ``better`` is the better system by the metric's direction, None if neither is. ``density`` and
    ``placement`` add up to the difference; ``parts_by`` says how they were separated. Without a reference, ``equal`` has
    the comparison at equal density, and ``better`` is the system that is significantly better there (p_corrected < 0.05).
    """

    metric: str
    first: str
    second: str
    scores: tuple[Number, Number]
    difference: Number
    interval: Ends
    p: Number
    p_corrected: Number
    better: str | None
    documents: int
    dropped: int = 0
    aggregation: str = "macro"
    family: int = 1
    exact: bool = False
    p_bootstrap: Number = None
    effect: Number = None
    bors: tuple[Number, Number] | None = None
    regimes: tuple[str, str] | None = None
    density: Number = None
    placement: Number = None
    parts_by: PartsBy | None = None
    placement_interval: Ends | None = None
    by_chance: tuple[Number, Number] | None = None
    equal: AtEqualDensity | None = None

    @property
    def delta_bor(self) -> Number:
        """BOR of the first minus BOR of the second."""
        first, second = self.bors or (None, None)
        return number(as_float(first) - as_float(second))

    @property
    def mark(self) -> str:
        """Stars for the corrected p-value, * below 0.05, ** below 0.01, *** below 0.001; none if neither is better."""
        p = self.p_corrected if self.equal is None else self.equal.p_corrected
        if self.better is None or p is None:
            return ""
        return next((stars for level, stars in _MARKS if p < level), "")
