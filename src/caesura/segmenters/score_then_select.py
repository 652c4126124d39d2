# SPDX-License-Identifier: Apache-2.0
"""ScoreThenSelect: any scorer with any selector."""

from __future__ import annotations

import dataclasses

from caesura.declare import Card, param
from caesura.errors import SegmentationError
from caesura.scorers import Features, Scorer, scorer
from caesura.segmenters.base import SEGMENTERS, Cut, Segmenter
from caesura.selectors import Selector, selector

__all__ = ["ScoreThenSelect"]


@SEGMENTERS.register()
@dataclasses.dataclass(frozen=True)
class ScoreThenSelect(Segmenter):
    """Score every gap, and select boundaries by the scores.

    Examples
    --------
    >>> str(ScoreThenSelect("BlockDepth(window=3)", "TopKSelector(k=2)"))
    "ScoreThenSelect(scorer='BlockDepth(window=3)', selector='TopKSelector(k=2)')"
    """

    scorer: str = param("BlockDepth", "the scorer and its parameters")
    selector: str = param("DeviationSelector", "the selector and its parameters")

    card = Card(title="any scorer with any selector")
    _parts: tuple[Scorer, Selector] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # An object may be given too; it stands in the text by its own.
        scores = self.scorer if isinstance(self.scorer, Scorer) else scorer(self.scorer)
        selects = self.selector if isinstance(self.selector, Selector) else selector(self.selector)
        object.__setattr__(self, "scorer", str(scores))
        object.__setattr__(self, "selector", str(selects))
        object.__setattr__(self, "_parts", (scores, selects))
        super().__post_init__()

    @property
    def needs_vectors(self) -> bool:  # type: ignore[override]
        """Whether the scorer reads vectors."""
        return self._parts[0].needs_vectors

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        scores = self._parts[0].gap_scores(features)
        if len(scores) != features.n_units - 1:
            raise SegmentationError(
                f"document {features.document.id!r}: {self.scorer} gave {len(scores)} scores for "
                f"{features.n_units - 1} gaps; it must give one per gap"
            )
        return Cut(self._parts[1].select(scores, unit=features.document.unit), scores)
