# SPDX-License-Identifier: Apache-2.0
"""Properties of documents that make scores without a reference less reliable."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.batches.flat import Ints
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import centroids

__all__ = ["HUGE", "Cautions", "cautions"]

HUGE = 1000
"""Scatter of two segments over the distance of their centroids, from which two centroids are nearly equal; usual values are
below 10, and one such pair outweighs all other segments of a corpus."""


@dataclasses.dataclass(frozen=True, eq=False)
class Cautions:
    """Counts of each document."""

    segments: Ints
    single_unit: Ints  # segments of one unit: no scatter in SegReFree, 0 in Silhouette, borrowed values in ARP
    only_single: Ints  # 1 where every segment has one unit: the best SegReFree there is
    same_centroids: Ints  # neighbouring segments whose centroids are equal: infinite in SegReFree
    near_centroids: Ints  # neighbouring segments whose centroids nearly are: huge in SegReFree
    units: Ints
    zero_vectors: Ints  # units whose vector is zero, and thus has no direction
    repeated_vectors: Ints  # units whose vector equals that of the unit before

    def sentences(self) -> list[str]:
        """Return one sentence per property that occurs in the corpus."""
        single = "segments have one unit, which SegReFree and ARP cannot judge"
        lines = [
            *_counted((self.single_unit, self.segments, single)),
            *self.traps(),
            *_counted(
                (self.zero_vectors, self.units, "units have a zero vector, which has no direction"),
                (self.repeated_vectors, self.units, "units have the same vector as the unit before"),
            ),
        ]
        alone = int((self.segments == 1).sum())
        if alone:
            lines.append(f"{alone} of {len(self.segments)} documents have one segment and no score")
        return lines

    def traps(self) -> list[str]:
        """Return one sentence per property that gives SegReFree and Davies-Bouldin a value that says nothing of the text."""
        return _counted(
            (self.same_centroids, self.segments - 1, "neighbouring segments have the same centroid: SegReFree is infinite there, or 0 if their units are equal too"),
            (self.near_centroids, self.segments - 1, f"neighbouring segments have nearly the same centroid: SegReFree is above {HUGE:,} there and outweighs every other segment"),
            (self.only_single, np.ones_like(self.segments), "documents have segments of one unit only: SegReFree is 0 there, its best value, whatever the text; singletons='mean' does not reward them"),
        )  # fmt: skip


def _counted(*facts: tuple[Ints, Ints, str]) -> list[str]:
    return [
        f"{int(some.sum())} of {int(of.sum())} ({some.sum() / of.sum():.1%}) {what}"
        for some, of, what in facts
        if some.any()
    ]


def cautions(batch: Embedded) -> Cautions:
    """Count the properties that may mislead metrics without a reference.

    >>> from caesura.segmentation import Segmentation
    >>> found = cautions(Embedded.of({"d": Segmentation(3, (1, 2))}, {"d": np.ones((3, 2))}))
    >>> found.segments.tolist(), found.single_unit.tolist(), found.same_centroids.tolist()
    ([3], [3], [2])
    """
    where = layout(batch)
    spread, gaps = centroids(batch, "l2")[:, :2].T
    near = np.zeros(len(gaps), dtype=bool)
    near[:-1] = (gaps[:-1] > 0) & (spread[:-1] + spread[1:] > HUGE * gaps[:-1])
    single = np.bincount(where.document, where.lengths == 1, minlength=len(batch)).astype(np.int64)
    segments = np.diff(where.ptr)
    zero, repeated = np.zeros((2, len(batch)), dtype=np.int64)
    for row in range(len(batch)):
        vectors = batch.vectors_of(row)
        zero[row] = len(vectors) - np.count_nonzero(vectors.any(axis=1))
        repeated[row] = np.count_nonzero((vectors[1:] == vectors[:-1]).all(axis=1))
    return Cautions(
        segments,
        single,
        ((single == segments) & (segments > 1)).astype(np.int64),
        np.bincount(where.document, gaps == 0, minlength=len(batch)).astype(np.int64),
        np.bincount(where.document, near, minlength=len(batch)).astype(np.int64),
        batch.n_units,
        zero,
        repeated,
    )
