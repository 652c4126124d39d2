# SPDX-License-Identifier: Apache-2.0
"""Scatter: segments whose vectors lie close together."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.declare import Card, param
from caesura.kernels import one_thread
from caesura.kernels import programme as kernel
from caesura.scorers import Features
from caesura.segmenters._search import Band, Optimiser, Programme, penalised
from caesura.segmenters.base import SEGMENTERS

__all__ = ["Scatter"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class Scatter(Optimiser):
    r"""Cut so that the vectors of each segment lie as near to their mean as possible.

    Definition
    ----------
    The cost of a segment is the sum of the squared distances of its vectors, scaled to length 1, to their mean. The
    segmentation with the least sum is found by dynamic programming; with a given number of segments it equals ruptures'
    ``KernelCPD(kernel="cosine")``. Without one, each segment costs ``penalty`` · σ² · ln n more, where σ² is half the mean
    squared distance of neighbours.

    Edge cases
    ----------
    If all vectors are equal, there is no boundary. A unit without known words has a zero vector.
    """

    penalty: float = param(0.5, "cost of a segment without a given number of them, times σ² ln n", minimum=0)
    min_length: int = param(1, "units of the shortest segment", minimum=1)

    needs_vectors: ClassVar[bool] = True
    card = Card(
        title="least scatter of vectors within segments",
        citation="Arlot, Celisse and Harchaoui 2019, A kernel multiple change-point algorithm, JMLR 20",
    )

    def costs(self, features: Features, band: Band) -> None:
        """Fill the band with the scatter of every segment."""
        n = features.n_units
        sums, squares, lengths = (np.zeros((n + 1, features.vectors.shape[1])), np.zeros(n + 1), np.zeros(n + 1))
        if kernel.COMPILED:
            kernel.running_sums(features.vectors, sums, squares, lengths)
        else:
            vectors = features.vectors.astype(np.float64)
            np.cumsum(vectors, axis=0, out=sums[1:])
            np.cumsum(np.einsum("ij,ij->i", vectors, vectors), out=squares[1:])
            np.einsum("ij,ij->i", sums, sums, out=lengths)
        with one_thread():
            for first in range(1, n + 1, _ENDS):
                last = min(first + _ENDS, n + 1)
                base = band.starts(first).start
                products = sums[first:last] @ sums[base : last - 1].T
                if kernel.COMPILED:
                    kernel.scatter_costs(products, squares, lengths, band.costs, first, base)
                    continue
                for end, row in enumerate(products, first):
                    places = band.starts(end)
                    spread = lengths[end] + lengths[places] - 2 * row[places.start - base : end - base]
                    spread /= np.arange(end - places.start, 0, -1)
                    band.fill(end, np.maximum(squares[end] - squares[places] - spread, 0.0))
        band.require(self.min_length)

    def decide(self, features: Features, band: Band, programme: Programme) -> list[int]:
        """Return the boundaries with the least scatter and penalty."""
        steps = np.diff(features.vectors.astype(np.float64), axis=0)
        noise = float(np.einsum("ij,ij->", steps, steps)) / (2 * max(len(steps), 1))
        return penalised(band, self.penalty * noise * float(np.log(features.n_units)) + _TINY)


_ENDS = 64  # ends of segments whose products are computed together
_TINY = 1e-9  # above the rounding of costs, so that equal vectors are not separated
