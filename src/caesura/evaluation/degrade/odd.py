# SPDX-License-Identifier: Apache-2.0
"""As many boundaries, spent on cutting out the units least like their document."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.batches.embedded import Vectors
from caesura.declare import Card
from caesura.errors import ComparabilityError
from caesura.evaluation.degrade._base import DEGRADATIONS, Degradation, Degraded, rebuilt
from caesura.segmentation import Segmentation

__all__ = ["Odd"]


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
