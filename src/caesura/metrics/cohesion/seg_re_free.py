# SPDX-License-Identifier: Apache-2.0
"""SegReFree."""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import numpy.typing as npt

from caesura.batches.embedded import Embedded
from caesura.declare import param
from caesura.errors import CaesuraWarning
from caesura.metrics.base import Floats
from caesura.metrics.cohesion._base import COHESION, means
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import centroids
from caesura.metrics.cohesion._ratios import CentroidRatio, ratio_card
from caesura.segmentation import Segmentation


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class SegReFree(CentroidRatio):
    r"""How widely neighbouring segments scatter relative to the distance between their centroids: Davies-Bouldin for segments.

    Definition
    ----------
    The dispersion :math:`S_i` of a segment of :math:`n_i` units is the mean distance to their centroid, increased for short
    segments. The value of a segment is the larger of its ratios with the segment before and the segment after; the score is
    the mean.

    .. math::  S_i = \frac{1}{1 - 1/\sqrt{n_i}} \frac{1}{n_i} \sum_{e \in E_i} \lVert e - c_i \rVert, \quad
        R_{ij} = \frac{S_i + S_j}{\lVert c_i - c_j \rVert}, \quad \frac{1}{N} \sum_i \max_{j = i \pm 1} R_{ij}

    ``adjacent=False`` compares all pairs of segments, ``size_penalty=False`` leaves out the increase; with both it is
    `DaviesBouldin`. The score depends on the corpus and the encoder: compare systems on the same documents only.

    Edge cases
    ----------
    A segment of one unit has no scatter (``singletons='zero'``), so that a boundary in every gap looks good. ``'mean'``
    gives it the mean dispersion of the longer segments of its document (the program of Ghinassi et al.), ``'mean_score'``
    their mean score (their paper). Under both, a document of one-unit segments only scores ``cap``. Equal neighbouring centroids: infinite, or
    0 under ``degenerate='zero'`` (the authors' notebook); 0/0 is 0. Means of equal vectors that differ by rounding count as
    equal. Under ``distance='cosine'`` a zero vector or centroid has no direction: the ratios that need it are left out, as
    in the notebook. One segment: NaN, or ``cap`` under ``on_single='worst'``.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [0, 2], [0, 4], [8, 2], [8, 3]])
    >>> round(SegReFree()(Segmentation(6, (4,)), vectors), 4)
    0.4634

    See Also
    --------
    ARPpair : bounded, and not biased towards segments of one unit.
    """

    singletons: str = param(
        "zero",
        "what a segment of one unit has: no scatter, the mean scatter of the others, or their mean score",
        choices=("zero", "mean", "mean_score"),
    )
    adjacent: bool = param(True, "compare neighbours only, not all pairs of segments")
    size_penalty: bool = param(True, "increase the scatter of short segments")

    card = ratio_card(
        title="scatter of neighbouring segments over the distance of their centroids",
        citation="Lucas, Kangas & Havens 2023, A reference-free segmentation quality index (SegReFree), Findings of EMNLP",
        equation="Eq. 2, 3",
        formula="mean of the larger (S_i + S_j) / distance of centroids, j = i - 1, i + 1",
    )

    def __call__(self, segmentation: Segmentation, vectors: npt.ArrayLike) -> float:
        """Return the score of one document, with a warning if it is the best one for no reason of the text."""
        score = super().__call__(segmentation, vectors)
        if self.singletons == "zero" and 1 < segmentation.n_units == segmentation.n_segments:
            warnings.warn(
                "SegReFree: every segment has one unit, so the score is 0, the best, whatever the text; singletons='mean' does not "
                "reward that",
                CaesuraWarning,
                stacklevel=2,
            )
        return score

    def raw(self, batch: Embedded) -> Floats:
        """Return the larger ratio of each segment."""
        where = layout(batch)
        single = where.lengths == 1
        spread = centroids(batch, self.distance)[:, 0]
        if self.size_penalty:
            spread = spread / np.where(single, 1.0, 1.0 - 1.0 / np.sqrt(where.lengths))
        usual = means(np.where(single, np.nan, spread), where.document, len(batch))[where.document]
        if self.singletons == "mean":
            spread = np.where(single, usual, spread)
        values = self.beside(batch, spread) if self.adjacent else self.among(batch, spread)
        if self.singletons == "zero":
            return values
        if self.singletons == "mean_score":
            scores = means(np.where(single, np.nan, values), where.document, len(batch))[where.document]
            values = np.where(single, scores, values)
        # No longer segment to borrow from: the paper's high value.
        longer = np.bincount(where.document, ~single, minlength=len(batch)) > 0
        return np.where(longer[where.document], values, self.cap)
