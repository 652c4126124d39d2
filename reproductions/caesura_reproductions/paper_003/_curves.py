# SPDX-License-Identifier: Apache-2.0
"""The paper's sweeps of thresholds over DialSeg711, reproduced row by row.

The selection of a threshold in a dialogue is a prefix of the order in which the greedy walk accepts its gaps. Each prefix is
therefore scored once, and a row of the sweep only looks up the prefix of each dialogue.

One column needs more: the released one-to-one matching iterates over a Python set of predictions, whose order depends on
the order of insertion, which is the order of acceptance.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import cast

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat
from caesura.batches.pairs import Pairs
from caesura.metrics.base import Floats, PairwiseMetric
from caesura.metrics.profiles import under_profile
from caesura.selectors.scores import FlatScores
from caesura_reproductions.paper_003._gold import Gold

__all__ = ["COLUMNS", "MIN_GAP", "SEEDS", "Row", "SweptScores", "area", "random_scores"]

Ints = npt.NDArray[np.int64]

SEEDS = range(10)
MIN_GAP = 2
STEPS = 200
TOLERANCE = 1
MOST_BOR = 5.0
_SAME_BOR = 1e-6
COLUMNS = {
    "wf1": "W-F1",
    "wf1_1to1": "W-F1(matching='one_to_one')",
    "exact_f1": "F1",
    "coverage": "Coverage",
    "purity": "Purity",
}
"""The columns of the released file, and the metrics they are."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One threshold of the sweep."""

    step: int
    tau: float
    bor: float
    boundaries: int
    scores: dict[str, float]


@dataclasses.dataclass(frozen=True)
class SweptScores:
    """One score for every gap of a gold, dialogue by dialogue, and every selection by a threshold."""

    reference: Gold
    scores: Floats

    @functools.cached_property
    def gold(self) -> Flat:
        """The gold as flat arrays."""
        return Flat.from_segmentations(list(self.reference.values()))

    @functools.cached_property
    def flat(self) -> FlatScores:
        """The scores as flat arrays."""
        return FlatScores(self.gold.n_units, self.scores, MIN_GAP)

    def thresholds(self, steps: int = STEPS) -> Floats:
        """Return the distinct percentiles of the scores, ascending."""
        return np.unique(np.percentile(self.flat.scores, np.linspace(100, 0, steps)))

    def boundaries(self, threshold: float) -> Ints:
        """Return the number of boundaries that a threshold selects in each dialogue."""
        reached = (self.flat.ranks >= 0) & (self.flat.scores >= threshold)
        return np.bincount(self.flat.document[reached], minlength=len(self.gold)).astype(np.int64)

    def rows(self, profile: str) -> list[Row]:
        """Return the sweep under a profile: lowest threshold first, steps without a change of BOR left out."""
        scores = self._scores_of_beginnings(profile)
        total = len(self.gold.pos)
        rows: list[Row] = []
        for step, tau in enumerate(self.thresholds().tolist()):
            counts = self.boundaries(tau)
            boundaries = int(counts.sum())
            bor = boundaries / total
            if bor > MOST_BOR:
                break
            if rows and abs(bor - rows[-1].bor) <= _SAME_BOR:
                continue
            places = self._first + counts
            means = {name: float(values[places].mean()) for name, values in scores.items()}
            rows.append(Row(step, tau, bor, boundaries, means))
        return rows

    def per_dialogue(self, profile: str, thresholds: Sequence[float]) -> dict[str, Floats]:
        """Return the scores of every dialogue by column: one row per threshold."""
        places = self._first + np.stack([self.boundaries(tau) for tau in thresholds])
        return {name: values[places] for name, values in self._scores_of_beginnings(profile).items()}

    def nearest(self) -> dict[str, int]:
        """Return the number of boundaries of each dialogue at the threshold, of 100, whose BOR is closest to 1."""
        total = len(self.gold.pos)
        counts = [self.boundaries(float(tau)) for tau in self.thresholds(100)[::-1]]
        chosen = min(counts, key=lambda c: abs(int(c.sum()) / total - 1))
        return dict(zip(self.reference, chosen.tolist(), strict=True))

    # ------------------------------------------------------------------ prefixes

    @functools.cached_property
    def _accepted(self) -> tuple[Ints, Ints]:
        """Return the gaps of each dialogue in the order of acceptance, flat, with the start of each dialogue."""
        places = np.flatnonzero(self.flat.ranks >= 0)
        document = self.flat.document[places]
        order = np.lexsort((self.flat.ranks[places], document))
        ptr = np.searchsorted(document, np.arange(len(self.gold) + 1)).astype(np.int64)
        return (places - self.flat.ptr[document] + 1)[order], ptr

    @property
    def _first(self) -> Ints:
        """The index of the first prefix of each dialogue: none, one, two, ... accepted gaps."""
        sizes = np.diff(self._accepted[1]) + 1
        return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)

    def _pairs(self) -> tuple[Pairs, list[int]]:
        """Return the gold paired with every prefix, and all boundaries of the prefixes in the order of acceptance."""
        gaps, starts = self._accepted
        sizes = np.diff(starts) + 1
        document = np.repeat(np.arange(len(self.gold)), sizes)
        lengths = np.arange(len(document)) - np.repeat(self._first, sizes)
        ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        places = np.arange(ptr[-1]) + np.repeat(starts[:-1][document] - ptr[:-1], lengths)
        pos = gaps[places]
        ascending = pos[np.lexsort((pos, np.repeat(np.arange(len(document)), lengths)))]
        gold = self.gold.take(document)
        return Pairs.beside(gold, Flat(gold.n_units, ptr, ascending)), pos.tolist()

    def _scores_of_beginnings(self, profile: str) -> dict[str, Floats]:
        pairs, accepted = self._pairs()
        scores = {}
        for column, text in COLUMNS.items():
            metric = cast(PairwiseMetric, under_profile(text, profile))
            table = metric.count(pairs)
            if profile == "as_run" and column == "wf1_1to1":
                columns = [metric.columns.index(name) for name in ("found_ref", "found_hyp")]
                table[:, columns] = np.array(_greedy(pairs, accepted))[:, None]
            scores[column] = metric.score(table)
        return scores


