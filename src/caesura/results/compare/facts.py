# SPDX-License-Identifier: Apache-2.0
"""Two systems on one metric, on all documents and on slices of them."""

from __future__ import annotations

from typing import Literal

from caesura.results.base import Ends, Number, Section, as_float, number

__all__ = ["DIFFERENT", "AtEqualDensity", "Comparison", "How", "PartsBy", "SliceScore", "Slices", "Standing"]

PartsBy = Literal["equal density", "chance"]
How = Literal["equal", "neutral", "scores", "chance", "none"]

DIFFERENT = 0.05
"""The significance level: two systems differ if the adjusted p is below it."""
_MARKS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


class AtEqualDensity(Section):
    """The same difference when both systems have equally many boundaries.

    ``how`` is the method: "equal" (they have already), "neutral" (the metric compares with the same boundaries elsewhere, so
    density has no effect), "scores" (the denser one keeps its best-scored boundaries), "chance" (each score minus that of as
    many random boundaries), "none" (no method applies). ``p_corrected`` is
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
    this metric: systems with one another, or systems with baselines. Of more than 1,000 pairs of systems only those of the
    best system are given, with p multiplied by the number of all pairs. ``better`` is the system that is significantly better
    (p_corrected < 0.05), None if neither is. ``density`` and
    ``placement`` add up to the difference; ``parts_by`` says how they were separated. Without a reference, ``equal`` has
    the comparison at equal density, and ``better`` is the system that is significantly better there, if the metric may be
    used to judge one of the two.
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
        """Stars for the adjusted p-value, * below 0.05, ** below 0.01, *** below 0.001; none if neither is better."""
        p = self.p_corrected if self.equal is None else self.equal.p_corrected
        if self.better is None or p is None:
            return ""
        return next((stars for level, stars in _MARKS if p < level), "")


class Standing(Section):
    """The best system on one metric, and its certainty, if all systems were compared with each other.

    ``best`` has the best score, and ``not_ruled_out`` are the others that are not shown to differ from it. ``p_best`` maps each
    system to the share of paired resamples of the documents in which it is best, ties shared; of normal tests, of scores
    drawn from their joint normal distribution. ``documents_needed`` is the
    number of documents that would show the difference to the nearest of the others with a power of 80 %, if the difference
    and its spread over documents stay the same; None if all are ruled out, or if the difference is too small to tell.
    """

    best: str
    p_best: dict[str, Number]
    not_ruled_out: list[str]
    documents: int
    documents_needed: int | None = None


class SliceScore(Section):
    """The score of one system on the documents of a slice, with its interval."""

    score: Number
    interval: Ends
    documents: int


class Slices(Section):
    """The scores of every slice of the documents by ``field``.

    ``documents`` has the number of documents of each slice, or of questions if ``of`` says so; ``scores`` maps slice to system to
    metric. ``best`` is the system with the best ``headline`` score on all documents, and ``comparisons`` has for each slice every other
    system against it, with p corrected by Holm's method over the slices and systems of a metric; it is empty if there is one system.
    """

    field: str
    headline: str
    best: str
    documents: dict[str, int]
    scores: dict[str, dict[str, dict[str, SliceScore]]]
    comparisons: dict[str, list[Comparison]]
    of: Literal["documents", "questions"] = "documents"

    def against_best(self, slice_: str, system: str, metric: str) -> Comparison | None:
        """Return the comparison of a system with the best one on a slice."""
        found = (c for c in self.comparisons.get(slice_, ()) if c.first == system and c.metric == metric)
        return next(found, None)
