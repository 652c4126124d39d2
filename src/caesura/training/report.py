# SPDX-License-Identifier: Apache-2.0
"""A trained scorer, with the history of its training."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from caesura._version import __version__
from caesura.evaluation.measurement import environment
from caesura.evaluation.outcome import Outcome, metric_facts
from caesura.metrics import metric
from caesura.results import Input, Results
from caesura.results.train.facts import TrainingFacts
from caesura.scorers.trained import ModelCard, TrainedScorer, load_model
from caesura.training.transfer import METRICS

__all__ = ["RESULTS", "Training"]

RESULTS = "training.json"
"""The results file in the folder of a model."""


@dataclasses.dataclass(frozen=True)
class Training(Outcome):
    """A model in a folder, its card, and what every epoch gave."""

    folder: Path
    card: ModelCard
    facts: TrainingFacts

    def scorer(self) -> TrainedScorer:
        """Return the trained scorer."""
        return load_model(str(self.folder))

    def results(self) -> Results:
        """Return everything as typed data."""
        inputs = [
            Input(
                role=each.role,
                name=each.name,
                documents=each.documents,
                unit="",
                file=each.file,
                sha256=each.sha256,
            )
            for each in self.card.data
        ]
        return Results(
            question="train", caesura=__version__, seed=self.card.seed, environment=environment(), inputs=inputs,
            metrics={name: metric_facts(metric(name)) for name in METRICS}, training=self.facts,
        )  # fmt: skip

    def size(self) -> str:
        """Return how many epochs there were."""
        return f" of {sum(len(stage.epochs) for stage in self.facts.stages)} epochs"
