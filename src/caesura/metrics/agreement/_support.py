# SPDX-License-Identifier: Apache-2.0
"""How many annotators have a boundary at or near each gap that any of them marked, for all documents at once."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from caesura.batches.flat import Flat, starts_of
from caesura.batches.panel import Panel

__all__ = ["Candidates", "candidates_of", "offsets", "supporters", "votes_of"]

Ints = npt.NDArray[np.int64]
_DENSE = 4  # units per mark


@dataclasses.dataclass(frozen=True)
class Candidates:
    """Every gap that any annotator of a document marked, in order, documents one after the other."""

    document: Ints  # [G]
    gap: Ints  # [G]
    ptr: Ints  # [G + 1]: where the codings that mark a gap begin
    coding: Ints  # the codings that mark each gap, in the order of the panel

    @property
    def votes(self) -> Ints:
        """How many annotators marked each gap."""
        return np.diff(self.ptr)


def candidates_of(panel: Panel) -> Candidates:
    """Collect the marked gaps of every document, with those who marked them."""
    coding = np.repeat(np.arange(len(panel.annotator)), panel.n_boundaries)
    document, gap = panel.document[coding], panel.codings.pos
    order = np.lexsort((gap, document))  # stable: the codings of a gap keep their order
    document, gap = document[order], gap[order]
    new = np.ones(len(gap), dtype=bool)
    new[1:] = (gap[1:] != gap[:-1]) | (document[1:] != document[:-1])
    starts = np.flatnonzero(new)
    return Candidates(document[starts], gap[starts], np.append(starts, len(gap)), coding[order])


def votes_of(panel: Panel) -> tuple[Ints, Ints]:
    """Return the document and the votes of every marked gap, as `candidates_of` does; without sorting where marks are dense."""
    starts = starts_of(panel.n_units)
    if starts[-1] > _DENSE * len(panel.codings.pos):
        gaps = candidates_of(panel)
        return gaps.document, gaps.votes
    first = np.repeat(starts[:-1][panel.document], panel.n_boundaries)
    votes = np.bincount(first + panel.codings.pos, minlength=int(starts[-1]))
    marked = np.flatnonzero(votes)
    return np.searchsorted(starts, marked, side="right") - 1, votes[marked]


def offsets(panel: Panel, tolerance: Ints) -> Ints:
    """Return where each document begins if all are laid one after the other, farther apart than their tolerances."""
    room = panel.n_units + 2 * tolerance + 1
    return np.asarray(np.cumsum(room) - room + tolerance)


def supporters(panel: Panel, candidates: Candidates, tolerance: Ints, hypothesis: Flat | None = None) -> Ints:
    """Return how many annotators have a boundary within each document's tolerance of each candidate.

    With a ``hypothesis``, one row per document, its boundaries are counted instead: the answer is 0 or 1. A boundary
    reaches from its gap less the tolerance to its gap plus the tolerance; where two of one annotator overlap, the later
    one begins after the earlier one ends. So each annotator counts once, and the work grows with the boundaries.
    """
    codings = panel.codings if hypothesis is None else hypothesis
    documents = panel.document if hypothesis is None else np.arange(len(panel))
    sizes, offset = np.diff(codings.ptr), offsets(panel, tolerance)
    owner = np.repeat(documents, sizes)
    at, reach = codings.pos + offset[owner], tolerance[owner]
    start, stop = at - reach, at + reach
    follows = np.ones(len(at), dtype=bool)
    follows[codings.ptr[:-1][sizes > 0]] = False
    later = np.flatnonzero(follows)
    start[later] = np.maximum(start[later], stop[later - 1] + 1)
    points = candidates.gap + offset[candidates.document]
    low, high = np.searchsorted(points, start), np.searchsorted(points, stop, side="right")
    size = len(points) + 1
    return np.cumsum(np.bincount(low, minlength=size) - np.bincount(high, minlength=size))[:-1]
