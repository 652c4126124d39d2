# SPDX-License-Identifier: Apache-2.0
"""What the three ARP metrics share: everything but the dispersion."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np

from caesura.declare import param
from caesura.embedded import Embedded
from caesura.metrics.base import Floats, Request, ratio
from caesura.metrics.cohesion._base import BoundedMetric
from caesura.metrics.cohesion._layout import layout
from caesura.metrics.cohesion._measures import WINDOW_COLUMNS, WINDOWS, windows
from caesura.metrics.cohesion._pooling import means


@dataclasses.dataclass(frozen=True)
class RelativeProximity(BoundedMetric):
    """Dispersion across the end of a segment against dispersion within it."""

    exponent: int = param(1, "power of the dispersions: 1 as published, 2 as eq. 13-14 print", choices=(1, 2))

    dispersion: ClassVar[str]

    def requests(self) -> tuple[Request, ...]:
        """Ask for the windows."""
        return (WINDOWS,)

    def raw(self, batch: Embedded) -> Floats:
        """Return the relative proximity of each segment but the last."""
        where = layout(batch)
        column = WINDOW_COLUMNS.index(f"{self.dispersion}_intra")
        table = windows(batch)
        intra, inter = table[:, column], table[:, column + 1]
        single = (where.lengths == 1) & ~where.last
        usual = means(intra, where.document, len(batch))
        # Where no scored segment has two units, those of one unit are compared with their own mean.
        instead = means(np.where(single, inter, np.nan), where.document, len(batch))
        usual = np.where(np.isnan(usual), instead, usual)
        intra = np.where(single, usual[where.document], intra) ** self.exponent
        inter = inter**self.exponent
        return ratio(inter - intra, inter + intra)
