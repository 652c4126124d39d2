# SPDX-License-Identifier: Apache-2.0
"""As many boundaries, placed anew: at random, between the same segments in another order, evenly, or around odd units."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.batches.embedded import Vectors
from caesura.batches.flat import Flat, starts_of
from caesura.declare import Card
from caesura.errors import ComparabilityError
from caesura.evaluation.degrade._base import DEGRADATIONS, Degradation, Degraded, rebuilt
from caesura.kernels import draws
from caesura.placements.streams import Streams, chosen_gaps
from caesura.segmentation import Segmentation

__all__ = ["Even", "Odd", "RandomPlacement", "Shuffle"]


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


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Even(Degradation):
    """Place as many boundaries at equal distances: the density stays, and lengths are as even as can be.

    With k boundaries in n units, the i-th lies after floor(i n / (k + 1)) units. A metric that merely prefers even lengths
    prefers this to any reference.

    Examples
    --------
    >>> Even().apply(Segmentation(10, (1, 2)), np.random.default_rng(1)).segmentation.masses
    (3, 3, 4)
    """

    random = False
    card: ClassVar[Card] = Card(title="the same number of boundaries at equal distances")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Place the boundaries evenly; see `Degradation.apply`."""
        there = segmentation.n_boundaries
        if not there:
            return Degraded(segmentation, 0, 0)
        gaps = np.arange(1, there + 1) * segmentation.n_units // (there + 1)
        return Degraded(rebuilt(segmentation, gaps), there, there)

    is_at_once = True

    def _at_once(self, flat: Flat, unit: str, streams: Streams) -> Flat:
        there = np.diff(flat.ptr)
        places = np.arange(1, len(flat.pos) + 1) - np.repeat(flat.ptr[:-1], there)
        gaps = places * np.repeat(flat.n_units, there) // np.repeat(there + 1, there)
        return Flat._known(flat.n_units, flat.ptr, gaps)


@DEGRADATIONS.register()
@dataclasses.dataclass(frozen=True)
class Odd(Degradation):
    """Spend as many boundaries on cutting out odd units: those least like the document, each a segment of its own.

    Units are taken in the order of their cosine with the sum of all vectors of the document, each scaled to length 1, the lowest
    first. A unit takes the boundaries around it that are not there yet; the last may get only one of two. A metric that merely
    rewards outliers prefers this to any reference.

    Examples
    --------
    >>> vectors = np.array([[1.0, 0], [1, 0], [0, 1], [1, 0], [1, 0], [1, 0]])
    >>> Odd().apply_to(Segmentation(6, (1, 5)), np.random.default_rng(1), vectors).segmentation.masses
    (2, 1, 3)
    """

    random = False
    reads = True
    card: ClassVar[Card] = Card(title="as many boundaries, around the units least like the document")

    def apply(self, segmentation: Segmentation, rng: np.random.Generator) -> Degraded:
        """Refuse: vectors are needed; see `apply_to`."""
        raise ComparabilityError("Odd reads the vectors of the units; use apply_to, or caesura.degrade with an encoder")

    def apply_to(self, segmentation: Segmentation, rng: np.random.Generator, vectors: Vectors | None) -> Degraded:
        """Cut out odd units; see `Degradation.apply_to`."""
        if vectors is None:
            return self.apply(segmentation, rng)
        there = segmentation.n_boundaries
        if not there:
            return Degraded(segmentation, 0, 0)
        units = np.asarray(vectors, dtype=np.float64)
        lengths = np.linalg.norm(units, axis=1)
        units = units / np.where(lengths == 0, 1.0, lengths)[:, None]
        chosen: set[int] = set()
        for unit in np.argsort(units @ units.sum(axis=0), kind="stable").tolist():
            around = [gap for gap in (unit, unit + 1) if 0 < gap < segmentation.n_units and gap not in chosen]
            chosen.update(around[: there - len(chosen)])
            if len(chosen) == there:
                break
        return Degraded(rebuilt(segmentation, np.array(sorted(chosen))), there, there)
