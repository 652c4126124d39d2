# SPDX-License-Identifier: Apache-2.0
"""ARPstd."""

from __future__ import annotations

import dataclasses

from caesura.metrics.base import ANY_DAMAGE, MetricCard
from caesura.metrics.cohesion._arp import RelativeProximity
from caesura.metrics.cohesion._base import COHESION


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class ARPstd(RelativeProximity):
    r"""How much wider units scatter across the end of a segment than within it, by standard deviation.

    Definition
    ----------
    Segment i has :math:`c = \min(2 |E_{i+1}|, |E_i|)` units before its end that count. Within are these c units, across are
    the last :math:`\lceil c/2 \rceil` of them and the first :math:`\lfloor c/2 \rfloor` of the next segment. The
    dispersion of units is the length of the vector of their standard deviations, one per dimension (population).

    .. math::  RP_i = \frac{across_i - within_i}{across_i + within_i}, \quad
        dispersion(E) = \left\lVert std(E) \right\rVert

    The score is the mean over all segments but the last, which has no next one. Eq. 13-14 print the squared length, the
    published tables use the length; ``exponent=2`` is the former.

    Edge cases
    ----------
    A segment of one unit compares the dispersion of that unit and the first of the next with the mean dispersion within
    the longer segments of the document, or, if there is none, with the mean of all such pairs (the program's reading of
    eq. 16). 0/0 is left out. One segment: NaN, or -1 under ``on_single='worst'``.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [0, 2], [0, 4], [8, 1], [8, 2]])
    >>> round(ARPstd()(Segmentation(6, (4,)), vectors), 4)
    0.5752

    See Also
    --------
    ARPcos : by cosine distance to the mean.
    ARPpair : by cosine distance of pairs.
    """

    dispersion = "std"

    card = MetricCard(
        title="scatter across the ends of segments against scatter within, by standard deviation",
        direction="higher",
        bounds=(-1.0, 1.0),
        perfect=1.0,
        symmetric=False,
        mirror=False,
        blind_to=ANY_DAMAGE,
        citation="Ghinassi et al. 2024, When cohesion lies in the embedding space, LREC-COLING",
        equation="Eq. 13-16",
        formula="mean of (across - within) / (across + within)",
    )
