# SPDX-License-Identifier: Apache-2.0
"""StaticSelector."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from caesura.declare import param
from caesura.selectors._base import SELECTORS, Floats, Selector, by_score, card, spaced


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class StaticSelector(Selector):
    """Select every gap whose score reaches a threshold, best first, at least ``min_gap`` from all selected before.

    A score equal to the threshold is enough. A distance equal to ``min_gap`` is allowed, as in Appendix F and the code of
    the paper; its "within g positions" is ambiguous.

    Examples
    --------
    >>> StaticSelector(threshold=0.5, min_gap=3).select([0.1, 0.7, 0.9, 0.2, 0.6]).boundaries  # 3 is best; 5 is too near
    (3,)
    >>> StaticSelector(threshold=0.5, min_gap=2).select([0.1, 0.7, 0.9, 0.2, 0.6]).boundaries
    (3, 5)
    """

    threshold: float = param(0.5, "minimum score of a boundary")
    min_gap: int = param(1, "minimum distance between two boundaries; 1 means no spacing", minimum=1)

    card = card(
        "a threshold, gaps taken by descending score",
        "Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        "section 5.1",
    )

    def gaps(self, scores: Floats) -> Iterable[int]:
        """Return the gaps that reach the threshold, at least ``min_gap`` apart."""
        reached = int(np.count_nonzero(scores >= self.threshold))
        return spaced(by_score(scores)[:reached], self.min_gap)
