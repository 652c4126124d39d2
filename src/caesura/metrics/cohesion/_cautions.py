# SPDX-License-Identifier: Apache-2.0
"""Properties of documents that make scores without a reference less reliable."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Ints
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import centroids

__all__ = ["Cautions", "cautions"]


@dataclasses.dataclass(frozen=True, eq=False)
class Cautions:
    """Counts of each document.

    Attributes
    ----------
    segments : int64[D]
        Segments.
    single_unit : int64[D]
        Segments of one unit: no scatter in `SegReFree`, 0 in `Silhouette`, borrowed values in ARP.
    same_centroids : int64[D]
        Neighbouring segments whose centroids are equal (of ``segments - 1`` pairs): infinite in `SegReFree`.
    units : int64[D]
        Units.
    zero_vectors : int64[D]
        Units whose vector is zero, and thus has no direction.
    repeated_vectors : int64[D]
        Units whose vector equals that of the unit before.
    """

    segments: Ints
    single_unit: Ints
    same_centroids: Ints
    units: Ints
    zero_vectors: Ints
    repeated_vectors: Ints

    @property
    def single_unit_share(self) -> Floats:
        """Share of segments of one unit, per document."""
        return ratio(self.single_unit.astype(np.float64), self.segments.astype(np.float64))

    @property
    def same_centroid_share(self) -> Floats:
        """Share of neighbouring segments with equal centroids, per document; NaN for one segment."""
        return ratio(self.same_centroids.astype(np.float64), (self.segments - 1).astype(np.float64))

    def sentences(self) -> list[str]:
        """Return one sentence per property that occurs in the corpus."""
        facts = (
            (self.single_unit, self.segments, "segments have one unit: SegReFree finds no scatter in them, ARP borrows it"),
            (self.same_centroids, self.segments - 1, "neighbouring segments have the same centroid: SegReFree is infinite there, or 0 if their units are equal too"),
            (self.zero_vectors, self.units, "units have a zero vector, which has no direction"),
            (self.repeated_vectors, self.units, "units have the vector of the unit before"),
        )  # fmt: skip
        lines = [
            f"{int(some.sum())} of {int(of.sum())} ({some.sum() / of.sum():.1%}) {what}"
            for some, of, what in facts
            if some.any()
        ]
        alone = int((self.segments == 1).sum())
        if alone:
            lines.append(f"{alone} of {len(self.segments)} documents have one segment and no score")
        return lines


def cautions(batch: Embedded) -> Cautions:
    """Count the properties that may mislead metrics without a reference.

    >>> from caesura.segmentation import Segmentation
    >>> found = cautions(Embedded.of({"d": Segmentation(3, (1, 2))}, {"d": np.ones((3, 2))}))
    >>> found.single_unit_share.tolist(), found.same_centroid_share.tolist()
    ([1.0], [1.0])
    """
    where = layout(batch)
    gaps = centroids(batch, "l2")[:, 1]
    zero, repeated = np.zeros((2, len(batch)), dtype=np.int64)
    for row in range(len(batch)):
        vectors = batch.vectors_of(row)
        zero[row] = len(vectors) - np.count_nonzero(vectors.any(axis=1))
        repeated[row] = np.count_nonzero((vectors[1:] == vectors[:-1]).all(axis=1))
    return Cautions(
        np.diff(where.ptr),
        np.bincount(where.document, where.lengths == 1, minlength=len(batch)).astype(np.int64),
        np.bincount(where.document, gaps == 0, minlength=len(batch)).astype(np.int64),
        batch.n_units,
        zero,
        repeated,
    )
