# SPDX-License-Identifier: Apache-2.0
"""TopKSelector."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from caesura.declare import param
from caesura.selectors._base import SELECTORS, Floats, Selector, by_score, card, spaced


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class TopKSelector(Selector):
    """Select the k best gaps; fewer where the document or ``min_gap`` does not allow k.

    Examples
    --------
    >>> TopKSelector(k=2).select([0.1, 0.7, 0.9, 0.2, 0.6]).boundaries
    (2, 3)
    """

    k: int = param(1, "number of boundaries", minimum=0)
    min_gap: int = param(1, "minimum distance between two boundaries; 1 means no spacing", minimum=1)

    card = card("the k best gaps")

    def gaps(self, scores: Floats) -> Iterable[int]:
        """Return the k best gaps, at least ``min_gap`` apart."""
        return spaced(by_score(scores), self.min_gap, self.k)
