# SPDX-License-Identifier: Apache-2.0
"""DensitySelector."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from caesura.declare import param
from caesura.errors import SegmentationError
from caesura.selectors._base import SELECTORS, Floats, Selector, by_score, card, spaced


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class DensitySelector(Selector):
    """Take the best gaps until there are as many boundaries per 100 units as asked for.

    The number is rounded half-even. A density that cannot be met with ``min_gap`` is refused, with the most that can.

    Examples
    --------
    >>> DensitySelector(per_100_units=40).select([0.1, 0.7, 0.9, 0.2, 0.6]).boundaries  # 40 % of 6 units: 2
    (2, 3)
    """

    per_100_units: float = param(10.0, "boundaries per 100 units", minimum=0, maximum=100)
    min_gap: int = param(1, "least distance of two boundaries; 1 is none", minimum=1)

    card = card("as many boundaries as a density asks for, the best gaps first")

    def gaps(self, scores: Floats) -> Iterable[int]:
        """Return the best gaps, as many as the density asks for."""
        wanted = min(round(self.per_100_units * (len(scores) + 1) / 100), len(scores))
        taken = spaced(by_score(scores), self.min_gap, wanted)
        if len(taken) < wanted:
            raise SegmentationError(
                f"{wanted} boundaries were asked for, but with min_gap={self.min_gap} the scores leave room for "
                f"{len(taken)} in {len(scores) + 1} units; lower the density or the gap"
            )
        return taken
