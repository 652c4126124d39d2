# SPDX-License-Identifier: Apache-2.0
"""Frozen: any scorer applied to each gap once, as soon as the gap can be scored."""

from __future__ import annotations

import dataclasses

import numpy as np

from caesura.declare import Card, param
from caesura.scorers.base import SCORERS, Scorer
from caesura.scorers.features import Features, Floats
from caesura.scorers.trained.model import scorer as find_scorer

__all__ = ["Frozen"]


@SCORERS.register()
@dataclasses.dataclass(frozen=True)
class Frozen(Scorer):
    """Score each gap by the units available at that time; later units have no effect.

    Definition
    ----------
    The score of a gap is the one that ``scorer`` gives it in a document of the last ``before`` units before it and the first
    ``after`` units after it (fewer at both ends of the document). With ``after=1`` it is known as soon as the unit after the
    gap arrives; a larger number waits longer and sees more. These are the scores of a live stream
    (`caesura.segmenters.online`), and so those that an adaptive selector is to be judged by.
    """

    scorer: str = param("VectorDepth(window=3)", "the scorer and its parameters")
    before: int = param(16, "units before the gap that the scorer sees", minimum=1)
    after: int = param(1, "units after the gap that it waits for", minimum=1)

    card = Card(
        title="any scorer on windows that are frozen when a gap arrives",
        citation="Coen, When F1 fails: granularity-aware evaluation for dialogue topic segmentation",
        equation="section 5.1, Appendix F",
    )
    _inner: Scorer = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # An object may be given too; it is stored as its text.
        inner = self.scorer if isinstance(self.scorer, Scorer) else find_scorer(self.scorer)
        object.__setattr__(self, "scorer", str(inner))
        object.__setattr__(self, "_inner", inner)
        super().__post_init__()

    @property
    def needs_vectors(self) -> bool:  # type: ignore[override]
        """Whether the scorer reads vectors."""
        return self._inner.needs_vectors

    def gap_scores(self, features: Features) -> Floats:
        """Return the score of each gap from the units around it."""
        if self.needs_vectors and features.n_units > 1:
            _ = features.vectors  # encoded once, for all parts
        return np.array([self.at(features, gap) for gap in range(1, features.n_units)], dtype=np.float64)

    def at(self, features: Features, gap: int) -> float:
        """Return the score of one gap, with at least one unit on each side."""
        start = max(0, gap - self.before)
        part = features.part(start, min(features.n_units, gap + self.after))
        return float(self._inner.gap_scores(part)[gap - start - 1])
