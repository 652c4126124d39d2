# SPDX-License-Identifier: Apache-2.0
"""Evenness."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._base import COHESION, CohesionMetric, cohesion_card
from caesura.metrics.cohesion._layout import layout


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class Evenness(CohesionMetric):
    r"""How even the lengths of the segments are; it does not read the text, so it is the level reached without reading.

    Definition
    ----------
    The sum of the square roots of the segment lengths, less its mean over all placements of as many boundaries in n units:

    .. math::  \sum_i \sqrt{l_i} - (k + 1) \sum_l \sqrt{l} \, \binom{n - 1 - l}{k - 1} \Big/ \binom{n - 1}{k}

    where k is the number of boundaries. The vectors are not used. Human segmentations are more even than random ones, so this
    measure separates them from random boundaries in most documents, without knowing where the topic changes. A metric that reads
    the text is useful only where it does better. `validate` shows it in every table.

    Edge cases
    ----------
    No boundary, or a boundary at every gap: 0. The value of a segment is the square root of its length, less the mean.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> nothing = np.zeros((4, 1))
    >>> # 2 sqrt(2) against the mean of 2 sqrt(2), 1 + sqrt(3), 1 + sqrt(3)
    >>> round(Evenness()(Segmentation(4, (2,)), nothing), 4)
    0.0643

    See Also
    --------
    Placement : rotations keep the lengths, so even lengths gain nothing.
    """

    columns = ("evenness", "documents")
    card = cohesion_card(
        title="how even segment lengths are, the level reached without reading the text",
        direction="higher",
        bounds=(-math.inf, math.inf),
        perfect=math.inf,
        citation="defined here; see docs/placement.md",
        equation="none: defined here",
        formula="sum of sqrt(l) - its mean over random boundaries",
    )

    def count(self, batch: Embedded) -> Floats:
        """Return the evenness of each document, and 1."""
        where = layout(batch)
        total = np.bincount(where.document, self.segment_values(batch), minlength=len(batch))
        return np.column_stack((total, np.ones(len(batch))))

    def score(self, counts: Floats) -> Floats:
        """Return the mean over the documents of each row."""
        return ratio(counts[..., 0], counts[..., 1])

    def segment_values(self, batch: Embedded) -> Floats:
        """Return the square root of each length, less its mean over random boundaries."""
        where = layout(batch)
        sizes = zip(batch.n_units.tolist(), np.diff(batch.segmentations.ptr).tolist(), strict=True)
        usual = np.array([_usual(n_units, boundaries) for n_units, boundaries in sizes])
        return np.sqrt(where.lengths) - usual[where.document] if len(usual) else usual


@functools.lru_cache(maxsize=4096)
def _usual(n_units: int, boundaries: int) -> float:
    """Return the mean square root of the length of a segment, over all placements of so many boundaries.

    >>> round(_usual(4, 1), 6) == round((2 * math.sqrt(2) + 2 * (1 + math.sqrt(3))) / 6, 6)
    True
    """
    if boundaries == 0:
        return math.sqrt(n_units)
    # P(l) = C(n-1-l, k-1) / C(n-1, k); the next one follows by multiplication.
    share, mean = boundaries / (n_units - 1), 0.0
    for length in range(1, n_units - boundaries + 1):
        mean += share * math.sqrt(length)
        if length < n_units - boundaries:
            share *= (n_units - length - boundaries) / (n_units - 1 - length)
    return mean
