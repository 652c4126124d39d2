# SPDX-License-Identifier: Apache-2.0
"""LocalMaximaSelector."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from caesura.declare import param
from caesura.selectors._base import SELECTORS, Floats, Selector, by_score, card, spaced


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class LocalMaximaSelector(Selector):
    """Select every gap whose score exceeds its neighbours within ``radius``; of a plateau the first gap.

    Examples
    --------
    >>> LocalMaximaSelector().select([0.1, 0.7, 0.7, 0.2, 0.6]).boundaries
    (2, 5)
    """

    radius: int = param(1, "number of neighbours on each side", minimum=1)
    threshold: float | None = param(None, "minimum score of a boundary")
    min_gap: int = param(1, "minimum distance between two boundaries; 1 means no spacing", minimum=1)

    card = card("local maxima of the scores")

    def gaps(self, scores: Floats) -> Iterable[int]:
        """Return the maxima at least ``min_gap`` apart, best first."""
        maxima = {place + 1 for place in range(len(scores)) if self._is_maximum(scores, place)}
        return spaced([gap for gap in by_score(scores) if gap in maxima], self.min_gap)

    def _is_maximum(self, scores: Floats, place: int) -> bool:
        if self.threshold is not None and scores[place] < self.threshold:
            return False
        before = scores[max(0, place - self.radius) : place]
        after = scores[place + 1 : place + 1 + self.radius]
        # Strictly above the gaps before, so that a plateau counts once.
        return bool(np.all(before < scores[place]) and np.all(after <= scores[place]))
