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
    """Select the best gaps up to a number of boundaries per 100 units.

    The number of boundaries is rounded half-even. A density that ``min_gap`` does not allow is refused.

    Examples
    --------
    >>> DensitySelector(per_100_units=40).select([0.1, 0.7, 0.9, 0.2, 0.6]).boundaries  # 40 % of 6 units: 2
    (2, 3)
    """

    per_100_units: float = param(10.0, "boundaries per 100 units", minimum=0, maximum=100)
    min_gap: int = param(1, "minimum distance between two boundaries; 1 means no spacing", minimum=1)

    card = card("the best gaps up to a given density")

    def gaps(self, scores: Floats) -> Iterable[int]:
        """Return the best gaps, as many as the density requires."""
        wanted = min(round(self.per_100_units * (len(scores) + 1) / 100), len(scores))
        taken = spaced(by_score(scores), self.min_gap, wanted)
        if len(taken) < wanted:
            raise SegmentationError(
                f"the density requires {wanted} boundaries in {len(scores) + 1} units, but min_gap={self.min_gap} leaves room "
                f"for {len(taken)}; lower the density or min_gap"
            )
        return taken
