# SPDX-License-Identifier: Apache-2.0
"""Boundaries moved."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from caesura.batches.flat import Flat
from caesura.declare import Card, param
from caesura.evaluation.degrade._base import DEGRADATIONS, Degradation, Degraded, rebuilt
from caesura.kernels import draws
from caesura.placements.streams import Streams
from caesura.segmentation import Segmentation
from caesura.units.quantity import check_quantity, resolve_quantity

__all__ = ["Transposition"]

_END = "past an end of the document"
_TAKEN = "another boundary is there"
_NONE = "there is no boundary"
_NOWHERE = "no boundary can be moved so far"


def _check_distance(value: object) -> str | None:
    return "must be at least 1" if isinstance(value, int) and value < 1 else check_quantity(value)


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Transposition(Degradation):
    """Move one boundary, or all of them, by a distance: near misses.

    ``which="one"`` chooses uniformly among the possible moves; ``"all"`` moves each boundary that can be moved. Moving right,
    the last boundary goes first (moving left, the first), so that neighbours that move together do not block each other.
    ``direction="random"`` draws a direction for each boundary, and uses the other one if it is blocked.

    No boundary leaves the document or wraps around its end. By default none lands on another, so that their number stays
    the same; with ``collisions`` they may, and then merge.

    Examples
    --------
    >>> result = Transposition(distance=2, which="all").apply(Segmentation(9, (2, 5, 8)), np.random.default_rng(1))
    >>> result.segmentation, dict(result.skipped)
    (Segmentation(9, (4, 7, 8)), {'past an end of the document': 1})
    """

    distance: int | str = param(1, "distance in units, or a duration such as '10s'", check=_check_distance)
    which: str = param("one", "whether to move one boundary or all of them", choices=("one", "all"))
    direction: str = param("right", "direction of the move", choices=("right", "left", "random"))
    collisions: bool = param(False, "whether a boundary may land on another and merge with it")

    card: ClassVar[Card] = Card(
        title="boundaries moved by a distance",
        citation="Lucas, Kangas and Havens, A reference-free segmentation quality index (SegReFree)",
        equation="section 4.1.3",
    )

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Move boundaries; see `Degradation.apply`."""
        distance = self._units(segmentation.unit)
        if self.which == "one":
            return self._one(segmentation, distance, rng)
        return self._all(segmentation, distance, rng)

    def _units(self, unit: str) -> int:
        return resolve_quantity(self.distance, unit, owner="Transposition", name="distance", default_limit=1)

    @property
    def is_at_once(self) -> bool:
        """Whether all boundaries move, each in a random direction, and none merge."""
        return self.which == "all" and self.direction == "random" and not self.collisions

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        out = np.empty(len(flat.pos), dtype=np.int64)
        longest = int(flat.n_units.max(initial=0))
        steps, order = np.empty((2, int(np.diff(flat.ptr).max(initial=0))), dtype=np.int64)
        draws.move_boundaries(
            streams.seeds(), flat.n_units, flat.ptr, flat.pos, min(self._units(unit), longest), out, steps, order,
            np.zeros(longest, dtype=np.uint8), np.empty(6, dtype=np.uint64),
        )  # fmt: skip
        return Flat._known(flat.n_units, flat.ptr, out)

    def _steps(self, distance: int) -> tuple[int, ...]:
        return {"right": (distance,), "left": (-distance,), "random": (distance, -distance)}[self.direction]

    def _one(self, segmentation: Segmentation, distance: int, rng: np.random.Generator) -> Degraded:
        there = segmentation.positions
        if not len(there):
            return Degraded(segmentation, 1, 0, {_NONE: 1})
        moves = []
        for step in self._steps(distance):
            target = there + step
            free = (target >= 1) & (target <= segmentation.n_units - 1)
            if not self.collisions:
                free &= ~np.isin(target, there)
            moves += [(place, step) for place in np.flatnonzero(free).tolist()]
        if not moves:
            return Degraded(segmentation, 1, 0, {_NOWHERE: 1})
        place, step = moves[int(rng.integers(len(moves)))]
        moved = there.copy()
        moved[place] += step
        return Degraded(rebuilt(segmentation, np.unique(moved)), 1, 1)

    def _all(self, segmentation: Segmentation, distance: int, rng: np.random.Generator) -> Degraded:
        there = list(segmentation.boundaries)
        skipped: Counter[str] = Counter()
        taken = set(there)
        targets: list[int] = []
        order, ways = self._order(len(there), distance, rng)
        for place in order:
            gap = there[place]
            blocked = ""
            for step in ways[place]:
                target = gap + step
                if not 1 <= target <= segmentation.n_units - 1:
                    blocked = blocked or _END
                elif not self.collisions and target in taken:
                    blocked = blocked or _TAKEN
                else:
                    taken.discard(gap)
                    taken.add(target)
                    targets.append(target)
                    break
            else:
                skipped[blocked] += 1
                targets.append(gap)
        result = rebuilt(segmentation, np.unique(np.array(targets, dtype=np.int64)))
        return Degraded(result, len(there), len(there) - skipped.total(), dict(skipped))

    def _order(
        self, number: int, distance: int, rng: np.random.Generator
    ) -> tuple[Sequence[int], Sequence[tuple[int, ...]]]:
        """Return the order in which boundaries move, and the steps that each tries."""
        if self.direction != "random":
            order = range(number)[::-1] if self.direction == "right" else range(number)
            return order, [self._steps(distance)] * number
        coins = rng.integers(2, size=number).tolist()
        ways = [(distance, -distance) if coin else (-distance, distance) for coin in coins]
        return rng.permutation(number).tolist(), ways
