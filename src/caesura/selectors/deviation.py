# SPDX-License-Identifier: Apache-2.0
"""DeviationSelector."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from caesura.declare import param
from caesura.selectors._base import SELECTORS, Floats, Selector, by_score, card, spaced


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class DeviationSelector(Selector):
    """Select every gap whose score exceeds the mean of the document's scores by alpha standard deviations.

    The standard deviation is that of the population. Where all scores are equal, no gap is selected.

    Examples
    --------
    >>> DeviationSelector(alpha=1.0).select([0.1, 0.1, 0.9, 0.1, 0.2]).boundaries
    (3,)
    """

    alpha: float = param(0.5, "standard deviations above the mean")
    min_gap: int = param(1, "minimum distance between two boundaries; 1 means no spacing", minimum=1)

    card = card(
        "a threshold of mean + alpha standard deviations",
        "Hearst 1997, TextTiling, Computational Linguistics 23(1)",
    )

    def gaps(self, scores: Floats) -> Iterable[int]:
        """Return the gaps above the threshold, best first."""
        if not len(scores):
            return []
        reached = int(np.count_nonzero(scores > scores.mean() + self.alpha * scores.std()))
        return spaced(by_score(scores)[:reached], self.min_gap)
