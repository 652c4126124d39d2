# SPDX-License-Identifier: Apache-2.0
"""Segments cut in two."""

from __future__ import annotations

import dataclasses
import itertools
from typing import ClassVar

import numpy as np

from caesura.declare import Card, param
from caesura.experiments.degradations._base import DEGRADATIONS, Amount, Degradation, Degraded, Ints, made
from caesura.segmentation import Segmentation

__all__ = ["Splitting"]

_SINGLE = "segments of one unit cannot be split"
_ONCE = "every segment that can be split was split once"


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Splitting(Amount, Degradation):
    """Cut random segments in the middle: what a segmenter that sets boundaries inside topics would give.

    A segment of L units becomes one of floor(L / 2) and the rest. Each segment is split at most once, unless ``again`` says
    that halves may be split too; the paper leaves that open. A segment of one unit cannot be split and is never chosen.

    Examples
    --------
    >>> result = Splitting(share=1.0).apply(Segmentation.from_masses([5, 1, 4]), np.random.default_rng(1))
    >>> result.segmentation.masses, result.asked, result.done, dict(result.skipped)
    ((2, 3, 1, 2, 2), 3, 2, {'segments of one unit cannot be split': 1})
    """

    share: float | None = param(
        None, "share of the segments to split, rounded, halves up", minimum=0, maximum=1
    )
    count: int | None = param(None, "how many splits; 1 if no share is given", minimum=0)
    again: bool = param(False, "whether a half may be split again")

    card: ClassVar[Card] = Card(
        title="random segments cut in the middle",
        citation="Lucas, Kangas and Havens, A reference-free segmentation quality index (SegReFree)",
        equation="section 4.1.2",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        fault = self.check_amount()
        if fault is not None:
            raise self.error(f"Splitting: {fault}")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Split segments; `Degradation.apply` says how."""
        edges = np.concatenate(([0], segmentation.positions, [segmentation.n_units]))
        asked = self.amount(len(edges) - 1)
        new = self._again(edges, asked, rng) if self.again else self._once(edges, asked, rng)
        done = len(new)
        result = made(segmentation, np.sort(np.concatenate([segmentation.positions, new])))
        return Degraded(result, asked, done, self._skipped(edges, asked, done))

    def _once(self, edges: Ints, asked: int, rng: np.random.Generator) -> Ints:
        masses = np.diff(edges)
        longer = np.flatnonzero(masses > 1)
        if asked < len(longer):
            longer = longer[rng.choice(len(longer), size=asked, replace=False, shuffle=False)]
        middles: Ints = edges[:-1][longer] + masses[longer] // 2
        return middles

    def _again(self, edges: Ints, asked: int, rng: np.random.Generator) -> Ints:
        # Segments that can still be split, as (start, end); a chosen one gives its place to its halves.
        open_segments = [(int(a), int(b)) for a, b in itertools.pairwise(edges) if b - a > 1]
        new: list[int] = []
        while open_segments and len(new) < asked:
            place = int(rng.integers(len(open_segments)))
            start, end = open_segments[place]
            open_segments[place] = open_segments[-1]
            open_segments.pop()
            middle = start + (end - start) // 2
            new.append(middle)
            open_segments += [(a, b) for a, b in ((start, middle), (middle, end)) if b - a > 1]
        return np.array(new, dtype=np.int64)

    def _skipped(self, edges: Ints, asked: int, done: int) -> dict[str, int]:
        lacking = asked - done
        if not lacking:
            return {}
        single = lacking if self.again else min(lacking, int((np.diff(edges) == 1).sum()))
        reasons = {_SINGLE: single, _ONCE: lacking - single}
        return {reason: number for reason, number in reasons.items() if number}
