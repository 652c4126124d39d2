# SPDX-License-Identifier: Apache-2.0
"""ARPpair."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import ANY_DAMAGE, MetricCard
from caesura.metrics.cohesion._arp import RelativeProximity
from caesura.metrics.cohesion._base import COHESION


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class ARPpair(RelativeProximity):
    r"""How much wider units scatter across the end of a segment than within it, by cosine distance of pairs.

    Definition
    ----------
    As `ARPstd`, with another dispersion: the mean cosine distance of every two different units, which needs no pairs, only the
    sum of the unit vectors.

    .. math::  RP_i = \frac{across_i - within_i}{across_i + within_i}, \quad
        dispersion(E) = 1 - \frac{2}{n(n-1)} \sum_{j<k} \cos(e_j, e_k)

    Eq. 19-20 print the cosine similarity; the authors' program takes the distance, and so does this. The program also
    drops pairs whose cosine is exactly 0; here they count as any other.

    Edge cases
    ----------
    Segments of one unit, 0/0 and documents of one segment as in `ARPstd`. A zero vector has no
    direction: its cosine with anything is 0, as scikit-learn has it.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [1, 2], [0, 4], [8, 1], [8, 2]])
    >>> round(ARPpair()(Segmentation(6, (4,)), vectors), 4)
    0.7783

    See Also
    --------
    ARPcos : each unit and the mean instead of every two units.
    """

    dispersion = "pair"

    card = MetricCard(
        title="scatter across the ends of segments against scatter within, by cosine distance of pairs",
        direction="higher",
        bounds=(-1.0, 1.0),
        perfect=1.0,
        symmetric=False,
        mirror=False,
        blind_to=ANY_DAMAGE,
        citation="Ghinassi et al. 2024, When cohesion lies in the embedding space, LREC-COLING",
        equation="Eq. 15, 16, 19, 20",
        formula="mean of (across - within) / (across + within)",
    )
