# SPDX-License-Identifier: Apache-2.0
"""``model:FOLDER``: a scorer that ``caesura train`` saved, with the selector that was chosen with it."""

from __future__ import annotations

from typing import Any

from caesura.declare import Card
from caesura.scorers import Features
from caesura.scorers.trained import TrainedScorer, load_model
from caesura.segmenters.base import Cut
from caesura.segmenters.others.base import Foreign
from caesura.selectors import Selector, selector

__all__ = ["Model"]


class Model(Foreign):
    """A trained scorer; its scores are calibrated probabilities, and its selector is the one of its card.

    Another selector: ``ScoreThenSelect(scorer='model:FOLDER', selector='…')``.
    """

    family = "model"
    form = "model:FOLDER"
    card = Card(title="a trained scorer and its selector")
    _scorer: TrainedScorer
    _selector: Selector

    def __post_init__(self) -> None:
        loaded = load_model(self.target)
        object.__setattr__(self, "_scorer", loaded)
        object.__setattr__(self, "_selector", selector(loaded.model.selector))

    @property
    def needs_vectors(self) -> bool:  # type: ignore[override]
        """Whether the scorer reads vectors."""
        return self._scorer.needs_vectors

    def options(self) -> dict[str, Any]:
        """Return the head and the selector, which are the parameters of a model."""
        return {"head": self._scorer.model.head, "selector": str(self._selector)}

    def versions(self) -> dict[str, str]:
        """Return the hash of the weights."""
        return {"weights_sha256": self._scorer.model.weights}

    def cut(self, features: Features) -> Cut:
        """Segment one document."""
        scores = self._scorer.gap_scores(features)
        return Cut(self._selector.select(scores, unit=features.document.unit), scores)
