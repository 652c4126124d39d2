# SPDX-License-Identifier: Apache-2.0
"""Segments split in two."""

from __future__ import annotations

import dataclasses
import itertools
from typing import ClassVar

import numpy as np

from caesura.batches.flat import Flat, starts_of
from caesura.declare import Card, param
from caesura.evaluation.degrade._base import DEGRADATIONS, Amount, Degraded, Ints, rebuilt
from caesura.placements.streams import Streams, chosen_gaps
from caesura.segmentation import Segmentation

__all__ = ["Splitting"]

_SINGLE = "segments of one unit cannot be split"
_ONCE = "every segment that can be split was split once"


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Splitting(Amount):
    """Split random segments in the middle, like a segmenter that sets boundaries inside topics.

    A segment of L units becomes one of floor(L / 2) units and one of the rest. Each segment is split at most once, unless
    ``again`` allows halves to be split too; the paper leaves that open. A segment of one unit is never split.

    Examples
    --------
    >>> result = Splitting(share=1.0).apply(Segmentation.from_masses([5, 1, 4]), np.random.default_rng(1))
    >>> result.segmentation.masses, result.requested, result.done, dict(result.skipped)
    ((2, 3, 1, 2, 2), 3, 2, {'segments of one unit cannot be split': 1})
    """

    share: float | None = param(None, "share of the segments to split, rounded, halves up", minimum=0, maximum=1)
    count: int | None = param(None, "number of splits; 1 if no share is given", minimum=0)
    again: bool = param(False, "whether a half may be split again")

    card: ClassVar[Card] = Card(
        title="random segments split in the middle",
        citation="Lucas, Kangas and Havens, A reference-free segmentation quality index (SegReFree)",
        equation="section 4.1.2",
    )

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Split segments; see `Degradation.apply`."""
        edges = np.concatenate(([0], segmentation.positions, [segmentation.n_units]))
        requested = self.amount(len(edges) - 1)
        new = self._again(edges, requested, rng) if self.again else self._once(edges, requested, rng)
        result = rebuilt(segmentation, np.sort(np.concatenate([segmentation.positions, new])))
        return Degraded(result, requested, len(new), self._skipped(edges, requested - len(new)))

    def _once(self, edges: Ints, requested: int, rng: np.random.Generator) -> Ints:
        masses = np.diff(edges)
        longer = np.flatnonzero(masses > 1)
        if requested < len(longer):
            longer = longer[rng.choice(len(longer), size=requested, replace=False, shuffle=False)]
        middles: Ints = edges[:-1][longer] + masses[longer] // 2
        return middles

    def _again(self, edges: Ints, requested: int, rng: np.random.Generator) -> Ints:
        # Segments that can still be split, as (start, end); a segment that is split is replaced by its halves.
        open_segments = [(int(a), int(b)) for a, b in itertools.pairwise(edges) if b - a > 1]
        new: list[int] = []
        while open_segments and len(new) < requested:
            place = int(rng.integers(len(open_segments)))
            start, end = open_segments[place]
            open_segments[place] = open_segments[-1]
            open_segments.pop()
            middle = start + (end - start) // 2
            new.append(middle)
            open_segments += [(a, b) for a, b in ((start, middle), (middle, end)) if b - a > 1]
        return np.array(new, dtype=np.int64)

    def _skipped(self, edges: Ints, lacking: int) -> dict[str, int]:
        single = lacking if self.again else min(lacking, int((np.diff(edges) == 1).sum()))
        reasons = {_SINGLE: single, _ONCE: lacking - single}
        return {reason: number for reason, number in reasons.items() if number}

    @property
    def is_at_once(self) -> bool:
        """Whether halves stay whole."""
        return not self.again

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        masses, before = flat.masses(), starts_of(flat.n_units)
        segments = np.diff(flat.ptr) + 1
        longer = np.flatnonzero(masses > 1)
        found = np.bincount(np.repeat(np.arange(len(flat)), segments)[longer], minlength=len(flat))
        done = np.minimum(self.amounts(segments), found)
        chosen = longer[chosen_gaps(found, done, streams) - 1 + np.repeat(starts_of(found)[:-1], done)]
        # Units are counted over all documents, so that one sort keeps documents apart.
        middles = starts_of(masses)[chosen] + masses[chosen] // 2
        counts = segments - 1
        pos = np.sort(np.concatenate([flat.pos + np.repeat(before[:-1], counts), middles]))
        return Flat._known(flat.n_units, starts_of(counts + done), pos - np.repeat(before[:-1], counts + done))
