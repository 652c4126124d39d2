# SPDX-License-Identifier: Apache-2.0
"""ARPcos."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import ANY_DAMAGE, MetricCard
from caesura.metrics.cohesion._arp import RelativeProximity
from caesura.metrics.cohesion._base import COHESION


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class ARPcos(RelativeProximity):
    r"""How much wider units scatter across the end of a segment than within it, by cosine distance to their mean.

    Definition
    ----------
    As `ARPstd`, with another dispersion: the mean cosine distance of the units to their mean vector.

    .. math::  RP_i = \frac{across_i - within_i}{across_i + within_i}, \quad
        dispersion(E) = 1 - \frac{1}{|E|} \sum_{e \in E} \cos(\bar{E}, e)

    Eq. 17-18 print the cosine similarity, with which good segmentations would score below 0; the authors' program takes
    the distance, and so does this.

    Edge cases
    ----------
    Segments of one unit, 0/0 and documents of one segment as in `ARPstd`. A zero vector, or a mean
    that is zero, has no direction: its cosine with anything is 0, as scikit-learn has it.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [1, 2], [0, 4], [8, 1], [8, 2]])
    >>> round(ARPcos()(Segmentation(6, (4,)), vectors), 4)
    0.8199

    See Also
    --------
    ARPpair : every two units instead of each unit and the mean.
    """

    dispersion = "cos"

    card = MetricCard(
        title="scatter across the ends of segments against scatter within, by cosine distance to the mean",
        direction="higher",
        bounds=(-1.0, 1.0),
        perfect=1.0,
        symmetric=False,
        mirror=False,
        blind_to=ANY_DAMAGE,
        citation="Ghinassi et al. 2024, When cohesion lies in the embedding space, LREC-COLING",
        equation="Eq. 15-18",
        formula="mean of (across - within) / (across + within)",
    )
