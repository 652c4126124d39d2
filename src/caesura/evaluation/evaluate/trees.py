# SPDX-License-Identifier: Apache-2.0
"""Hierarchies against hierarchies: the T-measure and the L-measure, in time that grows with boundaries, not with units.

For a unit q, two others i and j are in order if the reference keeps i with q in a deeper segment than j. A measure is the share of such
triples that the hypothesis orders alike, averaged over q: recall; the other way round it is precision. The L-measure takes all triples, the
T-measure (reduced) those that lie one level apart. There is no window, and no two segments have a label in common, so that what is kept
together decides (McFee et al. 2017).

All units between two neighbouring boundaries of either side have the same counts: how many units share at least level r with them in the
reference and level e in the hypothesis is the size of the overlap of two segments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from caesura.corpus import Corpus, Document
from caesura.evaluation.aggregate import mean_defined
from caesura.metrics.base import Floats, harmonic_mean
from caesura.results import number
from caesura.results.evaluate.facts import TreeScore
from caesura.segmentation import Segmentation

__all__ = ["Agreed", "agreed", "has_levels", "tree_scores"]

_Ints = npt.NDArray[np.int64]


class Agreed(NamedTuple):
    """Precision, recall and F of one measure on one document; a share is NaN if its side orders nothing, F only if neither does."""

    precision: float
    recall: float
    f: float


def agreed(reference: Sequence[Segmentation], hypothesis: Sequence[Segmentation], *, adjacent: bool = False) -> Agreed:
    """Return the L-measure of two hierarchies, from coarse to fine; with ``adjacent`` the reduced T-measure.

    >>> from caesura.segmentation import Segmentation
    >>> coarse, fine = Segmentation(6, (3,)), Segmentation(6, (2, 3, 5))
    >>> agreed([coarse, fine], [coarse, fine])
    Agreed(precision=1.0, recall=1.0, f=1.0)
    >>> agreed([coarse], [Segmentation(6, (2,))]).recall
    0.5
    """
    n = reference[0].n_units
    cuts = np.unique(
        np.array([0, n, *(gap for side in (reference, hypothesis) for level in side for gap in level.boundaries)])
    )
    first, sizes = cuts[:-1], np.diff(cuts)
    here, there = (_spans(side, first, n) for side in (reference, hypothesis))
    # shared[r, e, atom]: how many other units are at least that deep with a unit of the atom on both sides.
    start = np.maximum(here[0][:, None, :], there[0][None, :, :])
    stop = np.minimum(here[1][:, None, :], there[1][None, :, :])
    deep = np.zeros((len(reference) + 2, len(hypothesis) + 2, len(first)))
    deep[:-1, :-1] = stop - start - 1
    exact = deep[:-1, :-1] - deep[1:, :-1] - deep[:-1, 1:] + deep[1:, 1:]
    recall = _ordered(exact, sizes, adjacent=adjacent)
    precision = _ordered(exact.transpose(1, 0, 2), sizes, adjacent=adjacent)
    if math.isnan(precision) != math.isnan(recall):
        return Agreed(precision, recall, 0.0)
    return Agreed(precision, recall, float(harmonic_mean(np.array(precision), np.array(recall))))


def _spans(levels: Sequence[Segmentation], first: _Ints, n: int) -> tuple[_Ints, _Ints]:
    """Return where the segment of each level that holds a unit begins and ends, the whole document first."""
    edges = [np.array([0, *level.boundaries, n]) for level in (Segmentation(n), *levels)]
    places = [np.searchsorted(edge, first, side="right") for edge in edges]
    begins = np.stack([edge[place - 1] for edge, place in zip(edges, places, strict=True)])
    return begins, np.stack([edge[place] for edge, place in zip(edges, places, strict=True)])


def _ordered(counts: Floats, sizes: _Ints, *, adjacent: bool) -> float:
    """Return the mean share of triples that the second side orders as the first one does; NaN if there are none."""
    depth = len(counts)
    pairs = [(low, high) for high in range(depth) for low in range(high) if not adjacent or high == low + 1]
    right, all_pairs = np.zeros(len(sizes)), np.zeros(len(sizes))
    for low, high in pairs:
        below = np.cumsum(counts[low], axis=0) - counts[low]  # of the second side less deep than each depth
        right += (counts[high] * below).sum(axis=0)
        all_pairs += counts[high].sum(axis=0) * counts[low].sum(axis=0)
    known = all_pairs > 0
    if not known.any():
        return math.nan
    return float((right[known] / all_pairs[known] * sizes[known]).sum() / sizes[known].sum())


def has_levels(system: Corpus) -> bool:
    """Say whether a document of a system has a hierarchy."""
    return any(document.hierarchy for document in system)


def tree_scores(reference: Corpus, hypothesis: Corpus, by_level: Sequence[Sequence[float]]) -> TreeScore:
    """Return the measures of a system's hierarchies, as means over documents; a document without one has one level."""
    ids = [key for key in reference.ids if key in hypothesis]
    found: dict[bool, list[Agreed]] = {False: [], True: []}
    for key in ids:
        sides = _levels(reference[key]), _levels(hypothesis[key])
        if all(sides):
            for adjacent, rows in found.items():
                rows.append(agreed(*sides, adjacent=adjacent))
    whole, reduced = (np.array(found[adjacent]).reshape(-1, 3) for adjacent in (False, True))
    means = {
        f"{name}_{part}": number(mean_defined(table[:, place]))
        for name, table in (("l", whole), ("t", reduced))
        for place, part in enumerate(Agreed._fields)
    }
    scores = [[number(value) for value in row] for row in by_level]
    return TreeScore(documents=int((~np.isnan(whole[:, 2])).sum()), by_level=scores, **means)


def _levels(document: Document) -> tuple[Segmentation, ...]:
    if document.hierarchy or document.segmentation is None:
        return document.hierarchy
    return (document.segmentation,)
