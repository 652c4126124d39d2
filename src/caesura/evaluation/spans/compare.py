# SPDX-License-Identifier: Apache-2.0
"""Chunkers compared pair by pair on the share of spans that they leave whole."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from caesura.results import as_number
from caesura.statistics import Bootstrap, Interval, Permutation, Statistic, holm

__all__ = ["COMPARED", "SpanComparison", "compared"]

COMPARED = "Inside"
_ALPHA = 0.05


@dataclasses.dataclass(frozen=True)
class SpanComparison:
    """Two chunkers on the same spans, first less second.

    Attributes
    ----------
    first, second : str
        The chunkers.
    scores : (float, float)
        The share of spans that each leaves whole.
    difference : float
        Of the two.
    interval : Interval
        Of the difference, documents with all their spans resampled for both alike.
    p : float
        By the paired permutation test, two-sided: documents with all their spans change sides.
    exact : bool
        Whether every permutation was tried.
    p_corrected : float
        ``p`` after Holm's correction over all pairs.
    family : int
        How many pairs these are.
    by_chance : float
        The difference of their chance levels, which their numbers of boundaries make; NaN where one has none.
    documents : int
        How many documents have spans.
    """

    first: str
    second: str
    scores: tuple[float, float]
    difference: float
    interval: Interval
    p: float
    exact: bool
    p_corrected: float
    family: int
    by_chance: float
    documents: int

    @property
    def better(self) -> str | None:
        """The better chunker, if the corrected p is below 0.05."""
        if not self.p_corrected < _ALPHA:
            return None
        return self.first if self.difference > 0 else self.second

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data; what is not defined is None."""
        return {
            "metric": COMPARED,
            "first": self.first,
            "second": self.second,
            "aggregation": "micro",
            "scores": [as_number(score) for score in self.scores],
            "difference": as_number(self.difference),
            "ci": [as_number(self.interval.low), as_number(self.interval.high)],
            "p": as_number(self.p),
            "exact": self.exact,
            "p_corrected": as_number(self.p_corrected),
            "family": self.family,
            "by_chance": as_number(self.by_chance),
            "documents": self.documents,
            "better": self.better,
        }


def compared(
    statistics: Mapping[str, Mapping[str, Statistic]], bootstrap: Bootstrap, permutation: Permutation
) -> Sequence[SpanComparison]:
    """Compare every two chunkers.

    Parameters
    ----------
    statistics : mapping
        System to measure to its mean over spans, with documents as what is resampled.
    bootstrap : Bootstrap
        Of the documents; all pairs share its draws.
    permutation : Permutation
        Of the documents likewise.
    """
    shares = {system: row[COMPARED] for system, row in statistics.items()}
    pairs = list(itertools.combinations(shares, 2))
    replicates = dict(zip(shares, bootstrap.replicates(list(shares.values())), strict=True))
    exchanged = permutation.exchanged([(shares[first], shares[second]) for first, second in pairs])
    p_values = [each.p_value() for each in exchanged]
    return [
        SpanComparison(
            first=first,
            second=second,
            scores=each.observed,
            difference=each.observed[0] - each.observed[1],
            interval=bootstrap.interval(replicates[first] - replicates[second], bootstrap.n),
            p=p,
            exact=each.exact,
            p_corrected=p_corrected,
            family=len(pairs),
            by_chance=statistics[first]["InsideByChance"].value - statistics[second]["InsideByChance"].value,
            documents=bootstrap.n,
        )
        for (first, second), each, p, p_corrected in zip(
            pairs, exchanged, p_values, holm(p_values), strict=True
        )
    ]
