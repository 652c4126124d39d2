# SPDX-License-Identifier: Apache-2.0
"""The terms of which a score of a document's boundaries is the weighted sum: one for each feature of a gap, and two of Placement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caesura.batches.embedded import Vectors
from caesura.batches.flat import Ints
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._gaps import FEATURES, features, scale_of_sum
from caesura.metrics.cohesion._likeness import VectorLikeness
from caesura.metrics.cohesion._rotations import Likeness, shifts, standardized, totals
from caesura.metrics.cohesion._words import Occurrences, WordLikeness

__all__ = ["TERMS", "Terms"]

TERMS = (*FEATURES, "placement of vectors", "placement of words")
"""The name of each term."""


class Terms:
    """What is known of one document, for any boundaries of it."""

    def __init__(
        self,
        vectors: Vectors,
        texts: Sequence[str] | None,
        speakers: Sequence[str] | None = None,
        *,
        rotations: int = 1000,
        shared: bool = False,
    ) -> None:
        self._n_units = len(vectors)
        found = None if texts is None else Occurrences(texts)
        self.gaps = features(vectors, texts, speakers, found)
        self._by = shifts(self._n_units, rotations)
        self._likenesses: list[Likeness] = [VectorLikeness(vectors, distinct=True, shared=shared)]
        if found is not None:
            self._likenesses.append(WordLikeness(found))

    def of(self, boundaries: Ints) -> Floats:
        """Return the terms of some boundaries; all are 0 if there is none, or one in every gap."""
        out = np.zeros(len(TERMS))
        scale = scale_of_sum(self._n_units - 1, len(boundaries))
        if scale:
            out[: len(FEATURES)] = self.gaps[boundaries - 1].sum(axis=0) / scale
            out[len(FEATURES) :] = self.placements(boundaries)
        return out

    def placements(self, boundaries: Ints) -> tuple[float, ...]:
        """Return z of Placement, of vectors and of words; the latter is 0 without texts."""
        each = [
            float(standardized(totals(one, self._n_units, boundaries, self._by), one.whole)[0]) if one.whole else 0.0
            for one in self._likenesses
        ]
        return (*each, 0.0)[:2]