def random_scores(reference: Gold, seed: int) -> SweptScores:
    """Return the random scores of a seed."""
    gaps = sum(g.n_units - 1 for g in reference.values())
    return SweptScores(reference, np.random.RandomState(seed).random_sample(gaps))


def _greedy(pairs: Pairs, accepted: list[int]) -> list[int]:
    """Return the number of pairs of the released one-to-one matching: near ones first, ties in the order of its sets.

    The library's as-run matching fills the sets in ascending order, since a segmentation has no other; here the
    predictions are inserted in the order of acceptance.
    """
    ref_ptr, ref_pos = pairs.ref_ptr.tolist(), pairs.ref_pos.tolist()
    hyp_ptr = pairs.hyp_ptr.tolist()
    counts = []
    for row in range(len(pairs)):
        gold = _set_order(ref_pos[ref_ptr[row] : ref_ptr[row + 1]])
        predicted = _set_order(accepted[hyp_ptr[row] : hyp_ptr[row + 1]])
        near = [(abs(g - p), g, p) for g in gold for p in predicted if abs(g - p) <= TOLERANCE]
        taken_gold: set[int] = set()
        taken: set[int] = set()
        for _, g, p in sorted(near, key=lambda pair: pair[0]):
            if g not in taken_gold and p not in taken:
                taken_gold.add(g)
                taken.add(p)
        counts.append(len(taken))
    return counts


def _set_order(positions: list[int]) -> list[int]:
    """Return positions in the iteration order of a set filled with them one by one."""
    filled: set[int] = set()
    for position in positions:
        filled.add(position)
    return list(filled)


def area(bor: Floats, values: Floats) -> float:
    """Return the area under values over ln BOR within [0.2, 5], divided by ln 25; the range that a curve does not reach counts as 0.

    >>> round(area(np.array([0.2, 1.0, 5.0]), np.array([0.5, 0.5, 0.5])), 12)
    0.5
    """
    inside = (bor >= 0.2) & (bor <= 5.0)
    x, y = bor[inside], values[inside]
    order = np.argsort(x, kind="stable")
    logs = np.array([math.log(each) for each in x[order]])  # NumPy's own differs in the last bit between processors
    return float(np.trapezoid(y[order], logs) / math.log(25.0)) if len(order) > 1 else float("nan")
