# SPDX-License-Identifier: Apache-2.0
"""Selectors that take the best gaps first, each at least ``min_gap`` from all taken earlier."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np

from caesura.declare import Card, param
from caesura.errors import SegmentationError
from caesura.selectors._base import SELECTORS, SPACING, Floats, Selector, by_score, spaced

__all__ = ["DensitySelector", "DeviationSelector", "LocalMaximaSelector", "StaticSelector", "TopKSelector"]


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class StaticSelector(Selector):
    """Select every gap whose score reaches a threshold, best first, at least ``min_gap`` from all selected earlier.

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
    min_gap: int = param(1, SPACING, minimum=1)

    card = Card(
        title="a threshold, gaps taken by descending score",
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="section 5.1",
    )

    def _gaps(self, scores: Floats) -> Iterable[int]:
        reached = int(np.count_nonzero(scores >= self.threshold))
        return spaced(by_score(scores)[:reached], self.min_gap)


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class TopKSelector(Selector):
    """Select the k best gaps, or fewer if the document or ``min_gap`` does not allow k.

    Examples
    --------
    >>> TopKSelector(k=2).select([0.1, 0.7, 0.9, 0.2, 0.6]).boundaries
    (2, 3)
    """

    k: int = param(1, "number of boundaries", minimum=0)
    min_gap: int = param(1, SPACING, minimum=1)

    card = Card(title="the k best gaps")

    def _gaps(self, scores: Floats) -> Iterable[int]:
        return spaced(by_score(scores), self.min_gap, self.k)


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
    min_gap: int = param(1, SPACING, minimum=1)

    card = Card(title="the best gaps up to a given density")

    def _gaps(self, scores: Floats) -> Iterable[int]:
        wanted = min(round(self.per_100_units * (len(scores) + 1) / 100), len(scores))
        taken = spaced(by_score(scores), self.min_gap, wanted)
        if len(taken) < wanted:
            raise SegmentationError(
                f"the density requires {wanted} boundaries in {len(scores) + 1} units, but min_gap={self.min_gap} leaves room "
                f"for {len(taken)}; lower the density or min_gap"
            )
        return taken


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
    min_gap: int = param(1, SPACING, minimum=1)

    card = Card(
        title="a threshold of mean + alpha standard deviations",
        citation="Hearst 1997, TextTiling, Computational Linguistics 23(1)",
    )

    def _gaps(self, scores: Floats) -> Iterable[int]:
        if not len(scores):
            return []
        reached = int(np.count_nonzero(scores > scores.mean() + self.alpha * scores.std()))
        return spaced(by_score(scores)[:reached], self.min_gap)


@SELECTORS.register()
@dataclasses.dataclass(frozen=True)
class LocalMaximaSelector(Selector):
    """Select every gap whose score exceeds its neighbours within ``radius``; of a plateau, the first gap.

    Examples
    --------
    >>> LocalMaximaSelector().select([0.1, 0.7, 0.7, 0.2, 0.6]).boundaries
    (2, 5)
    """

    radius: int = param(1, "number of neighbours on each side", minimum=1)
    threshold: float | None = param(None, "minimum score of a boundary")
    min_gap: int = param(1, SPACING, minimum=1)

    card = Card(title="local maxima of the scores")

    def _gaps(self, scores: Floats) -> Iterable[int]:
        maxima = {place + 1 for place in range(len(scores)) if self._is_maximum(scores, place)}
        return spaced([gap for gap in by_score(scores) if gap in maxima], self.min_gap)

    def _is_maximum(self, scores: Floats, place: int) -> bool:
        if self.threshold is not None and scores[place] < self.threshold:
            return False
        before = scores[max(0, place - self.radius) : place]
        after = scores[place + 1 : place + 1 + self.radius]
        # Strictly above the earlier gaps, so that a plateau counts once.
        return bool(np.all(before < scores[place]) and np.all(after <= scores[place]))
