# SPDX-License-Identifier: Apache-2.0
"""As many boundaries at random: anywhere, or between the same segments in another order."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.batches.flat import Flat, starts_of
from caesura.declare import Card
from caesura.evaluation.degrade._base import DEGRADATIONS, Degradation, Degraded, rebuilt
from caesura.kernels import draws
from caesura.placements.streams import Streams, chosen_gaps
from caesura.segmentation import Segmentation

__all__ = ["RandomPlacement", "Shuffle"]


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class RandomPlacement(Degradation):
    """Place as many boundaries at random gaps: the density stays, all information on placement is lost.

    Every set of that many gaps is equally likely, including the original one. For many draws of a whole corpus at once see
    `caesura.placements.RandomPlacements`.

    Examples
    --------
    >>> result = RandomPlacement().apply(Segmentation(9, (2, 5)), np.random.default_rng(1))
    >>> result.segmentation.n_boundaries, result.done
    (2, 2)
    """

    card: ClassVar[Card] = Card(title="the same number of boundaries at random gaps")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Place the boundaries at random; see `Degradation.apply`."""
        there = segmentation.n_boundaries
        if not there:
            return Degraded(segmentation, 0, 0)
        gaps = rng.choice(segmentation.n_units - 1, size=there, replace=False, shuffle=False)
        gaps.sort()
        return Degraded(rebuilt(segmentation, gaps + 1), there, there)

    is_at_once = True

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        gaps = chosen_gaps(flat.n_units - 1, np.diff(flat.ptr), streams)
        return Flat._known(flat.n_units, flat.ptr, gaps)


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Shuffle(Degradation):
    """Put the segment lengths in a random order: density and lengths stay, all information on placement is lost.

    Every order is equally likely, including the original one. Stricter than `RandomPlacement`: one-unit segments stay
    one-unit segments, so a metric that merely prefers short or even segments gains nothing. For many draws of a whole corpus
    at once see `caesura.placements.random.ShuffledLengths`.

    Examples
    --------
    >>> result = Shuffle().apply(Segmentation.from_masses([1, 2, 6]), np.random.default_rng(3))
    >>> sorted(result.segmentation.masses)
    [1, 2, 6]
    """

    card: ClassVar[Card] = Card(title="the same segment lengths in a random order")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Shuffle the segments; see `Degradation.apply`."""
        there = segmentation.n_segments
        if there == 1:
            return Degraded(segmentation, 0, 0)
        masses = np.diff(np.concatenate(([0], segmentation.positions, [segmentation.n_units])))
        rng.shuffle(masses)
        return Degraded(rebuilt(segmentation, np.cumsum(masses)[:-1]), there, there)

    is_at_once = True

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        ptr = flat.ptr + np.arange(len(flat.ptr))
        masses = flat.masses()
        draws.shuffle_runs(streams.seeds(), ptr, masses, np.empty(6, dtype=np.uint64))
        ends = np.cumsum(masses) - np.repeat(starts_of(flat.n_units)[:-1], np.diff(ptr))
        return Flat._known(flat.n_units, flat.ptr, np.delete(ends, ptr[1:] - 1))
