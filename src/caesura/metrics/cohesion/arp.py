# SPDX-License-Identifier: Apache-2.0
"""ARP: dispersion across the ends of segments relative to dispersion within, in three variants."""

from __future__ import annotations

import dataclasses
import functools
from typing import ClassVar

import numpy as np

from caesura.batches.embedded import Embedded
from caesura.declare import param
from caesura.metrics.base import Floats, ratio
from caesura.metrics.cohesion._base import COHESION, BoundedMetric, bounded_card, means
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import WINDOW_COLUMNS, WINDOWS, Shared, nonzero_pairs, windows

__all__ = ["ARPcos", "ARPpair", "ARPstd", "RelativeProximity"]

_card = functools.partial(
    bounded_card,
    mirror=False,
    citation="Ghinassi et al. 2024, When cohesion lies in the embedding space, LREC-COLING",
    formula="mean of (across - within) / (across + within)",
)


@dataclasses.dataclass(frozen=True)
class RelativeProximity(BoundedMetric):
    """Dispersion across the end of a segment relative to dispersion within it."""

    exponent: int = param(
        1, "power of the dispersions: 1 as in the authors' program, 2 as eq. 13-14 print", choices=(1, 2)
    )
    cut: str = param(
        "balanced",
        "windows of equal size before and after the end of a segment, or half the segment as printed",
        choices=("balanced", "half"),
    )

    dispersion: ClassVar[str]

    def requests(self) -> tuple[Shared, ...]:
        """Request the windows."""
        return (WINDOWS,) if self.cut == "balanced" else ()

    def dispersions(self, batch: Embedded) -> Floats:
        """Return the dispersions within and across the end of each segment, one row each."""
        column = WINDOW_COLUMNS.index(f"{self.dispersion}_intra")
        return windows(batch, self.cut)[:, column : column + 2]

    def raw(self, batch: Embedded) -> Floats:
        """Return the relative proximity of each segment but the last."""
        where = layout(batch)
        intra, inter = self.dispersions(batch).T
        single = (where.lengths == 1) & ~where.last
        usual = means(intra, where.document, len(batch))
        # Where no scored segment has two units, those of one unit are compared with their own mean.
        instead = means(np.where(single, inter, np.nan), where.document, len(batch))
        usual = np.where(np.isnan(usual), instead, usual)
        intra = np.where(single, usual[where.document], intra) ** self.exponent
        inter = inter**self.exponent
        return ratio(inter - intra, inter + intra)


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class ARPstd(RelativeProximity):
    r"""How much wider units scatter across the end of a segment than within it, by standard deviation.

    Definition
    ----------
    The last :math:`c = \min(2 |E_{i+1}|, |E_i|)` units of segment i count. The window *within* has these c units, the window
    *across* has the last :math:`\lceil c/2 \rceil` of them and the first :math:`\lfloor c/2 \rfloor` of the next segment.
    The dispersion of a window is the length of the vector of its (population) standard deviations, one per dimension.

    .. math::  RP_i = \frac{across_i - within_i}{across_i + within_i}, \quad
        dispersion(E) = \left\lVert std(E) \right\rVert

    The score is the mean over all segments but the last, which has no successor. Eq. 13-14 print the squared length, but
    the authors' program uses the length; ``exponent=2`` gives the squared length. The paper prints :math:`c = |E_i|`, so that
    across has fewer units than within where the next segment is short; ``cut="half"`` is that.

    Edge cases
    ----------
    A segment of one unit compares the dispersion of that unit and the first of the next with the mean dispersion within
    the longer segments of the document, or, if there are none, with the mean of all such pairs (as the authors' program
    reads eq. 16). 0/0 is left out. One segment: NaN, or -1 under ``on_single='worst'``.

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

    card = _card(
        title="scatter across the ends of segments against scatter within, by standard deviation", equation="Eq. 13-16"
    )


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class ARPcos(RelativeProximity):
    r"""How much wider units scatter across the end of a segment than within it, by cosine distance to their mean.

    Definition
    ----------
    As `ARPstd`, with another dispersion: the mean cosine distance of the units to their mean vector.

    .. math::  RP_i = \frac{across_i - within_i}{across_i + within_i}, \quad
        dispersion(E) = 1 - \frac{1}{|E|} \sum_{e \in E} \cos(\bar{E}, e)

    Eq. 17-18 print the cosine similarity, with which good segmentations would score below 0; the authors' program uses
    the distance, as does this implementation.

    Edge cases
    ----------
    Segments of one unit, 0/0 and documents of one segment as in `ARPstd`. A zero vector, or a mean
    that is zero, has no direction: its cosine with anything is 0, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [1, 2], [0, 4], [8, 1], [8, 2]])
    >>> round(ARPcos()(Segmentation(6, (4,)), vectors), 4)
    0.8199

    See Also
    --------
    ARPpair : all pairs of units instead of each unit and the mean.
    """

    dispersion = "cos"

    card = _card(
        title="scatter across the ends of segments against scatter within, by cosine distance to the mean",
        equation="Eq. 15-18",
    )


@COHESION.register()
@dataclasses.dataclass(frozen=True)
class ARPpair(RelativeProximity):
    r"""How much wider units scatter across the end of a segment than within it, by cosine distance between pairs.

    Definition
    ----------
    As `ARPstd`, with another dispersion: the mean cosine distance between all pairs of units, which is computed from the sum
    of the unit vectors.

    .. math::  RP_i = \frac{across_i - within_i}{across_i + within_i}, \quad
        dispersion(E) = 1 - \frac{2}{n(n-1)} \sum_{j<k} \cos(e_j, e_k)

    Eq. 19-20 print the cosine similarity; the authors' program uses the distance, as does this implementation. The program also
    drops pairs whose cosine is exactly 0; here they count like any other, unless ``zero_cosines="drop"``.

    Edge cases
    ----------
    Segments of one unit, 0/0 and documents of one segment as in `ARPstd`. A zero vector has no
    direction: its cosine with anything is 0, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from caesura.segmentation import Segmentation
    >>> vectors = np.array([[0.0, 1], [0, 3], [1, 2], [0, 4], [8, 1], [8, 2]])
    >>> round(ARPpair()(Segmentation(6, (4,)), vectors), 4)
    0.7783

    See Also
    --------
    ARPcos : each unit and the mean instead of all pairs of units.
    """

    zero_cosines: str = param(
        "keep", "whether pairs whose cosine is exactly 0 count, or are dropped", choices=("keep", "drop")
    )

    dispersion = "pair"

    card = _card(
        title="scatter across the ends of segments against scatter within, by cosine distance of pairs",
        equation="Eq. 15, 16, 19, 20",
    )

    def dispersions(self, batch: Embedded) -> Floats:
        """Return the mean cosine distance of the pairs within and across the end of each segment."""
        return nonzero_pairs(batch, self.cut) if self.zero_cosines == "drop" else super().dispersions(batch)
